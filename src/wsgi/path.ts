/**
 * Paths at the gateway: percent-decoded in the environ, percent-encoded on the wire.
 *
 * @module
 */
import type { Environ } from './types.ts'

/**
 * Percent-decodes a request path as UTF-8.
 *
 * @returns undefined when it cannot be decoded: a malformed percent sequence, bytes that are not UTF-8, or a NUL, which
 *   no path holds but by malice. A server answers 400 then.
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

/** Percent-encodes a path for a URL: slashes stay, as does all that RFC 3986 §3.3 allows in a path except brackets. */
export function encodePath(path: string): string {
  if (/^[\w\-.~/;:@!$&'()*+,=]*$/.test(path)) return path
  return encodeURI(path.toWellFormed()).replace(/[?#]/g, encodeURIComponent)
}

/**
 * PATH_INFO as it stood in the URL, still percent-encoded, so that `%2F` and `/` can be told apart.
 *
 * It is the part of REQUEST_URI's path that follows SCRIPT_NAME, as long as the two still agree with PATH_INFO;
 * where middleware has changed PATH_INFO, it is PATH_INFO encoded anew.
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

/** The path of a request target (RFC 9112 §3.2), still encoded: without scheme, authority and query. */
export function targetPath(target: string): string {
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (path.startsWith('/')) return path
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/i.exec(path)
  return absolute === null ? path : absolute[1] || '/'
}

/** How many characters of an encoded path make up `units` UTF-16 units of the decoded one. */
function encodedLength(raw: string, units: number): number {
  let at = 0
  while (at < raw.length) {
    const byte = raw[at] === '%' ? Number.parseInt(raw.slice(at + 1, at + 3), 16) : 0
    const isContinuation = (byte & 0xc0) === 0x80
    if (units <= 0 && !isContinuation) break
    // The first byte of a sequence stands for its character: two units where it begins four bytes.
    if (!isContinuation) units -= byte >= 0xf0 ? 2 : 1
    at += raw[at] === '%' ? 3 : 1
  }
  return at
}
