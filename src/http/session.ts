/**
 * Sessions in signed cookies.
 *
 * @module
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase64Url, encodeBase64Url } from '../wsgi/base64.ts'
import { encodeUtf8 } from '../wsgi/bytes.ts'
import { isRecord } from '../wsgi/record.ts'
import type { CookieOptions } from './cookies.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/** A value of a session: any JSON value. */
export type SessionValue = string | number | boolean | null | SessionValue[] | { [key: string]: SessionValue }

/** Options of sessions. */
export interface SessionOptions {
  /**
   * Secret that signs the cookie, at least 32 characters. In a list, the first one signs and all are accepted, so that a
   * secret can be replaced without ending all sessions.
   */
  readonly secret: string | readonly string[]
  /** Name of the cookie. Defaults to `session`. */
  readonly name?: string
  /**
   * Lifetime of a session in seconds, counted from its last use. Defaults to 14 days. A request that only reads the
   * session extends it once 1 % of the lifetime has passed, so that most responses need no Set-Cookie.
   */
  readonly maxAge?: number
  /** Attributes of the cookie. Defaults to HttpOnly, SameSite=Lax and Path=/. */
  readonly cookie?: Partial<CookieOptions>
}

/** Maximum length of a cookie that every browser stores (RFC 6265 §6.1). */
const MAX_COOKIE_LENGTH = 4096
const MIN_SECRET_LENGTH = 32
const FLASH_KEY = '_flash'

/** Name of the value that authenticates forms. {@link Session.regenerate} deletes it. */
export const AUTHENTICATION_TOKEN_KEY = '_authentication_token'

/** Fraction of the lifetime after which a cookie is sent again when its session is read. */
const RENEWAL_FRACTION = 0.01

/**
 * The session of a visitor: values by name. It is signed and not encrypted: the visitor can read it, but not change it.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class LoginController extends WSGIController {
 *   create() {
 *     this.session.regenerate().set('user', 'joe').flash('notice', 'Welcome back!')
 *   }
 * }
 * ```
 */
export class Session {
  readonly #values: Map<string, SessionValue>
  readonly #flashed: ReadonlyMap<string, SessionValue>
  #changed: boolean
  #used = false
  readonly #renewable: boolean

  /**
   * @param values - the values of the cookie.
   * @param renewable - whether reading the session renews the cookie.
   */
  constructor(values: Readonly<Record<string, SessionValue>> = {}, renewable = false) {
    this.#renewable = renewable
    this.#values = new Map(Object.entries(values))
    const flashed = this.#values.get(FLASH_KEY)
    this.#flashed = new Map(isRecord(flashed) ? Object.entries(flashed) : [])
    // Flashed values last for one request.
    this.#changed = this.#values.delete(FLASH_KEY)
  }

  /** Whether a value has changed. */
  get changed(): boolean {
    return this.#changed
  }

  /** Whether the cookie must be sent: a value has changed, or the session was read and its cookie is due for renewal. */
  get unsaved(): boolean {
    return this.#changed || (this.#renewable && this.#used)
  }

  /** Whether a value was read or changed, so that the response may depend on the session. */
  get used(): boolean {
    return this.#used
  }

  /** Whether the session has no values. */
  get empty(): boolean {
    this.#used = true
    return this.#values.size === 0
  }

  /** Returns a value, or `undefined`. */
  get(name: string): SessionValue | undefined {
    this.#used = true
    return this.#values.get(name)
  }

  /** Returns true if there is a value with this name. */
  has(name: string): boolean {
    this.#used = true
    return this.#values.has(name)
  }

  /** Sets a value. */
  set(name: string, value: SessionValue): this {
    this.#values.set(name, value)
    this.#changed = true
    this.#used = true
    return this
  }

  /** Deletes a value. Returns whether it existed. */
  delete(name: string): boolean {
    const had = this.#values.delete(name)
    this.#changed ||= had
    this.#used = true
    return had
  }

  /** Deletes all values, for instance at logout. */
  clear(): void {
    this.#changed ||= this.#values.size > 0
    this.#values.clear()
    this.#used = true
  }

