/**
 * Content-Length (RFC 9110 §8.6).
 *
 * @module
 */

/** More digits than any body has; a number of so many is still exact. */
const MAX_DIGITS = 15

/** The number of bytes that a Content-Length states, -1 for what is no plain decimal number of up to 15 digits. */
export function parseContentLength(text: string): number {
  if (text.length === 0 || text.length > MAX_DIGITS) return -1
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return -1
    length = length * 10 + digit
  }
  return length
}
