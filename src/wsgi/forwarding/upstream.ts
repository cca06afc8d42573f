/** The server to which requests are forwarded. */
import { describeValue } from '../../base/describe.ts'
import { rawPathInfo } from '../request-url.ts'
import type { Environ } from '../types.ts'

/** The address of a server. */
export interface Upstream {
  readonly protocol: 'http:' | 'https:'
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string
  /** `''` for the default of the scheme. */
  readonly port: string
  /** Scheme, host and port, for URLs and messages. */
  readonly origin: string
  /** The path before the path of each request, without a slash at its end. */
  readonly path: string
  /** Name in the field `Via`, by which a request that comes back is recognized. The same in all processes. */
  readonly pseudonym: string
}

/**
 * Parses the URL of a server.
 *
 * @throws TypeError - it is not an http or https URL, or has a query, a fragment or credentials.
 */
export function upstreamAt(target: string | URL): Upstream {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined
  const { protocol, hostname = '', port = '', origin = '', pathname = '' } = url ?? {}
  const hasMore =
    url === undefined || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
  if ((protocol !== 'http:' && protocol !== 'https:') || hasMore) {
    throw new TypeError(
      `forwardTo() received ${describeValue(String(target))}. Give it the URL of a server, such as 'http://127.0.0.1:8000', or an application.`,
    )
  }
  const path = pathname.replace(/\/+$/, '')
  const pseudonym = `propylon-${fingerprint(origin + path)}`
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, origin, path, pseudonym }
}

/** Returns the path and query that the server receives: without the mount point, as the client has spelt them. */
export function targetOf(upstream: Upstream, environ: Environ): string {
  const path = upstream.path + rawPathInfo(environ)
  const { QUERY_STRING: query, REQUEST_URI: uri = '' } = environ
  // `/page?` and `/page` are two URLs.
  return `${path || '/'}${query === '' && !uri.endsWith('?') ? '' : `?${query}`}`
}

/** Returns a short hash (FNV-1a). Requests of attackers that have the value of another server are refused only to them. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16)
}
