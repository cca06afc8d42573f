/**
 * The URL of a request in an environ: its host, its path, its mount point and the whole (PEP 3333, "URL
 * Reconstruction").
 *
 * @module
 */

import { decodeUri } from '../base/decode-uri.ts'
import { describeValue } from '../base/describe.ts'
import { trimEnd } from '../base/trim.ts'
import type { Environ } from './types.ts'

/** The absolute URL, with the path and the query percent-encoded. */
export function urlOf(environ: Environ): string {
  return `${environ['wsgi.url_scheme']}://${hostOf(environ)}${pathAndQueryOf(environ)}`
}

/** The URL of the application, percent-encoded and without a slash at its end. */
export function applicationUrl(environ: Environ): string {
  return `${environ['wsgi.url_scheme']}://${hostOf(environ)}${rawScriptName(environ)}`
}

/** The path with the mount point, and the query, percent-encoded as in the URL. */
export function pathAndQueryOf(environ: Environ): string {
  const { PATH_INFO, QUERY_STRING: query } = environ
  // The asterisk form of a target means the server as a whole: its URL has no path (RFC 9112 §3.2.4).
  const path = PATH_INFO === '*' ? '/' : rawScriptName(environ) + rawPathInfo(environ)
  return `${path || '/'}${query === '' ? '' : `?${query}`}`
}

/**
 * Percent-decodes a request path as UTF-8.
 *
 * @returns undefined if the path has a malformed percent sequence, bytes that are not UTF-8, or a NUL. Servers answer
 *   400.
 * @example
 * ```ts
 * import { decodePath } from 'propylon/wsgi'
 *
 * console.log(decodePath('/caf%C3%A9'), decodePath('/%FF')) // '/café', undefined
 * ```
 */
