/**
 * Names of request header fields in the environ (RFC 3875 §4.1.18).
 *
 * @module
 */
import { isToken } from './response-head.ts'

// Clients choose the names of request headers, so the cache is limited.
const MAX_CACHED = 1024
const MAX_CACHED_LENGTH = 64

const keys = new Map<string, string>()

/**
 * Returns the environ's key for a request header field.
 *
 * @param name - the field's name in any case.
 * @returns `CONTENT_TYPE`, `CONTENT_LENGTH`, or `HTTP_` and the name. Undefined if the name is not a token or contains an
 *   underscore: `X_User` and `X-User` would have the same key, so that a client could forge the header of a proxy.
 *
 * @example
 * ```ts
 * environKey('Content-Type') // 'CONTENT_TYPE'
 * environKey('accept') // 'HTTP_ACCEPT'
 * environKey('X_User') // undefined
 * ```
 */
export function environKey(name: string): string | undefined {
  const cached = keys.get(name)
  if (cached !== undefined) return cached
  const key = makeKey(name)
  if (key !== undefined && keys.size < MAX_CACHED && name.length <= MAX_CACHED_LENGTH) keys.set(name, key)
  return key
}

function makeKey(name: string): string | undefined {
  if (name.includes('_') || !isToken(name)) return undefined
  const upper = name.toUpperCase().replaceAll('-', '_')
  return upper === 'CONTENT_TYPE' || upper === 'CONTENT_LENGTH' ? upper : `HTTP_${upper}`
}

/**
 * Returns the header field's name for a key of the environ, the inverse of {@link environKey}.
 *
 * @returns the name in lower case; undefined if the key is not that of a header field.
 */
export function headerName(key: string): string | undefined {
  if (key === 'CONTENT_TYPE') return 'content-type'
  if (key === 'CONTENT_LENGTH') return 'content-length'
  return key.startsWith('HTTP_') ? key.slice(5).toLowerCase().replaceAll('_', '-') : undefined
}

/**
 * Joins the values of two request header fields of the same name (RFC 9110 §5.3, RFC 6265 §5.4).
 *
 * @returns the values joined by `, ` (`; ` for Cookie). For fields that are not lists, the first value.
 */
export function joinHeader(key: string, first: string, second: string): string {
  if (SINGLETONS.has(key)) return first
  return key === 'HTTP_COOKIE' ? `${first}; ${second}` : `${first}, ${second}`
}

const SINGLETONS: ReadonlySet<string> = new Set([
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'HTTP_AUTHORIZATION',
  'HTTP_FROM',
  'HTTP_HOST',
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_MAX_FORWARDS',
  'HTTP_PROXY_AUTHORIZATION',
  'HTTP_REFERER',
  'HTTP_USER_AGENT',
])
