/**
 * The Cache-Control field of a response (RFC 9111 §5.2.2).
 *
 * @module
 */

/** Directives of a response. Times are whole seconds. */
export interface CacheDirectives {
  public?: boolean
  private?: boolean
  noCache?: boolean
  noStore?: boolean
  noTransform?: boolean
  mustRevalidate?: boolean
  proxyRevalidate?: boolean
  mustUnderstand?: boolean
  immutable?: boolean
  maxAge?: number
  sMaxage?: number
  staleWhileRevalidate?: number
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
