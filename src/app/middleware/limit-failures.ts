/**
 * Limits of failed attempts, such as wrong passwords.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { errorText, isInstance } from '../../base/thrown.ts'
import { WaitingRoom } from '../../base/waiting-room.ts'
import { HTTPException } from '../../http/http-exception.ts'
import { isFunction, isString } from '../check-options.ts'
import { checkWindowOptions, type LimitRule, shortKey, tooManyRequests } from './limit-rule.ts'
import { MemoryCounts, type Usage } from './memory-counts.ts'

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
      if (!isFunction(check)) {
        throw new TypeError(
          `attempt(): the check is ${describeValue(check)}. Pass a function that returns the result of the attempt.`,
        )
      }
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
