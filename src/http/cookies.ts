/**
 * Cookies (RFC 6265bis), both ways.
 *
 * @module
 */

import { type CookieSerializeOptions, parseCookie, serializeCookie } from 'cookie-es'

/** The attributes of a cookie that is set. */
export interface CookieOptions {
  /** The URL path under which the cookie is sent back; default `/`. */
  path?: string
  /** The host, with its sub-domains; default: only the host that set it. */
  domain?: string
  /** Seconds until the cookie dies, a whole number; default: with the browser's session. */
  maxAge?: number
  /** When the cookie dies; `maxAge` wins where both are given. */
  expires?: Date
  /** Whether scripts cannot read it; default true. */
  httpOnly?: boolean
  /** Whether it travels over https only; default false. `sameSite: 'none'`, `__Secure-` and `__Host-` names demand it. */
  secure?: boolean
  /** When other sites' requests carry it; default `lax`; `false` leaves the attribute out. */
  sameSite?: 'lax' | 'strict' | 'none' | false
  /** Whether it is kept apart for each top-level site (demands `secure`). */
  partitioned?: boolean
  /** Which cookies a browser drops first. */
  priority?: 'low' | 'medium' | 'high'
}

/**
 * Reads a Cookie header. The first of a name wins, values are percent-decoded (as they are where that fails).
 *
 * @returns a record without a prototype.
 */
export function parseCookies(header: string): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null)
  const parsed = parseCookie(header)
  for (const name of Object.keys(parsed)) {
    const value = parsed[name]
    if (value !== undefined) cookies[name] = value
  }
  return cookies
}

/**
 * Writes a Set-Cookie value. Values are percent-encoded, so any text is safe in one.
 *
 * @throws TypeError when the name, a path, a domain or another attribute is not what a cookie may have.
 *
 * @example
 * ```ts
 * import { formatCookie } from 'propylon'
 *
 * formatCookie('theme', 'dark') // 'theme=dark; Path=/; HttpOnly; SameSite=Lax'
 * ```
 */
export function formatCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (typeof value !== 'string') throw new TypeError(`the cookie ${name} needs text, not ${typeof value}`)
  const attributes: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', ...options }
  return serializeCookie(name, value.toWellFormed(), attributes)
}