  /**
   * Invalidates the forms that were shown before, by deleting the authentication token, and keeps the other values. Call
   * it when the visitor logs in or gains rights.
   */
  regenerate(): this {
    this.delete(AUTHENTICATION_TOKEN_KEY)
    return this
  }

  /** Returns a value that the previous request passed to {@link flash}, or `undefined`. */
  flashed(name: string): SessionValue | undefined {
    this.#used = true
    return this.#flashed.get(name)
  }

  /** Keeps a value for the next request only, such as a message to show after a redirect. */
  flash(name: string, value: SessionValue): this {
    const flash = this.#values.get(FLASH_KEY)
    return this.set(FLASH_KEY, { ...(isRecord(flash) ? flash : {}), [name]: value })
  }

  /** Returns the values. */
  toJSON(): Record<string, SessionValue> {
    this.#used = true
    return Object.fromEntries(this.#values)
  }
}

/** Loads sessions from requests and saves them to responses. */
export class SessionCookies {
  readonly #keys: readonly Uint8Array[]
  readonly #name: string
  readonly #maxAge: number
  readonly #cookie: Partial<CookieOptions>

  /** @throws TypeError - there is no secret, or one with less than 32 characters. */
  constructor(options: SessionOptions) {
    const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
    if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
      throw new TypeError(
        `A session secret must have at least ${MIN_SECRET_LENGTH} characters. Generate one with: openssl rand -base64 32`,
      )
    }
    this.#keys = secrets.map(encodeUtf8)
    this.#name = options.name ?? 'session'
    this.#maxAge = options.maxAge ?? 14 * 24 * 60 * 60
    this.#cookie = options.cookie ?? {}
  }

  /** Returns the session of a request: an empty one if the cookie is missing, expired or not signed with a secret. */
  open(request: Request): Session {
    const cookie = request.cookies[this.#name]
    return (cookie === undefined ? undefined : this.#read(cookie)) ?? new Session()
  }

  /**
   * Adds the headers of a session to a response. The cookie is set if a value has changed, or if the session was read
   * and its cookie is due for renewal. If the session was used at all, the response is for this visitor: it varies by
   * Cookie, and shared caches may not store it unless its own Cache-Control permits that.
   */
  save(session: Session, response: Response): void {
    if (session.used || session.changed) {
      response.headers.addToken('Vary', 'Cookie').setDefault('Cache-Control', 'private')
    }
    if (!session.unsaved) return
    if (session.empty) {
      response.deleteCookie(this.#name, this.#cookie)
      return
    }
    const payload = encodeBase64Url(
      encodeUtf8(JSON.stringify({ until: now() + this.#maxAge, values: session })),
    )
    const value = `${payload}.${this.#sign(payload, this.#keys[0] as Uint8Array)}`
    if (this.#name.length + value.length > MAX_COOKIE_LENGTH) {
      throw new RangeError(
        `The session has ${value.length} characters, but a cookie holds ${MAX_COOKIE_LENGTH} at most. Keep an id in the session and the rest in a database.`,
      )
    }
    response.setCookie(this.#name, value, { maxAge: this.#maxAge, ...this.#cookie })
  }

  #read(cookie: string): Session | undefined {
    const dot = cookie.lastIndexOf('.')
    const payload = cookie.slice(0, Math.max(dot, 0))
    const signature = cookie.slice(dot + 1)
    if (!this.#keys.some((key) => isSameSecret(this.#sign(payload, key), signature))) return undefined
    const content: unknown = JSON.parse(new TextDecoder().decode(decodeBase64Url(payload)))
    if (!isRecord(content) || typeof content.until !== 'number' || !isRecord(content.values)) return undefined
    const left = content.until - now()
    if (left < 0) return undefined
    const renewable = left <= this.#maxAge * (1 - RENEWAL_FRACTION)
    return new Session(content.values as Record<string, SessionValue>, renewable)
  }

  /** Signs the name with the payload, so that the value of another cookie is not accepted. */
  #sign(payload: string, key: Uint8Array): string {
    return encodeBase64Url(hmac(sha256, key, encodeUtf8(`${this.#name}=${payload}`)))
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** Compares two secrets in constant time, so that the duration does not reveal the position of a difference. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
