/**
 * Limits of the number of requests.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isPromise } from '../../base/promise.ts'
import { errorText, isInstance, memberOf } from '../../base/thrown.ts'
import { HTTPServiceUnavailable } from '../../http/exceptions.ts'
import type {
  Body,
  Environ,
  HeaderPair,
  Middleware,
  StartResponse,
  WSGIApplication,
} from '../../wsgi/types.ts'
import { isFunction, isString, oneOf } from '../check-options.ts'
import { clientAddress } from './client-address.ts'
import { checkWindowOptions, type LimitRule, shortKey, tooManyRequests } from './limit-rule.ts'
import { MemoryCounts, type Usage } from './memory-counts.ts'

/**
 * The member of a rate limiter of rate-limiter-flexible that is used. It resolves to the state of the window, and rejects
 * with it if the limit is exceeded.
 */
export interface RateLimiter {
  consume(key: string): Promise<{ readonly remainingPoints: number; readonly msBeforeNext: number }>
}

/** Options of {@link limit}. */
export interface LimitOptions {
  /** Maximum number of requests of one key within a window. */
  readonly max: number
  /** Length of a window in whole seconds. It begins with the first request of a key. */
  readonly window: number
  /**
   * Returns the key of a request, whose requests are counted together; undefined for a request that is not limited.
   * Default: the client's address (`REMOTE_ADDR`), and for IPv6 its network of 64 bits, which one client has.
   */
  readonly key?: (environ: Environ) => string | undefined
  /** Name in the RateLimit fields and in the store: letters, digits, `_`, `-` and `.`. Default `default`. */
  readonly name?: string
  /** Creates a rate limiter that several processes share. Default: counts in the memory of the process. */
  readonly store?: (rule: LimitRule) => RateLimiter
  /** Treatment of requests while the store fails: `'allow'`, the default, or `'refuse'` with 503. */
  readonly onFailure?: 'allow' | 'refuse'
}

/** `Retry-After` of a request that is refused because the store fails, in seconds. */
const RETRY_AFTER_FAILURE = 5

/**
 * Limits the requests of a client, or of another key, within a window of time. Further requests are answered with 429,
 * `Retry-After` and a problem document for programs. All responses have the fields `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-08 and later).
 *
 * By default each process counts for itself, up to 100,000 keys, of which the oldest is forgotten first. With `store`
 * several processes count together, by a rate limiter of the package rate-limiter-flexible (Redis, PostgreSQL and others).
 * If the store fails, requests pass unless `onFailure` is `'refuse'`; the failure is written to `wsgi.errors` once.
 *
 * Behind a proxy the address is the proxy's, unless the server has `trustProxy`.
 *
 * @throws TypeError - an option is missing, unknown or has a wrong value.
 * @throws TypeError, in a request - `key` returns neither text nor undefined.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { limit } from 'propylon/middleware'
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [limit({ max: 100, window: 60 })],
 * })
 * ```
 */
export function limit(options: LimitOptions): Middleware {
  const limiter = new Limit(options)
  return (app) => (environ, start_response) => limiter.run(app, environ, start_response)
}

/** Counts a request of a key. */
type Count = (key: string) => Usage | Promise<Usage>

class Limit {
  readonly #max: number
  readonly #policy: HeaderPair
  readonly #name: string
  readonly #keyOf: (environ: Environ) => string | undefined
  readonly #count: Count
  readonly #refusesOnFailure: boolean
  #isFailing = false

  constructor(options: LimitOptions) {
    checkLimitOptions(options)
    const { max, window, key = clientAddress, name = 'default', store, onFailure } = options
    this.#max = max
    this.#policy = ['RateLimit-Policy', `"${name}";q=${max};w=${window}`]
    this.#name = name
    this.#keyOf = key
    this.#refusesOnFailure = onFailure === 'refuse'
    if (store === undefined) {
      const counts = new MemoryCounts(window)
      this.#count = (of) => counts.add(of)
    } else this.#count = sharedCount(store({ keyPrefix: name, points: max, duration: window }), max)
  }

  run(app: WSGIApplication, environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    const key = this.#keyOf(environ)
    if (key === undefined || key === null) return app(environ, start_response)
    // A promise would be another key for each request, so that nothing would be limited.
    if (!isString(key)) throw wrongKey(key)
    const usage = this.#count(shortKey(key))
    if (!isPromise(usage)) return this.#respond(usage, app, environ, start_response)
    return usage.then(
      (counted) => {
        this.#isFailing = false
        return this.#respond(counted, app, environ, start_response)
      },
      (error: unknown) => this.#fail(error, app, environ, start_response),
    )
  }

  #respond(
    { used, seconds }: Usage,
    app: WSGIApplication,
    environ: Environ,
    start_response: StartResponse,
  ): Body | Promise<Body> {
    const reset = Math.max(1, Math.ceil(seconds))
    const state: HeaderPair = ['RateLimit', `"${this.#name}";r=${Math.max(0, this.#max - used)};t=${reset}`]
    const start: StartResponse = (status, headers, excInfo) =>
      start_response(status, [...headers, this.#policy, state], excInfo)
    if (used <= this.#max) return app(environ, start)
    return tooManyRequests(reset).send(environ, start)
  }

  #fail(
    error: unknown,
    app: WSGIApplication,
    environ: Environ,
    start_response: StartResponse,
  ): Body | Promise<Body> {
    if (!this.#isFailing) {
      this.#isFailing = true
      const effect = this.#refusesOnFailure ? 'refused' : 'allowed without a limit'
      environ['wsgi.errors'].write(
        `The store of limit "${this.#name}" fails. Until it works again, requests are ${effect}.\n${errorText(error)}\n`,
      )
    }
    if (!this.#refusesOnFailure) return app(environ, start_response)
    const headers = { 'Retry-After': String(RETRY_AFTER_FAILURE) }
    return new HTTPServiceUnavailable(undefined, headers).send(environ, start_response)
  }
}

function wrongKey(key: unknown): TypeError {
  return new TypeError(
    `limit(): key returned ${describeValue(key)}. Return text, or undefined for a request that is not limited; key cannot be asynchronous.`,
  )
}

function sharedCount(limiter: RateLimiter, max: number): Count {
  return async (key) => {
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key)
      return { used: max - remainingPoints, seconds: msBeforeNext / 1000 }
    } catch (thrown) {
      const milliseconds = memberOf(thrown, 'msBeforeNext')
      if (isInstance(thrown, Error) || typeof milliseconds !== 'number') throw thrown
      return { used: max + 1, seconds: milliseconds / 1000 }
    }
  }
}

function checkLimitOptions(options: LimitOptions): void {
  checkWindowOptions('limit()', options, {
    key: [isFunction, 'a function of the environ that returns text'],
    onFailure: oneOf(['allow', 'refuse']),
  })
}
