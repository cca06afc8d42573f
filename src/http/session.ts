/** A visitor's session, kept in a signed cookie. */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { encodeUtf8 } from '../wsgi/bytes.ts'
import type { CookieOptions } from './cookies.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'
import { isSameSecret } from './secrets.ts'

/** What JSON can hold: a session's values must survive the way through a cookie. */
export type SessionValue = string | number | boolean | null | SessionValue[] | { [key: string]: SessionValue }

/** How sessions are kept. */
export interface SessionOptions {
  /**
   * The secret that signs the cookie, at least 32 characters; or several, of which the first signs and all are
   * accepted, so that a secret can be replaced without logging everybody out.
   */
  readonly secret: string | readonly string[]
  /** The cookie's name; `session` when absent. */
  readonly name?: string
  /**
   * Lifetime of a session that nobody touches, in seconds; 14 days when absent. A request that reads or changes the
   * session starts it anew. To spare responses a Set-Cookie each, reading does so only once 1 % of it has passed.
   */
  readonly maxAge?: number
  /** Attributes of the cookie beyond the defaults (HttpOnly, SameSite=Lax, Path=/). */
  readonly cookie?: Partial<CookieOptions>
}

/** Browsers keep no larger cookies (RFC 6265 §6.1). */
const MAX_COOKIE_LENGTH = 4096
const MIN_SECRET_LENGTH = 32
const FLASH_KEY = '_flash'

/** Name of the value that authenticates forms. It belongs to one login, see {@link Session.regenerate}. */
export const AUTHENTICATION_TOKEN_KEY = '_authentication_token'

/** Fraction of the lifetime after which a cookie is sent again when its session is read. */
const RENEWAL_FRACTION = 0.01

/**
 * The session of one visitor: values by name. The visitor can read it, but not change it: it is signed, not encrypted.
 */
export class Session {
  readonly #values: Map<string, SessionValue>
  readonly #flashed: ReadonlyMap<string, SessionValue>
  #changed: boolean
  #used = false
  readonly #renewable: boolean

  /**
   * @param values - the values of the cookie.
   * @param renewable - whether the cookie is old enough to be sent again once the session has been read.
   */
  constructor(values: Readonly<Record<string, SessionValue>> = {}, renewable = false) {
    this.#renewable = renewable
    this.#values = new Map(Object.entries(values))
    const flashed = this.#values.get(FLASH_KEY)
    this.#flashed = new Map(isRecord(flashed) ? Object.entries(flashed) : [])
    // What was flashed lives for one request: this one.
    this.#changed = this.#values.delete(FLASH_KEY)
  }

  /** Whether a value has changed. */
  get changed(): boolean {
    return this.#changed
  }

  /** Whether the cookie must be sent: a value has changed, or the session was read and its cookie is to be renewed. */
  get unsaved(): boolean {
    return this.#changed || (this.#renewable && this.#used)
  }

  /** Whether anybody has read or changed a value, so that the answer may depend on whose session it is. */
  get used(): boolean {
    return this.#used
  }

  /** Whether the session holds nothing. */
  get empty(): boolean {
    this.#used = true
    return this.#values.size === 0
  }

  get(name: string): SessionValue | undefined {
    this.#used = true
    return this.#values.get(name)
  }

  has(name: string): boolean {
    this.#used = true
    return this.#values.has(name)
  }

  set(name: string, value: SessionValue): this {
    this.#values.set(name, value)
    this.#changed = true
    this.#used = true
    return this
  }

  delete(name: string): boolean {
    const had = this.#values.delete(name)
    this.#changed ||= had
    this.#used = true
    return had
  }

  /** Forgets everything, as on logging out. */
  clear(): void {
    this.#changed ||= this.#values.size > 0
    this.#values.clear()
    this.#used = true
  }

  /**
   * Separates the session from what was issued before. Call it when the visitor logs in or gains rights. It keeps the
   * values and drops the authentication token, so that forms shown before are refused.
   */
  regenerate(): this {
    this.delete(AUTHENTICATION_TOKEN_KEY)
    return this
  }

  /** What the request before this one flashed under a name. */
  flashed(name: string): SessionValue | undefined {
    this.#used = true
    return this.#flashed.get(name)
  }

  /** Keeps a value for the next request alone: a message to show after a redirect. */
  flash(name: string, value: SessionValue): this {
    const flash = this.#values.get(FLASH_KEY)
    return this.set(FLASH_KEY, { ...(isRecord(flash) ? flash : {}), [name]: value })
  }

  /** The values as JSON holds them. */
  toJSON(): Record<string, SessionValue> {
    this.#used = true
    return Object.fromEntries(this.#values)
  }
}

/** Reads sessions from requests and writes them to responses. */
export class SessionCookies {
  readonly #keys: readonly Uint8Array[]
  readonly #name: string
  readonly #maxAge: number
  readonly #cookie: Partial<CookieOptions>

  /** @throws TypeError when there is no secret or one of less than 32 characters. */
  constructor(options: SessionOptions) {
    const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
    if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
      throw new TypeError(
        `A session secret must have at least ${MIN_SECRET_LENGTH} characters; take random ones`,
      )
    }
    this.#keys = secrets.map(encodeUtf8)
    this.#name = options.name ?? 'session'
    this.#maxAge = options.maxAge ?? 14 * 24 * 60 * 60
    this.#cookie = options.cookie ?? {}
  }

  /** The session of a request; an empty one where the cookie is missing, expired or not signed by us. */
  open(request: Request): Session {
    const cookie = request.cookies[this.#name]
    return (cookie === undefined ? undefined : this.#read(cookie)) ?? new Session()
  }

  /** Sends the session along with a response when it has changed, or was read and its cookie is to be renewed. */
  save(session: Session, response: Response): void {
    if (!session.unsaved) return
    if (session.empty) {
      response.deleteCookie(this.#name, this.#cookie)
      return
    }
    const payload = toBase64Url(encodeUtf8(JSON.stringify({ until: now() + this.#maxAge, values: session })))
    const value = `${payload}.${this.#sign(payload, this.#keys[0] as Uint8Array)}`
    if (this.#name.length + value.length > MAX_COOKIE_LENGTH) {
      throw new RangeError(
        `The session takes ${value.length} characters, more than the ${MAX_COOKIE_LENGTH} of a cookie. Keep less in it: an id, and the rest in a database`,
      )
    }
    response.setCookie(this.#name, value, { maxAge: this.#maxAge, ...this.#cookie })
  }

  #read(cookie: string): Session | undefined {
    const dot = cookie.lastIndexOf('.')
    const payload = cookie.slice(0, Math.max(dot, 0))
    const signature = cookie.slice(dot + 1)
    if (!this.#keys.some((key) => isSameSecret(this.#sign(payload, key), signature))) return undefined
    const content: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)))
    if (!isRecord(content) || typeof content.until !== 'number' || !isRecord(content.values)) return undefined
    const left = content.until - now()
    if (left < 0) return undefined
    const renewable = left <= this.#maxAge * (1 - RENEWAL_FRACTION)
    return new Session(content.values as Record<string, SessionValue>, renewable)
  }

  /** The name is signed with the value, so that one cookie cannot stand in for another. */
  #sign(payload: string, key: Uint8Array): string {
    return toBase64Url(hmac(sha256, key, encodeUtf8(`${this.#name}=${payload}`)))
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

function isRecord(value: unknown): value is Record<string, unknown> & { [key: string]: SessionValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
}
