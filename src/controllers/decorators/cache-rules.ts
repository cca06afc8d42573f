/**
 * The rules of `cached`: the key of a response, and the responses that may be sent to other visitors (RFC 9111 §3).
 *
 * @module
 */

import type { HeaderList } from '../../http/headers.ts'
import { NOTE_READS, READ_ADDRESS, READ_COOKIES, READS } from '../../http/request-head.ts'
import type { Response } from '../../http/response.ts'
import { rawScriptName } from '../../wsgi/request-url.ts'
import { stateOf } from '../call-state.ts'
import type { WSGIController } from '../wsgi-controller.ts'

/** The options of `cached` that affect the key. */
export interface KeyOptions {
  /** Returns a further part of the key, or undefined not to cache this request. */
  readonly key?: (controller: WSGIController) => string | undefined
  /** Query fields in the key. Default `true`: all. */
  readonly query?: readonly string[] | true
}

/** Directives that keep a response out of shared caches, with or without field names (RFC 9111 §5.2.2). */
const UNSHARED = /(?:^|,)\s*(?:no-store|no-cache|private)\s*(?:[,=]|$)/i

const ADDRESS_READ =
  'the request read the address of the client. Return what the response depends on from the option key'

/** The rules for one call of a cached action. */
export class CacheRules {
  /** Key of the response, without the request headers that it varies by. Undefined if the option `key` returned undefined. */
  readonly key: string | undefined
  readonly #controller: WSGIController
  /** The parts of the request that belong to its visitor and that the option `key` has read. */
  readonly #keyed: number

  /** @throws TypeError - an argument is an object and the application gives no `key`. */
  constructor(controller: WSGIController, action: string, args: readonly unknown[], options: KeyOptions) {
    const { request } = controller
    this.#controller = controller
    request[NOTE_READS]()
    // The key contains what it is made of, so these reads are not noted as reads of the response.
    const before = request[READS]
    request[READS] = 0
    try {
      this.key = keyOf(controller, action, args, options)
      this.#keyed = request[READS]
    } finally {
      request[READS] = before
    }
  }

  /** Returns the key of a response that varies by request headers: `key` itself if `fields` is empty. */
  variant(fields: readonly string[]): string {
    const { headers } = this.#controller.request
    const key = this.key ?? ''
    return fields.length === 0 ? key : JSON.stringify([key, fields.map((name) => [name, headers.get(name)])])
  }

  /**
   * Returns the reason why a stored response may not be sent: the request is one visitor's own, or its response differs
   * from a stored one already. Undefined if it may.
   */
  reasonNotToReplay(): string | undefined {
    const { response, started } = stateOf(this.#controller)
    if (this.#controller.request.headers.has('authorization')) return 'the request has Authorization'
    if (this.#usesSession) return 'the session was used before the action, for instance by __before__'
    if (this.#hasRead(READ_ADDRESS)) return ADDRESS_READ
    if (started) return 'start_response was called before the action'
    if (response === undefined) return undefined
    if (response.status !== 200) return `this.response has the status ${response.status}`
    if (response.body !== null) return 'this.response has a body'
    return reasonInHeaders(response.headers)
  }

  /**
   * Returns the reason why a finished response, as it is sent, may not be sent to other visitors. Undefined if it may. A
   * 304 is a 200 that the client has already.
   *
   * @param fields - request headers that the key of the response contains.
   */
  reasonNotToShare({ status, headers }: Response, fields: readonly string[]): string | undefined {
    if (status !== 200 && status !== 304) return `its status is ${status}`
    if (this.#usesSession) return 'the request used its session'
    if (this.#hasRead(READ_ADDRESS)) return ADDRESS_READ
    if (this.needsCookies(fields)) {
      return 'the request read its cookies. Set Vary: Cookie, or return what the response depends on from the option key'
    }
    return headers.has('set-cookie') ? 'it sets a cookie' : reasonInHeaders(headers)
  }

  /** Returns true if the response may depend on the cookies of the request, and its key does not contain them. */
  needsCookies(fields: readonly string[]): boolean {
    return this.#hasRead(READ_COOKIES) && !fields.includes('cookie')
  }

  #hasRead(read: number): boolean {
    return (this.#controller.request[READS] & ~this.#keyed & read) !== 0
  }

  get #usesSession(): boolean {
    const { session } = stateOf(this.#controller)
    return session !== undefined && (session.used || session.changed)
  }
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

/** The parts are class, action, host (pages have absolute links), match, arguments, query and the application's own part. */
function keyOf(
  controller: WSGIController,
  action: string,
  args: readonly unknown[],
  { key, query: chosen = true }: KeyOptions,
): string | undefined {
  const own = key?.(controller)
  if (key !== undefined && own === undefined) return undefined
  const { environ, scheme, host, routeParams, query } = controller.request
  const label = `${controller.constructor.name}.${action}`
  const values = args.map((value) => argumentKey(value, label, key !== undefined))
  const names = chosen === true ? [...query.keys()].sort() : chosen
  const fields = names.map((name) => [name, query.getAll(name)])
  const mountPoint = rawScriptName(environ)
  return JSON.stringify([label, scheme, host, mountPoint, Object.entries(routeParams), values, fields, own])
}

function argumentKey(value: unknown, label: string, hasOwnKey: boolean): unknown {
  if (typeof value === 'function') {
    throw new TypeError(
      `cached: ${label} takes start_response, and a response sent through it cannot be cached. Return the response.`,
    )
  }
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Object.getPrototypeOf(value) === null) {
    // A destructured parameter.
    return Object.entries(value).map(([name, member]) => [name, argumentKey(member, label, hasOwnKey)])
  }
  if (hasOwnKey) return null
  throw new TypeError(
    `cached: an argument of ${label} is an object, which cannot be part of the key. Give the part that the response depends on: cached({ key: (controller) => … })`,
  )
}
