/**
 * The cookies of a test browser, kept by tough-cookie (RFC 6265).
 *
 * @module
 */

import type { Cookie, CookieJar as ToughJar } from 'tough-cookie'
import { decodeUri } from '../../base/decode-uri.ts'
import { optionalPackage } from './packages.ts'

/** A cookie in the jar. The value is as it was sent, not decoded. */
export interface StoredCookie {
  readonly name: string
  readonly value: string
  /** The host that the cookie belongs to. */
  readonly domain: string
  /** Whether the cookie is sent to `domain` only, and not to its sub-domains. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
  /** Expiry time in milliseconds since 1970; `undefined` for a session cookie. */
  readonly expires: number | undefined
}

/** Attributes of a cookie that a test sets. */
export interface CookieAttributes {
  /** A host, which receives the cookie together with its sub-domains. Default: only the application's own host. */
  domain?: string
  /** Default `/`. */
  path?: string
  /** Default `false`. */
  secure?: boolean
}

// RFC 6265bis §5.6: a browser ignores a cookie whose name and value have more bytes. tough-cookie has no limit.
const MAX_COOKIE_LENGTH = 4096

/**
 * Stores the cookies that an application sets, and selects those to send with a request.
 *
 * A cookie with `Secure` is stored, and sent over https only. SameSite has no effect, because every request of a test
 * comes from the application's own site. Requires the package `tough-cookie` once a cookie is set.
 *
 * @example
 * ```ts
 * import { CookieJar } from 'propylon/testing'
 *
 * const jar = new CookieJar('http://localhost/')
 * jar.set('language', 'en', { path: '/users' })
 * jar.get('language') // 'en'
 * jar.header(new URL('http://localhost/users/ann')) // 'language=en'
 * jar.header(new URL('http://localhost/')) // ''
 * ```
 */
export class CookieJar implements Iterable<StoredCookie> {
  readonly #url: URL
  #jar: ToughJar | undefined

  /** @param url - the application's address, used by {@link set}. */
  constructor(url: URL | string = 'http://localhost/') {
    this.#url = new URL(url)
  }

  /** Returns the value of the newest cookie with that name, percent-decoded if possible. */
  get(name: string): string | undefined {
    const cookie = [...this].findLast((candidate) => candidate.name === name)
    return cookie && (decodeUri(cookie.value) ?? cookie.value)
  }

  /**
   * Adds a cookie. The value is percent-encoded.
   *
   * @throws TypeError - the name is not a token (RFC 6265 §4.1.1).
   */
  set(name: string, value: string, attributes: CookieAttributes = {}): void {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new TypeError(`${JSON.stringify(name)} is not a cookie name. Use letters, digits and !#$%&'*+-.^_\`|~`)
    }
    const { path = '/', secure = false } = attributes
    const domain = (attributes.domain ?? this.#url.hostname).toLowerCase()
    const { Cookie } = optionalPackage('tough-cookie')
    const hostOnly = attributes.domain === undefined
    const cookie = new Cookie({ key: name, value: encodeURIComponent(value), domain, hostOnly, path, secure })
    this.#open().store.putCookie(cookie, () => {})
  }

  /** Removes the cookies with that name. */
  delete(name: string): void {
    for (const { key, domain, path } of this.#cookies()) {
      if (key === name) this.#jar?.store.removeCookie(domain ?? '', path ?? '', key, () => {})
    }
  }

  /** Removes all cookies. */
  clear(): void {
    this.#jar = undefined
  }

  /** Iterates over the cookies that have not expired, in the order in which they were first set. */
  *[Symbol.iterator](): Generator<StoredCookie> {
    for (const cookie of this.#cookies()) {
      const stored = toStored(cookie)
      if (stored.expires === undefined || stored.expires > Date.now()) yield stored
    }
  }

  /**
   * Stores the cookie of a Set-Cookie header as a browser does (RFC 6265 §5.2 and §5.3).
   *
   * @param setCookie - the header's value.
   * @param url - the URL of the request.
   * @returns whether the cookie was accepted. A malformed cookie, or one for another host, is ignored.
   */
  store(setCookie: string, url: URL): boolean {
    const cookie = optionalPackage('tough-cookie').Cookie.parse(setCookie, { loose: true })
    if (cookie === undefined) return false
    const length = cookie.key.length + cookie.value.length
    if (length === 0 || length > MAX_COOKIE_LENGTH) return false
    // tough-cookie counts Max-Age from the last read, so each request would prolong the cookie.
    if (typeof cookie.maxAge === 'number') {
      cookie.setExpires(new Date(Date.now() + cookie.maxAge * 1000))
      cookie.maxAge = null
    }
    return this.#open().setCookieSync(cookie, url.href, { ignoreError: true }) !== undefined
  }

  /** Returns the Cookie header of a request to `url` (RFC 6265 §5.4), or `''` if no cookie matches. */
  header(url: URL): string {
    return this.#jar?.getCookieStringSync(url.href) ?? ''
  }

  #open(): ToughJar {
    const { CookieJar } = optionalPackage('tough-cookie')
    const options = { allowSecureOnLocal: false, enforceSecureOriginOnStorage: false }
    this.#jar ??= new CookieJar(undefined, options)
    return this.#jar
  }

  #cookies(): readonly Cookie[] {
    let found: readonly Cookie[] = []
    // The store calls back before it returns, because it is synchronous.
    this.#jar?.store.getAllCookies((_error, cookies) => {
      found = cookies ?? []
    })
    return found
  }
}

function toStored(cookie: Cookie): StoredCookie {
  return {
    name: cookie.key,
    value: cookie.value,
    domain: cookie.domain ?? '',
    hostOnly: cookie.hostOnly ?? false,
    path: cookie.path ?? '/',
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    expires: cookie.expires instanceof Date ? cookie.expires.getTime() : undefined,
  }
}
