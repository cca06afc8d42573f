/**
 * The request as the client sent it to a proxy: the X-Forwarded-* fields, or `Forwarded` (RFC 7239).
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { trimEnd } from '../../base/trim.ts'
import { decodePath, isHost, targetPath } from '../request-url.ts'
import type { Environ } from '../types.ts'

/**
 * Returns true for the address of a trusted proxy.
 *
 * @param address - an IPv4 or IPv6 address without port and brackets, `''` for a unix socket, or an identifier of RFC
 *   7239 §6.3 such as `unknown` and `_hidden`.
 */
export type TrustRule = (address: string) => boolean

/** A family of forwarding headers: X-Forwarded-For, -Proto, -Host and -Prefix, or `Forwarded` (RFC 7239). */
export type ProxyHeaders = 'x-forwarded' | 'forwarded'

/**
 * Returns the value of the option `proxyHeaders`, by default `'x-forwarded'`.
 *
 * @throws TypeError - the value is not the name of a family.
 */
export function proxyHeadersOf(value: unknown): ProxyHeaders {
  if (value === undefined) return 'x-forwarded'
  if (value === 'x-forwarded' || value === 'forwarded') return value
  throw new TypeError(
    `proxyHeaders is ${describeValue(value)}. Pass 'x-forwarded' for X-Forwarded-For, -Proto, -Host and -Prefix, or 'forwarded' for Forwarded.`,
  )
}

/** Proxies whose forwarding headers are used. */
export interface Proxies {
  readonly trusts: TrustRule
  readonly headers: ProxyHeaders
}

/** The hop at which a request reached the outermost trusted proxy. */
interface Hop {
  /** Undefined if the proxy does not send it. */
  readonly address: string | undefined
  readonly scheme: string | undefined
  readonly host: string | undefined
  readonly prefix: string | undefined
}

/**
 * Changes the environ of a request from a trusted proxy: REMOTE_ADDR to the last address that is not trusted,
 * `wsgi.url_scheme` and HTTP_HOST to the values of the request that the outermost trusted proxy received, and the
 * prefix that proxies have removed from the path to the beginning of SCRIPT_NAME. REQUEST_URI gets the prefix as well.
 *
 * Fields are read from their end, because a client can send the beginning of each. Only one family is read: a proxy
 * that writes one passes on the other as the client sent it. A malformed field changes nothing.
 *
 * @param environ - a request whose peer is trusted.
 */
export function applyForwarded(environ: Environ, { trusts, headers }: Proxies): void {
  const hop = headers === 'forwarded' ? forwardedHop(environ, trusts) : listedHop(environ, trusts)
  if (hop === undefined) return
  if (hop.address !== undefined) environ.REMOTE_ADDR = hop.address
  const scheme = hop.scheme?.toLowerCase()
  if (scheme === 'http' || scheme === 'https') environ['wsgi.url_scheme'] = scheme
  if (hop.host !== undefined && isHost(hop.host)) environ.HTTP_HOST = hop.host
  if (hop.prefix !== undefined) addPrefix(environ, hop.prefix)
}

// ------------------------------------------------------------ X-Forwarded-*

function listedHop(environ: Environ, trusts: TrustRule): Hop {
  const addresses = environ.HTTP_X_FORWARDED_FOR?.split(',') ?? []
  let address: string | undefined
  let depth = 0
  for (let at = addresses.length - 1; at >= 0; at -= 1) {
    address = nodeAddress(addresses[at]?.trim() ?? '')
    if (address === undefined || at === 0 || !trusts(address)) break
    depth += 1
  }
  return {
    address,
    scheme: listEntry(environ.HTTP_X_FORWARDED_PROTO, depth),
    host: listEntry(environ.HTTP_X_FORWARDED_HOST, depth),
    prefix: listEntry(environ.HTTP_X_FORWARDED_PREFIX, depth),
  }
}

/**
 * Returns the entry that a number of further entries follow; the first if the list is shorter, since proxies may
 * replace it.
 */
