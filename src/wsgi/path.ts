/**
 * Percent-decodes and percent-encodes paths.
 *
 * @module
 */
import type { Environ } from './types.ts'

/**
 * Percent-decodes a request path as UTF-8.
 *
 * @returns undefined if the path has a malformed percent sequence, bytes that are not UTF-8, or a NUL. Servers answer 400.
 * @example
 * ```ts
 * import { decodePath } from 'propylon/wsgi'
 *
 * console.log(decodePath('/caf%C3%A9'), decodePath('/%FF')) // '/café', undefined
 * ```
 */
export function decodePath(raw: string): string | undefined {
  if (!raw.includes('%')) return raw.includes('\0') ? undefined : raw
  let path: string
  try {
    path = decodeURIComponent(raw)
  } catch {
    return undefined
  }
  return path.includes('\0') ? undefined : path
}

/**
 * Percent-encodes a path for a URL. Slashes and all characters that RFC 3986 §3.3 allows in a path are kept.
 *
 * @example
 * ```ts
 * import { encodePath } from 'propylon/wsgi'
 *
 * console.log(encodePath('/café?')) // '/caf%C3%A9%3F'
 * ```
 */
export function encodePath(path: string): string {
  if (/^[\w\-.~/;:@!$&'()*+,=]*$/.test(path)) return path
  return encodeURI(path.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}

/**
 * Returns PATH_INFO as it was in the URL, percent-encoded, so that `%2F` and `/` differ.
 *
 * The result is the path of REQUEST_URI after SCRIPT_NAME. If middleware has changed PATH_INFO, it is PATH_INFO
 * percent-encoded.
 *
 * @example
 * ```ts
 * import { createEnviron, rawPathInfo } from 'propylon/wsgi'
 *
 * console.log(rawPathInfo(createEnviron({ url: '/files/a%2Fb' }))) // '/files/a%2Fb'
 * ```
 */
export function rawPathInfo(environ: Environ): string {
  const { SCRIPT_NAME, PATH_INFO, REQUEST_URI } = environ
  if (
    REQUEST_URI === PATH_INFO &&
    SCRIPT_NAME === '' &&
    !PATH_INFO.includes('%') &&
    !PATH_INFO.includes('?')
  ) {
    return PATH_INFO
  }
  if (REQUEST_URI !== undefined) {
    const raw = targetPath(REQUEST_URI)
    if (decodePath(raw) === SCRIPT_NAME + PATH_INFO) return raw.slice(encodedLength(raw, SCRIPT_NAME.length))
  }
  return encodePath(PATH_INFO)
}

/** Returns the path of a request target (RFC 9112 §3.2), percent-encoded, without scheme, authority and query. */
export function targetPath(target: string): string {
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (path.startsWith('/')) return path
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/i.exec(path)
  return absolute === null ? path : absolute[1] || '/'
}

/** Returns the number of characters of an encoded path that decode to `units` UTF-16 units. */
function encodedLength(raw: string, units: number): number {
  let at = 0
  while (at < raw.length) {
    const byte = raw[at] === '%' ? Number.parseInt(raw.slice(at + 1, at + 3), 16) : 0
    const isContinuation = (byte & 0xc0) === 0x80
    if (units <= 0 && !isContinuation) break
    // The first byte of a sequence counts for its character: two units if it begins four bytes.
    if (!isContinuation) units -= byte >= 0xf0 ? 2 : 1
    at += raw[at] === '%' ? 3 : 1
  }
  return at
}
