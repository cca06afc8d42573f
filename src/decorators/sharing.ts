/** The rules for which responses a cache may send to other visitors (RFC 9111 §3). */
import { stateOf } from '../controllers/lifecycle.ts'
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import type { HeaderList } from '../http/headers.ts'
import type { Response } from '../http/response.ts'

/** Directives that keep a response out of shared caches, with or without field names (RFC 9111 §5.2.2). */
const UNSHARED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[,=]|$)/i

/** Returns false if the request is one visitor's own, or if its response differs from a cached one already. */
export function mayUseCache(controller: WSGIController): boolean {
  const { request } = controller
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (request.headers.has('authorization') || usesSession(controller)) return false
  const { response, started } = stateOf(controller)
  if (started) return false
  if (response === undefined) return true
  return response.status === 200 && response.body === null && allowsSharing(response.headers)
}

/**
 * Returns true if a finished response, as it is sent, may be sent to other visitors. A 304 is a 200 that the client has
 * already.
 */
export function mayBeShared(controller: WSGIController, finished: Response): boolean {
  const { status, headers } = finished
  if (status !== 200 && status !== 304) return false
  return !usesSession(controller) && !headers.has('set-cookie') && allowsSharing(headers)
}

/** Returns false if `Cache-Control` or `Vary: *` forbids sending a response to other visitors. */
export function allowsSharing(headers: HeaderList): boolean {
  return !UNSHARED.test(headers.get('cache-control') ?? '') && !varyFields(headers).includes('*')
}

/** Returns the request headers that a response varies by: in lower case, sorted, each once. */
export function varyFields(headers: HeaderList | undefined): readonly string[] {
  const value = headers?.get('vary')
  if (value === undefined) return []
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  return [...new Set(names)].filter((name) => name !== '').sort()
}

function usesSession(controller: WSGIController): boolean {
  const { session } = stateOf(controller)
  return session !== undefined && (session.used || session.changed)
}
