/**
 * Limits of the number of requests, and of failed attempts such as wrong passwords.
 *
 * @module
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { getOrCreate } from '../../base/get-or-create.ts'
import { isPromise } from '../../base/promise.ts'
import { errorText, isInstance, memberOf } from '../../base/thrown.ts'
import { WaitingRoom } from '../../base/waiting-room.ts'
import {
  type ActionContext,
  type ActionDecorator,
  type Guard,
  makeDecorator,
} from '../../controllers/decorators/action-decorator.ts'
import { worded } from '../../http/error-texts.ts'
import { HTTPServiceUnavailable, HTTPTooManyRequests } from '../../http/exceptions.ts'
import { HTTPException } from '../../http/http-exception.ts'
import type { Body, Environ, HeaderPair, Middleware, StartResponse } from '../../wsgi/types.ts'
import { checkOptions, isFunction, isString, type OptionRule, oneOf } from '../check-options.ts'

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

/** A limit of requests, made by {@link limit}: middleware of an application, and a decorator of actions. */
export type RequestLimit = Middleware & ActionDecorator

/**
 * Limits the requests of a client, or of another key, within a window of time. Further requests are answered with 429,
 * `Retry-After` and a problem document for programs. All responses have the fields `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers-08 and later).
 *
 * As middleware it counts the requests of an application. As a decorator it counts the requests that reach an action,
 * with the right fields: `decorate(this, { create: [limit({ max: 30, window: 60 })] })`. Actions that share a limit
 * are counted together.
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
export function limit(options: LimitOptions): RequestLimit {
  const decide = decisions(options)
  const guard: Guard = (controller, args, proceed) => {
    const apply = ({ refusal, fields = [] }: Decision) => {
      if (refusal !== undefined) throw refusal
      for (const [name, value] of fields) controller.response.headers.append(name, value)
      return proceed(controller, args)
    }
    const decision = decide(controller.request.environ)
    return isPromise(decision) ? decision.then(apply) : apply(decision)
  }
  const middleware: Middleware = (app) => (environ, start_response) => {
    const apply = ({ refusal, fields }: Decision): Body | Promise<Body> => {
      if (refusal !== undefined) return refusal.send(environ, start_response)
      if (fields === undefined) return app(environ, start_response)
      const start: StartResponse = (status, headers, excInfo) =>
        start_response(status, [...headers, ...fields], excInfo)
      return app(environ, start)
    }
    const decision = decide(environ)
    return isPromise(decision) ? decision.then(apply) : apply(decision)
  }
  const decorator = makeDecorator('limit', () => guard)
  const either = (target: never, context?: ActionContext) =>
    context === undefined ? middleware(target) : decorator(target, context)
  // An application is called with no context of a method, a decorator always with one.
  return either as RequestLimit
}

/** The result of counting a request: the response that refuses it, or header fields of its response. */
interface Decision {
  readonly refusal?: HTTPException
  readonly fields?: readonly HeaderPair[]
}

/** Returns a function that counts a request. */
function decisions(options: LimitOptions): (environ: Environ) => Decision | Promise<Decision> {
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

  const decide = ({ used, seconds }: Usage): Decision => {
    isFailing = false
    const reset = Math.max(1, Math.ceil(seconds))
    const state: HeaderPair = ['RateLimit', `"${name}";r=${Math.max(0, max - used)};t=${reset}`]
    const fields = [policy, state]
    return used <= max ? { fields } : { refusal: tooManyRequests(reset, Object.fromEntries(fields)) }
  }
  return (environ) => {
    const key = keyOf(environ)
    if (key === undefined || key === null) return {}
    // A promise would be another key for each request, so that nothing would be limited.
    if (!isString(key)) {
      throw new TypeError(
        `limit(): key returned ${describeValue(key)}. Return text, or undefined for a request that is not limited; key cannot be asynchronous.`,
      )
    }
    const usage = count(shortKey(key))
    if (!isPromise(usage)) return decide(usage)
    return usage.then(decide, (error: unknown) => {
      if (!isFailing) {
        const effect = onFailure === 'refuse' ? 'refused' : 'allowed without a limit'
        environ['wsgi.errors'].write(
          `The store of limit "${name}" fails. Until it works again, requests are ${effect}.\n${errorText(error)}\n`,
        )
      }
      isFailing = true
      if (onFailure === 'allow') return {}
      const headers = { 'Retry-After': String(RETRY_AFTER_FAILURE) }
      return { refusal: new HTTPServiceUnavailable(undefined, headers) }
    })
  }
}

