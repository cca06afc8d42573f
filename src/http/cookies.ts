/**
 * Parses and formats cookies (RFC 6265bis).
 *
 * @module
 */

import { type CookieSerializeOptions, parseCookie, serializeCookie } from 'cookie-es'
import { decodeUri } from '../base/decode-uri.ts'

/** Attributes of a Set-Cookie header. */
export interface CookieOptions {
  /** URL path whose requests carry the cookie. Defaults to `/`. */
  path?: string
  /**
   * Host whose requests carry the cookie, and the requests of its sub-domains. Defaults to the host that set it,
   * alone.
   */
  domain?: string
  /** Lifetime in seconds, a whole number. Defaults to the browser's session. */
  maxAge?: number
  /** Expiry date. Browsers ignore it if there is a `maxAge`. */
  expires?: Date
  /** Whether scripts cannot read the cookie. Defaults to true. */
  httpOnly?: boolean
  /**
   * Whether it is sent over https only. Defaults to false. `sameSite: 'none'` and names that begin with `__Secure-`,
   * `__Host-` or `__Http-` require it.
   */
  secure?: boolean
  /**
   * The attribute SameSite: requests from other sites that carry the cookie. Defaults to `lax`. `false` omits the
   * attribute.
   */
  sameSite?: 'lax' | 'strict' | 'none' | false
  /** Whether browsers store it separately for each top-level site. Requires `secure`. */
  partitioned?: boolean
  /** Priority among the cookies of a host. Browsers evict cookies of low priority first. */
  priority?: 'low' | 'medium' | 'high'
}

/**
 * Parses a Cookie header. The first cookie of a name wins. Values are percent-decoded, or unchanged if they are
 * malformed. Quotes around a value are removed.
 *
 * @returns a record without a prototype.
 *
 * @example
 * ```ts
 * import { parseCookies } from 'propylon/http'
 *
 * parseCookies('theme=dark; id=7').theme // 'dark'
 * ```
 */
export function parseCookies(header: string): Record<string, string> {
  return Object.assign(Object.create(null), parseCookie(header, { decode: decodeValue }))
}

/** Decodes a value as it was sent (RFC 6265 §4.1.1). */
function decodeValue(sent: string): string {
  const value = /^"(.*)"$/.exec(sent)?.[1] ?? sent
  return value.includes('%') ? (decodeUri(value) ?? value) : value
}

/**
 * Formats a Set-Cookie value. The cookie's value may be any text: it is percent-encoded.
 *
 * @throws TypeError - the name or an attribute is invalid, or the name has a prefix whose attributes are missing.
 *
 * @example
 * ```ts
 * import { formatCookie } from 'propylon/http'
 *
 * formatCookie('theme', 'dark') // 'theme=dark; Path=/; HttpOnly; SameSite=Lax'
 * ```
 */
export function formatCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (typeof value !== 'string')
    throw new TypeError(`The value of the cookie ${name} has the type ${typeof value}. Give a string.`)
  const attributes: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', ...options }
  checkPrefix(name, attributes)
  return serializeCookie(name, value.toWellFormed(), attributes)
}

/** Attributes that the prefix of a cookie's name requires. */
export interface PrefixRules {
  readonly secure: boolean
  /** Whether the path is `/` and there is no domain. */
  readonly hostOnly: boolean
  readonly httpOnly: boolean
}

/**
 * Returns the attributes that the prefix of a name requires (RFC 6265bis §4.1.3). Browsers ignore the case of the
 * prefix.
 */
export function prefixRules(name: string): PrefixRules {
  const secure = /^__(?:secure|host|http)-/i.test(name)
  return { secure, hostOnly: /^__host-/i.test(name), httpOnly: /^__(?:host-)?http-/i.test(name) }
}

/** @throws TypeError - browsers would drop the cookie without a message, because of its name. */
function checkPrefix(name: string, { secure, path, domain, httpOnly }: CookieSerializeOptions): void {
  const rules = prefixRules(name)
  const missing: string[] = []
  if (rules.secure && secure !== true) missing.push('must have the Secure attribute')
  if (rules.hostOnly && path !== '/') missing.push('must have Path=/')
  if (rules.hostOnly && domain) missing.push('must not have a Domain attribute')
  if (rules.httpOnly && httpOnly !== true) missing.push('must have the HttpOnly attribute')
  if (missing.length === 0) return
  throw new TypeError(
    `The cookie ${name} ${missing.join(' and ')}, because of the prefix of its name: browsers drop it otherwise.`,
  )
}
