/**
 * The Cache-Control field of a response (RFC 9111 §5.2.2).
 *
 * @module
 */

/** Directives of a response. Times are whole seconds. */
export interface CacheDirectives {
  /** Shared caches may store the response. */
  public?: boolean
  /** Only the browser may store the response. */
  private?: boolean
  /** Caches ask before each use. */
  noCache?: boolean
  /** Nothing stores the response. */
  noStore?: boolean
  /** Proxies leave the content as it is. */
  noTransform?: boolean
  /** A stale response is not used without asking. */
  mustRevalidate?: boolean
  /** `mustRevalidate` for shared caches. */
  proxyRevalidate?: boolean
  /** Only caches that know the status store the response. */
  mustUnderstand?: boolean
  /** The content never changes. */
  immutable?: boolean
  /** Seconds for which the response is fresh. */
  maxAge?: number
  /** `maxAge` for shared caches. */
  sMaxage?: number
  /** Seconds for which a stale response is used while it is renewed. */
  staleWhileRevalidate?: number
  /** Seconds for which a stale response is used if the server fails. */
  staleIfError?: number
}

/**
 * Formats directives in the given order: `{ public: true, maxAge: 60 }` is `public, max-age=60`.
 *
 * @throws TypeError - a time is not a whole number of seconds, 0 or more.
 */
export function formatCacheControl(directives: CacheDirectives): string {
  const parts: string[] = []
  for (const [key, value] of Object.entries(directives)) {
    if (value === undefined || value === false) continue
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (value === true) parts.push(name)
    else if (Number.isInteger(value) && value >= 0) parts.push(`${name}=${value}`)
    else
      throw new TypeError(`The cache directive ${name} is ${String(value)}. Give a whole number of seconds, 0 or more.`)
  }
  return parts.join(', ')
}