/** Counts a request of a key. */
type Count = (key: string) => Usage | Promise<Usage>

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

/** The members of a rate limiter of rate-limiter-flexible that are used: `get` reads a count, `penalty` adds to it. */
export interface FailureCounter {
  get(key: string): Promise<CounterState | null>
  penalty(key: string): Promise<CounterState>
}

export interface CounterState {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/** Options of {@link limitFailures}. */
export interface FailureLimitOptions {
  /** Number of failures within a window after which all attempts are refused. */
  readonly max: number
  /** Length of a window in whole seconds. It begins with the first failure of a key. */
  readonly window: number
  /** Name in the store: letters, digits, `_`, `-` and `.`. Default `default`. */
  readonly name?: string
  /** Creates a counter that several processes share. Default: counts in the memory of the process. */
  readonly store?: (rule: LimitRule) => FailureCounter
}

/** A limit of failed attempts, made by {@link limitFailures}. */
export interface FailureLimit {
  /**
   * Runs a check and returns its result. The attempt has failed, and is counted for each key, if the result is
   * undefined, null or false, or if the check throws an HTTPException with a status of 400 to 499. Other errors are
   * not counted.
   *
   * At most as many attempts of one key run at the same time as may still fail; up to 50 further ones wait for them.
   * So no number of parallel requests gets more attempts. An attempt that waits ends when its client leaves, if it
   * has the signal of the request.
   *
   * @param keys - the values for which failures are counted, by kind: `{ address, name_and_address }`. The kinds are
   *   counted apart. Attempts are refused if one of the values has too many failures. With a key for a name alone,
   *   anybody could
   *   lock out its owner.
   * @throws HTTPTooManyRequests - a value has too many failures, or too many attempts wait for it. The check did not
   *   run. `Retry-After` is the number of seconds until the window ends, or 1.
   * @throws the reason of the signal - it was aborted before the check ran.
   * @throws TypeError - a key is not text, or there is none.
   */
  attempt<Result>(
    keys: Readonly<Record<string, string>>,
    check: () => Result | Promise<Result>,
    options?: AttemptOptions,
  ): Promise<Result>
}

/** Options of an attempt. */
export interface AttemptOptions {
  /** The signal of the request: `this.request.signal`. */
  readonly signal?: AbortSignal | undefined
}

/** Maximum number of attempts that wait for one value. */
const MAX_WAITING = 50

/**
 * Limits the failures of attempts, such as wrong passwords: after `max` failures within `window` seconds for one key,
 * all attempts for that key are 429, until the window ends. Successful attempts are not counted.
 *
 * By default each process counts for itself, up to 100,000 keys, of which the oldest is forgotten first. With `store`
 * several processes count together, by a rate limiter of the package rate-limiter-flexible (Redis, PostgreSQL and
 * others). While the store fails, each process counts for itself; the failure is written to the console once.
 *
 * @throws TypeError - an option is missing, unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { clientAddress, limitFailures, safeEqual } from 'propylon/middleware'
 *
 * const failures = limitFailures({ max: 10, window: 60, name: 'login' })
 * const users = new Map([['joe', { password: 'correct horse' }]]) // An example: store hashes.
 *
 * function authenticate(name: string, password: string) {
 *   const user = users.get(name)
 *   return user !== undefined && safeEqual(user.password, password) ? user : undefined
 * }
 *
 * export class LoginController extends WSGIController {
 *   async create() {
 *     const form = await this.request.form()
 *     const [name, password] = [form.get('name') ?? '', form.get('password') ?? '']
 *     const address = clientAddress(this.request.environ)
 *     const keys = { address, name_and_address: `${name.toLowerCase()} ${address}` }
 *     const { signal } = this.request
 *     const user = await failures.attempt(keys, () => authenticate(name, password), { signal })
 *     return user === undefined ? 'Wrong name or password.' : `Welcome, ${name}!`
 *   }
 * }
 * ```
 */
export function limitFailures(options: FailureLimitOptions): FailureLimit {
  checkWindowOptions('limitFailures()', options)
  const { max, window, name = 'default' } = options
  // This process also counts its own failures if there is a store: they are known at once, and while the store fails.
  const counts = new MemoryCounts(window)
  const store = options.store?.({ keyPrefix: name, points: max, duration: window })
  const room = new WaitingRoom(MAX_WAITING, () => tooManyRequests(1))
  let isFailing = false

  /** Returns the result of a call of the store, or undefined if there is no store or it fails. */
  async function tryStore<T>(call: (store: FailureCounter) => Promise<T>): Promise<T | undefined> {
    if (store === undefined) return undefined
    try {
      const result = await call(store)
      isFailing = false
      return result
    } catch (error) {
      if (!isFailing) {
        console.error(
          `The store of limit "${name}" fails. Until it works again, this process counts for itself.\n${errorText(error)}`,
        )
      }
      isFailing = true
      return undefined
    }
  }

  /**
   * Returns how many attempts may run at the same time, for each name.
   *
   * @throws HTTPTooManyRequests, as a rejection, if one has failed too often.
   */
  async function freeOf(names: readonly string[]): Promise<number[]> {
    const shared = await tryStore((counter) => Promise.all(names.map((each) => counter.get(each))))
    // Read after the store, so that failures of this process in the meantime are included.
    const usages = names.map((each, at) => most(counts.get(each), shared?.[at]))
    const blocked = usages.filter(({ used }) => used >= max)
    if (blocked.length > 0) throw tooManyRequests(Math.max(...blocked.map(({ seconds }) => seconds)))
    return usages.map(({ used }) => max - used)
  }

  async function addFailure(names: readonly string[]): Promise<void> {
    for (const each of names) counts.add(each)
    await tryStore((counter) => Promise.all(names.map((each) => counter.penalty(each))))
  }

  return {
    async attempt(keys, check, options = {}) {
      const names = namesOf(keys)
      options.signal?.throwIfAborted()
      const leave = await room.enter(names, () => freeOf(names), options)
      let hasFailed = false
      try {
        const result = await check()
        hasFailed = result === undefined || result === null || result === false
        return result
      } catch (error) {
        hasFailed = isRefusal(error)
        throw error
      } finally {
        if (hasFailed) await addFailure(names)
        leave()
      }
    },
  }
}

function most(own: Usage, shared: CounterState | null | undefined): Usage {
  if (shared === null || shared === undefined || shared.consumedPoints <= own.used) return own
  return { used: shared.consumedPoints, seconds: shared.msBeforeNext / 1000 }
}

/** Returns true for the answer to an attempt that failed. Errors of the application say nothing about the attempt. */
function isRefusal(error: unknown): boolean {
  return isInstance(error, HTTPException) && error.status >= 400 && error.status < 500
}

function namesOf(keys: Readonly<Record<string, string>>): string[] {
  if (typeof keys !== 'object' || keys === null) {
    throw new TypeError(
      `attempt(): the keys are ${describeValue(keys)}. Pass them by kind: { address, name_and_address }.`,
    )
  }
  const names = Object.entries(keys).map(([kind, value]: [string, unknown]) => {
    if (isString(value)) return shortKey(`${kind}:${value}`)
    throw new TypeError(`attempt(): the key ${kind} is ${describeValue(value)}. Pass text.`)
  })
  if (names.length === 0) throw new TypeError('attempt() requires a key, for instance { address }.')
  return names
}

/**
 * Returns the address of a client, under which its requests are counted. An IPv6 address is cut to its network of 64
 * bits (RFC 4291 §2.5.1), because a client can use all addresses of its network. An IPv4-mapped address is the IPv4
 * address.
 *
 * Behind a proxy it is the address of the proxy, unless the server has `trustProxy`.
 *
 * @example
 * ```ts
 * import { clientAddress, limit } from 'propylon/middleware'
 *
 * // Requests of the health check are not limited.
 * export const limited = limit({
 *   max: 100,
 *   window: 60,
 *   key: (environ) => (environ.PATH_INFO === '/healthz' ? undefined : clientAddress(environ)),
 * })
 * ```
 */
export function clientAddress({ REMOTE_ADDR: address = '' }: Environ): string {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1]
  return mapped ?? networkOf(withoutZone) ?? address
}

