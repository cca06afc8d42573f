/** The rules for which responses a cache may send to other visitors (RFC 9111 §3). */

import type { HeaderList } from '../../http/headers.ts'
import type { Response } from '../../http/response.ts'
import { stateOf } from '../lifecycle.ts'
import type { WSGIController } from '../wsgi-controller.ts'

/** Directives that keep a response out of shared caches, with or without field names (RFC 9111 §5.2.2). */
const UNSHARED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[,=]|$)/i

/**
 * Returns the reason why a stored response may not be sent: the request is one visitor's own, or its response differs from
 * a stored one already. Undefined if it may.
 */
export function reasonNotToReplay(controller: WSGIController): string | undefined {
  if (controller.request.headers.has('authorization')) return 'the request has Authorization'
  if (usesSession(controller)) return 'the session was used before the action, for instance by __before__'
  const { response, started } = stateOf(controller)
  if (started) return 'start_response was called before the action'
  if (response === undefined) return undefined
  if (response.status !== 200) return `this.response has the status ${response.status}`
  if (response.body !== null) return 'this.response has a body'
  return reasonInHeaders(response.headers)
}

/**
 * Returns the reason why a finished response, as it is sent, may not be sent to other visitors. Undefined if it may. A 304
 * is a 200 that the client has already.
 */
export function reasonNotToShare(
  controller: WSGIController,
  { status, headers }: Response,
): string | undefined {
  if (status !== 200 && status !== 304) return `its status is ${status}`
  if (usesSession(controller)) return 'the request used its session'
  if (headers.has('set-cookie')) return 'it sets a cookie'
  return reasonInHeaders(headers)
}

/** Returns the header that forbids sending a response to other visitors, in words; undefined if there is none. */
export function reasonInHeaders(headers: HeaderList): string | undefined {
  const control = headers.get('cache-control') ?? ''
  if (UNSHARED.test(control)) return `its Cache-Control is "${control}"`
  return varyFields(headers).includes('*') ? 'its Vary is *' : undefined
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
