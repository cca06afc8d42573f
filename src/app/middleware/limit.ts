/**
 * Limits of the number of requests.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isPromise } from '../../base/promise.ts'
import { errorText, isInstance, memberOf } from '../../base/thrown.ts'
import { HTTPServiceUnavailable } from '../../http/exceptions.ts'
import type { Body, Environ, HeaderPair, Middleware, StartResponse } from '../../wsgi/types.ts'
import { isFunction, isString, oneOf } from '../check-options.ts'
import { clientAddress } from './client-address.ts'
import { checkWindowOptions, type LimitRule, shortKey, tooManyRequests } from './limit-rule.ts'
import { MemoryCounts, type Usage } from './memory-counts.ts'

/**
 * The member of a rate limiter of rate-limiter-flexible that is used. It resolves to the state of the window, and
 * rejects with it if the limit is exceeded.
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
 * several processes count together, by a rate limiter of the package rate-limiter-flexible (Redis, PostgreSQL and
 * others). If the store fails, requests pass unless `onFailure` is `'refuse'`; the failure is written to
 * `wsgi.errors` once.
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
  checkWindowOptions('limit()', options, {
    key: [isFunction, 'a function of the environ that returns text'],
    onFailure: oneOf(['allow', 'refuse']),
  })
  const { max, window, key: keyOf = clientAddress, name = 'default', store, onFailure = 'allow' } = options
  const policy: HeaderPair = ['RateLimit-Policy', `"${name}";q=${max};w=${window}`]
  const counts = new MemoryCounts(window)
  const limiter = store?.({ keyPrefix: name, points: max, duration: window })
  const count: Count = limiter === undefined ? (key) => counts.add(key) : sharedCount(limiter, max)
  let isFailing = false

  return (app) => (environ, start_response) => {
    const key = keyOf(environ)
    if (key === undefined || key === null) return app(environ, start_response)
    // A promise would be another key for each request, so that nothing would be limited.
    if (!isString(key)) throw wrongKey(key)
    const respond = ({ used, seconds }: Usage): Body | Promise<Body> => {
      isFailing = false
      const reset = Math.max(1, Math.ceil(seconds))
      const state: HeaderPair = ['RateLimit', `"${name}";r=${Math.max(0, max - used)};t=${reset}`]
      const start: StartResponse = (status, headers, excInfo) =>
        start_response(status, [...headers, policy, state], excInfo)
      return used <= max ? app(environ, start) : tooManyRequests(reset).send(environ, start)
    }
    const usage = count(shortKey(key))
    if (!isPromise(usage)) return respond(usage)
    return usage.then(respond, (error: unknown) => {
      if (!isFailing) {
        const effect = onFailure === 'refuse' ? 'refused' : 'allowed without a limit'
        environ['wsgi.errors'].write(
          `The store of limit "${name}" fails. Until it works again, requests are ${effect}.\n${errorText(error)}\n`,
        )
      }
      isFailing = true
      if (onFailure === 'allow') return app(environ, start_response)
      const headers = { 'Retry-After': String(RETRY_AFTER_FAILURE) }
      return new HTTPServiceUnavailable(undefined, headers).send(environ, start_response)
    })
  }
}

/** Counts a request of a key. */
type Count = (key: string) => Usage | Promise<Usage>

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
