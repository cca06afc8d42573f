import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { worded } from '../../http/error-texts.ts'
import { HTTPTooManyRequests } from '../../http/exceptions.ts'
import { checkOptions, isFunction, type OptionRule } from '../check-options.ts'

/** The arguments with which a store creates its rate limiter, as rate-limiter-flexible names them. */
export interface LimitRule {
  /** Beginning of the keys: the name of the limit. */
  readonly keyPrefix: string
  /** Requests within a window. */
  readonly points: number
  /** Length of a window in seconds. */
  readonly duration: number
}

/** The options that all limits have. */
interface WindowOptions {
  readonly max: number
  readonly window: number
  readonly name?: string
  readonly store?: unknown
}

/** Longer keys are replaced by their hash, because clients may choose them. */
const MAX_KEY_LENGTH = 64

/** Returns a key of limited length. */
export function shortKey(key: string): string {
  return key.length > MAX_KEY_LENGTH ? encodeBase64(sha256(encodeUtf8(key))) : key
}

/** Returns the response 429 of a window that ends in a number of seconds. */
export function tooManyRequests(seconds: number): HTTPTooManyRequests {
  const left = Math.max(1, Math.ceil(seconds))
  const key = left === 1 ? 'propylon.limit.second' : 'propylon.limit.seconds'
  return worded(HTTPTooManyRequests, key, { seconds: left }, { headers: { 'Retry-After': String(left) } })
}

/**
 * Checks the options of a limit.
 *
 * @param place - the function, for error messages: `limit()`.
 * @param more - the rules of its other options.
 * @throws TypeError - an option is missing, unknown or has a wrong value.
 */
export function checkWindowOptions(
  place: string,
  options: WindowOptions,
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
