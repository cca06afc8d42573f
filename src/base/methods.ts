/**
 * Request methods (RFC 9110 §9, RFC 5789).
 *
 * @module
 */

/** Methods of everyday use. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Methods that change something. */
export const UNSAFE_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Methods that are safe by RFC 9110 §9.2.1. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Methods whose requests have no body unless they say so. Others have an empty one (RFC 9110 §8.6). */
export const BODYLESS_METHODS: ReadonlySet<string> = new Set([...SAFE_METHODS, 'DELETE'])

/** Returns true for GET and HEAD. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