export function decodePath(raw: string): string | undefined {
  if (!raw.includes('%')) return raw.includes('\0') ? undefined : raw
  const path = decodeUri(raw)
  return path?.includes('\0') ? undefined : path
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
 * Returns the spelling of a percent-encoded path that {@link encodePath} gives it (RFC 3986 §6.2.2): `/%61dmin` is
 * `/admin`. An encoded slash stays encoded. A path that cannot be decoded is returned as it is.
 *
 * @example
 * ```ts
 * normalizePath('/%61dmin/a%2fb') // '/admin/a%2Fb'
 * ```
 */
export function normalizePath(raw: string): string {
  if (!raw.includes('%') || decodePath(raw) === undefined) return raw
  return raw
    .split(/%2f/i)
    .map((part) => encodePath(decodeURIComponent(part)))
    .join('%2F')
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
export function rawPathInfo(environ: Pick<Environ, 'SCRIPT_NAME' | 'PATH_INFO' | 'REQUEST_URI'>): string {
  const { SCRIPT_NAME, PATH_INFO, REQUEST_URI } = environ
  if (REQUEST_URI === PATH_INFO && SCRIPT_NAME === '' && !PATH_INFO.includes('%') && !PATH_INFO.includes('?')) {
    return PATH_INFO
  }
  if (REQUEST_URI !== undefined) {
    const raw = targetPath(REQUEST_URI)
    if (decodePath(raw) === SCRIPT_NAME + PATH_INFO) return raw.slice(encodedLength(raw, SCRIPT_NAME.length))
  }
  return encodePath(PATH_INFO)
}

/**
 * Returns SCRIPT_NAME percent-encoded, with `%2F` where the URL has it: text that a route has moved from the path may
 * contain encoded slashes. Everything else is spelled as {@link encodePath} does.
 *
 * @param scriptName - SCRIPT_NAME, or its beginning: the mount point of an application whose routes have extended it.
 */
export function rawScriptName(environ: Environ, scriptName = environ.SCRIPT_NAME): string {
  const { REQUEST_URI: target } = environ
  if (scriptName !== '' && target !== undefined && /%2f/i.test(target)) {
    const path = targetPath(target)
    const start = path.slice(0, encodedLength(path, scriptName.length))
    if (decodePath(start) === scriptName) return normalizePath(start)
  }
  return encodePath(scriptName)
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

/** Labels of letters, digits, `-` and `_` between dots, or an IPv6 address in brackets; then perhaps a port. */
const HOST =
  /^(?:(?=[^:]{1,254}(?::|$))[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?|\[[0-9a-f:.]{2,45}\])(?::(?:0|[1-9]\d{0,4})?)?$/i

/** The last host that passed: almost all requests of a server have the same one. Undefined before the first. */
let passed: string | undefined

/**
 * Returns true for a well-formed host with or without a port: a domain name, an IPv4 address, or an IPv6 address in
 * brackets.
 *
 * The rule follows RFC 9110 §7.2 (`uri-host [ ":" port ]`) without the forms that only mistakes and attacks use:
 * percent-encoding, a port with leading zeros. Underscores pass, because container networks use them.
 * Ports range from 0 to 65535, as in the URL Standard. A name that the URL Standard refuses, such as `1.2.3.256`, is
 * malformed too, so that a URL can be built from every host that passes.
 */
export function isHost(text: string): boolean {
  if (text === passed) return true
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false
  passed = text
  return true
}

/** The host without its port, and without the dot that may end a domain name. In lower case. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

/**
 * The Host field, in lower case and without a port that is empty or the default of the scheme. SERVER_NAME and
 * SERVER_PORT replace a Host field that is missing, empty or malformed.
 *
 * Forwarding headers have no influence: any client can send them.
 */
export function hostOf(environ: Environ): string {
  const { HTTP_HOST: sent } = environ
  const defaultPort = environ['wsgi.url_scheme'] === 'https' ? ':443' : ':80'
  if (typeof sent === 'string' && isHost(sent)) {
    const host = sent.toLowerCase()
    const port = [':', defaultPort].find((end) => host.endsWith(end)) ?? ''
    return host.slice(0, host.length - port.length)
  }
  const { SERVER_NAME: name, SERVER_PORT: port } = environ
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return port === '' || `:${port}` === defaultPort ? host : `${host}:${port}`
}

/**
 * Returns true for a loopback address, `localhost` and the names below `localhost` and `test`.
 *
 * No public name server resolves these names (RFC 6761 §6.2, §6.3), so no other site can point one of them here.
 */
export function isLocalHost(host: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost|.+\.(?:localhost|test))$/.test(hostName(host))
}

// ------------------------------------------------------------ the mount point

/**
 * Checks the option `scriptName`.
 *
 * @returns the mount point without a slash at its end; `''` for none.
 * @throws TypeError - it is not a path.
 */
export function mountPoint(scriptName: string | undefined): string {
  if (scriptName === undefined) return ''
  if (typeof scriptName === 'string' && /^(?:\/(?![/\\])[^?#\0]*)?$/.test(scriptName)) {
    return trimEnd(scriptName, '/')
  }
  throw new TypeError(
    `scriptName is ${describeValue(scriptName)}. Write the path at which the application is mounted, without percent-encoding: '/shop'.`,
  )
}

/**
 * Mounts the application of a request: removes the mount point from the beginning of PATH_INFO, and adds it to
 * SCRIPT_NAME. A path that does not begin with it has been cut by the caller. REQUEST_URI gets the mount point then.
 */
export function mountAt(environ: Environ, scriptName: string): void {
  const { PATH_INFO: path, REQUEST_URI: target = '', QUERY_STRING: query } = environ
  // The mount point that a framework states has precedence.
  if (path === '*' || environ.SCRIPT_NAME !== '') return
  environ.SCRIPT_NAME = scriptName
  if (path === scriptName || path.startsWith(`${scriptName}/`)) {
    environ.PATH_INFO = path.slice(scriptName.length)
    return
  }
  environ.REQUEST_URI = encodePath(scriptName) + targetPath(target) + (query === '' ? '' : `?${query}`)
}
