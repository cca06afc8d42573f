/** The rules for which responses a cache may send to other visitors (RFC 9111 §3). */

import type { HeaderList } from '../../http/headers.ts'
import { COOKIES, READ_ADDRESS, READ_COOKIES, READS } from '../../http/request-head.ts'
import type { Response } from '../../http/response.ts'
import { stateOf } from '../call-state.ts'
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
  if ((personalReads(controller) & READ_ADDRESS) !== 0) return ADDRESS_READ
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
 *
 * @param fields - request headers that the key of the response contains.
 */
export function reasonNotToShare(
  controller: WSGIController,
  { status, headers }: Response,
  fields: readonly string[],
): string | undefined {
  if (status !== 200 && status !== 304) return `its status is ${status}`
  if (usesSession(controller)) return 'the request used its session'
  if ((personalReads(controller) & READ_ADDRESS) !== 0) return ADDRESS_READ
  if (needsCookies(controller) && !fields.includes('cookie')) {
    return 'the request read its cookies. Set Vary: Cookie, or return what the response depends on from the option key'
  }
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

const ADDRESS_READ =
  'the request read the address of the client. Return what the response depends on from the option key'

/** Notes reads of the members of the environ that belong to a visitor, until the request ends. */
export function noteReads({ request }: WSGIController): void {
  request[COOKIES]() // A session reads its own cookie from these.
  for (const [key, read] of [
    ['HTTP_COOKIE', READ_COOKIES],
    ['REMOTE_ADDR', READ_ADDRESS],
  ] as const) {
    // Another cached action of the same request has done it.
    if (Object.getOwnPropertyDescriptor(request.environ, key)?.get !== undefined) continue
    let value = request.environ[key]
    Object.defineProperty(request.environ, key, {
      configurable: true,
      enumerable: value !== undefined,
      get() {
        request[READS] |= read
        return value
      },
      set(changed: string | undefined) {
        value = changed
      },
    })
  }
}

/** The reads that the application's own part of the key contains. */
const keyed = new WeakMap<WSGIController, number>()

/** Calls a function that makes the key of a response. What it reads of the request is part of the key. */
export function readingForKey<T>(controller: WSGIController, make: () => T): T {
  const { request } = controller
  const before = request[READS]
  request[READS] = 0
  try {
    return make()
  } finally {
    if (request[READS] !== 0) keyed.set(controller, request[READS])
    request[READS] = before
  }
}

/** Returns true if the response may depend on the cookies of the request, and its key does not contain them. */
export function needsCookies(controller: WSGIController): boolean {
  return (personalReads(controller) & READ_COOKIES) !== 0
}

/** Returns the parts of the request that were read, belong to its visitor, and are not in the key. */
function personalReads(controller: WSGIController): number {
  return controller.request[READS] & ~(keyed.get(controller) ?? 0)
}

function usesSession(controller: WSGIController): boolean {
  const { session } = stateOf(controller)
  return session !== undefined && (session.used || session.changed)
}