function networkOf(address: string): string | undefined {
  const url = `http://[${address}]`
  if (!URL.canParse(url)) return undefined
  // The shortest form, with a :: for the longest row of zeros.
  const [before = '', after] = new URL(url).hostname.slice(1, -1).split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const last = after === '' ? [] : after.split(':')
    const zeros = Array.from({ length: 8 - groups.length - last.length }, () => '0')
    groups.push(...zeros, ...last)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** The arguments with which a store creates its rate limiter, as rate-limiter-flexible names them. */
export interface LimitRule {
  /** Beginning of the keys: the name of the limit. */
  readonly keyPrefix: string
  /** Requests within a window. */
  readonly points: number
  /** Length of a window in seconds. */
  readonly duration: number
}

/** Longer keys are replaced by their hash, because clients may choose them. */
const MAX_KEY_LENGTH = 64

/** Returns a key of limited length. */
function shortKey(key: string): string {
  return key.length > MAX_KEY_LENGTH ? encodeBase64(sha256(encodeUtf8(key))) : key
}

/** Returns the response 429 of a window that ends in a number of seconds. */
function tooManyRequests(seconds: number, fields: Readonly<Record<string, string>> = {}): HTTPTooManyRequests {
  const left = Math.max(1, Math.ceil(seconds))
  const key = left === 1 ? 'propylon.limit.second' : 'propylon.limit.seconds'
  return worded(HTTPTooManyRequests, key, { seconds: left }, { headers: { 'Retry-After': String(left), ...fields } })
}

/**
 * Checks the options of a limit.
 *
 * @param place - the function, for error messages: `limit()`.
 * @param more - the rules of its other options.
 * @throws TypeError - an option is missing, unknown or has a wrong value.
 */
function checkWindowOptions(
  place: string,
  options: LimitOptions | FailureLimitOptions,
  more: Readonly<Record<string, OptionRule>> = {},
): void {
  const isPositive = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0
  const rules: Readonly<Record<string, OptionRule>> = {
    max: [isPositive, 'a whole number of requests from 1'],
    window: [isPositive, 'a whole number of seconds from 1'],
    ...more,
    name: [
      (value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value),
      'up to 64 letters, digits, _, - and .',
    ],
    store: [isFunction, 'a function that returns a rate limiter of rate-limiter-flexible'],
  }
  checkOptions(place, options, rules, ['max', 'window'])
  if (options.store !== undefined && options.name === undefined) {
    throw new TypeError(`${place} requires a name with store, because limits of the same name share their counts.`)
  }
}

/** Maximum number of keys. Each takes about 200 bytes. */
const MAX_KEYS = 100_000

/** The requests of a key in its window. */
interface Usage {
  /** Number of requests so far. */
  readonly used: number
  /** Time until the window ends, in seconds. */
  readonly seconds: number
}

interface Window {
  used: number
  readonly end: number
}

/** Counts the requests of each key in windows of equal length, in memory. */
class MemoryCounts {
  readonly #milliseconds: number
  // In the order in which the windows begin and end.
  readonly #windows = new Map<string, Window>()
  // One iterator for all removals. A new one would skip each entry that was removed before.
  #entries = this.#windows.entries()
  #oldest: [key: string, window: Window] | undefined

  /** @param seconds - the length of a window. */
  constructor(seconds: number) {
    this.#milliseconds = seconds * 1000
  }

  /** Returns the requests of a key so far. */
  get(key: string): Usage {
    const now = performance.now()
    this.#trim(now)
    const { used, end } = this.#windows.get(key) ?? { used: 0, end: now }
    return { used, seconds: (end - now) / 1000 }
  }

  /**
   * Counts a request, and returns the requests so far, with this one. A window begins with the first request of a
   * key.
   */
  add(key: string): Usage {
    const now = performance.now()
    this.#trim(now)
    const window = getOrCreate(this.#windows, key, () => ({ used: 0, end: now + this.#milliseconds }))
    window.used += 1
    return { used: window.used, seconds: (window.end - now) / 1000 }
  }

  /** Removes the windows that have ended, and the oldest ones if there are too many. */
  #trim(now: number): void {
    while (this.#windows.size > 0) {
      this.#oldest ??= this.#entries.next().value
      // An iterator that has ended does not return what is added later.
      if (this.#oldest === undefined) this.#entries = this.#windows.entries()
      else if (this.#oldest[1].end > now && this.#windows.size <= MAX_KEYS) return
      else {
        this.#windows.delete(this.#oldest[0])
        this.#oldest = undefined
      }
    }
  }
}