function listEntry(list: string | undefined, depth: number): string | undefined {
  const entries = list?.split(',') ?? []
  return entries[Math.max(0, entries.length - 1 - depth)]?.trim()
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
/** A node of RFC 7239 §6: address or identifier, and perhaps a port. */
const NODE = /^([\d.]+|\[[0-9a-f:.]+\]|unknown|_[\w.-]+)(?::(?:\d{1,5}|_[\w.-]+))?$/i

/**
 * Returns the address or identifier of a node, without port and brackets; an IPv4-mapped address as IPv4. `''` for the
 * `unix:` that nginx sends.
 *
 * @returns undefined if the node is malformed.
 */
function nodeAddress(node: string): string | undefined {
  if (node === 'unix:') return ''
  const name = NODE.exec(node)?.[1] ?? node
  if (/^(?:unknown|_[\w.-]+)$/i.test(name)) return name
  if (IPV4.test(name)) return name
  // X-Forwarded-For has IPv6 addresses without brackets.
  const address = /^\[(.+)\]$/.exec(name)?.[1] ?? name
  if (!/^[0-9a-f:.]{2,45}$/i.test(address) || !URL.canParse(`http://[${address}]`)) return undefined
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

// ------------------------------------------------------------ Forwarded

/** Maximum length of an element of Forwarded, which bounds the time to find its beginning. */
const MAX_ELEMENT = 1024

/** Returns the hop, or undefined if the field is absent or malformed. It has no parameter for the prefix. */
function forwardedHop(environ: Environ, trusts: TrustRule): Hop | undefined {
  const pieces = environ.HTTP_FORWARDED?.split(',') ?? []
  for (;;) {
    const element = lastElement(pieces)
    if (element === undefined) return undefined
    const node = element.get('for')
    const address = node === undefined ? undefined : nodeAddress(node)
    const host = element.get('host')
    if (node !== undefined && address === undefined) return undefined
    if (host !== undefined && !isHost(host)) return undefined
    if (address !== undefined && pieces.length > 0 && trusts(address)) continue
    return { address, scheme: element.get('proto'), host, prefix: undefined }
  }
}

/**
 * Removes the last element from a list that was split at its commas, and parses it. A quoted string may contain
 * commas, so that pieces are joined until they are an element. No piece of a quoted string is an element, because its
 * quotes are not balanced.
 *
 * @returns undefined if the end of the list is not an element.
 */
function lastElement(pieces: string[]): Map<string, string> | undefined {
  // A list may have empty elements (RFC 9110 §5.6.1.2).
  while (pieces.length > 1 && pieces.at(-1)?.trim() === '') pieces.pop()
  let text = pieces.pop() ?? ''
  for (;;) {
    const element = parseElement(text)
    if (element !== undefined || pieces.length === 0 || text.length > MAX_ELEMENT || !text.includes('"')) {
      return element
    }
    text = `${pieces.pop()},${text}`
  }
}

const PAIR = /[ \t]*([\w!#$%&'*+\-.^`|~]+)=(?:([\w!#$%&'*+\-.^`|~]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?:;|$)/y

/** Parses the parameters of an element. Returns undefined if it is malformed, or has a parameter twice. */
function parseElement(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  PAIR.lastIndex = 0
  while (PAIR.lastIndex < text.length) {
    const [, name, token, quoted] = PAIR.exec(text) ?? []
    if (name === undefined || parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? quoted?.replace(/\\(.)/g, '$1') ?? '')
  }
  return parameters.size === 0 ? undefined : parameters
}

// ------------------------------------------------------------ the prefix

/** A path in percent-encoding that a browser does not take for a host. */
const PREFIX = /^\/(?!\/)[\w\-.~%!$&'()*+;=:@/]*$/

function addPrefix(environ: Environ, sent: string): void {
  const raw = trimEnd(sent, '/')
  const prefix = PREFIX.test(raw) ? decodePath(raw) : undefined
  if (prefix === undefined || /^\/[/\\]|\/\.{1,2}(?:\/|$)/.test(prefix) || environ.PATH_INFO === '*') return
  environ.SCRIPT_NAME = prefix + environ.SCRIPT_NAME
  const { REQUEST_URI: target = '', QUERY_STRING: query } = environ
  environ.REQUEST_URI = raw + targetPath(target) + (query === '' ? '' : `?${query}`)
}
