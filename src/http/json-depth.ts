/**
 * How deep JSON is nested.
 *
 * @module
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether arrays and objects lie within each other deeper than `limit` in text that should be JSON. */
export function isDeeperThan(limit: number, text: string): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = lastOfString(text, at)
    // With the bit 0x20 set, which tells [ from {, the two are one; so are ] and }.
    else if ((code | 0x20) === 0x7b) {
      depth += 1
      if (depth > limit) return true
    } else if ((code | 0x20) === 0x7d) depth -= 1
  }
  return false
}

/** Where the string that begins at `start` has its closing quote; the text's length where it has none. */
function lastOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
