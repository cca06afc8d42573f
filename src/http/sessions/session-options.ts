/** Options of sessions, and their checks. */

import { describeValue } from '../../base/describe.ts'
import { checkNames } from '../../base/suggest.ts'
import type { CookieOptions } from '../cookies.ts'
import type { SessionStore } from './store.ts'

/** Options of sessions. */
export interface SessionOptions {
  /**
   * Secret that signs the cookie, at least 32 characters. In a list, the first one signs and all are accepted, so
   * that a secret can be replaced without ending all sessions.
   */
  readonly secret: string | readonly string[]
  /** Keeps the values, so that the cookie has only an id. Without a store the values are in the cookie. */
  readonly store?: SessionStore
  /**
   * Seconds after the last use of a session at which it ends. Defaults to 14 days. The time is extended once 1 % of
   * it has passed, so that most requests write nothing.
   */
  readonly idle?: number
  /** Seconds after the beginning of a session at which it ends, however it is used. Defaults to no limit. */
  readonly lifetime?: number
  /** Name and attributes of the cookie. */
  readonly cookie?: SessionCookieOptions
  /** Whether to encrypt the values in the cookie, with AES-GCM. Defaults to false. Not for sessions in a store. */
  readonly encrypt?: boolean
  /** Maximum size of the values in a store as JSON, in bytes. Defaults to 64 KiB. A cookie holds 4 KiB in any case. */
  readonly maxBytes?: number
}

/**
 * Name and attributes of the session's cookie. It ends with the browser unless `session.remember(seconds)` keeps it.
 *
 * `Secure` defaults to whether the request came over https, the path to SCRIPT_NAME, `httpOnly` to true and
 * `sameSite` to `lax`. Names that begin with `__Host-`, `__Secure-` or `__Http-` make the cookie `Secure`, and
 * `__Host-` makes its path `/`, because browsers refuse other cookies with these names (RFC 6265bis §4.1.3).
 */
export interface SessionCookieOptions extends Omit<CookieOptions, 'maxAge' | 'expires'> {
  /** Name of the cookie. Defaults to `session`. */
  readonly name?: string
}

const MIN_SECRET_LENGTH = 32

/** Checked options. */
export interface SessionSettings {
  readonly secrets: readonly string[]
  /** Seconds. */
  readonly idle: number
  /** Seconds, `Infinity` for no limit. */
  readonly lifetime: number
  readonly maxBytes: number
}

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError - an option is unknown or has the wrong type, or a secret has less than 32 characters.
 * @throws RangeError - a number is not above 0.
 */
export function checkOptions(options: SessionOptions): SessionSettings {
  checkNames('session', options, 'secret store idle lifetime cookie encrypt maxBytes')
  const { store, encrypt, idle = 14 * 24 * 60 * 60, lifetime, maxBytes = 64 * 1024 } = options
  if (store !== undefined) checkStore(store)
  if (store !== undefined && encrypt === true) {
    throw new TypeError(
      'session.encrypt is for values in the cookie. With a store the cookie has only an id: remove encrypt.',
    )
  }
  checkPositive('idle', idle)
  if (lifetime !== undefined) checkPositive('lifetime', lifetime)
  checkPositive('maxBytes', maxBytes)
  return { secrets: secretsOf(options), idle, lifetime: lifetime ?? Number.POSITIVE_INFINITY, maxBytes }
}

function checkPositive(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return
  throw new RangeError(`session.${name} is ${describeValue(value)}. Give a number above 0.`)
}

function checkStore(store: SessionStore): void {
  const missing = (['get', 'set', 'delete'] as const).filter((name) => typeof store[name] !== 'function')
  if (missing.length === 0) return
  throw new TypeError(
    `session.store has no ${missing.join(', ')}. A store is { get(id), set(id, values, seconds), delete(id) }, such as memoryStore() of propylon/sessions.`,
  )
}

function secretsOf({ secret }: SessionOptions): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const strings = secrets.filter((each) => typeof each === 'string')
  if (secrets.length > 0 && strings.length === secrets.length) {
    if (strings.every((each) => each.length >= MIN_SECRET_LENGTH)) return strings
  }
  throw new TypeError(
    `A session secret must have at least ${MIN_SECRET_LENGTH} characters. Generate one with: openssl rand -base64 32`,
  )
}
