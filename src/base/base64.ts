/**
 * Strict base64 (RFC 4648 §4 and §5).
 *
 * @module
 */

/** Shared empty array, so that many empty values allocate once. */
const EMPTY = new Uint8Array(0)

// The characters before padding whose unused bits are zero, by the number of padding characters.
const LAST = ['', 'AEIMQUYcgkosw048', 'AQgw']

/**
 * Decodes base64. Blanks and line breaks are skipped. Padding is required, and unused bits must be zero.
 *
 * @returns the bytes, or `undefined` if the text is not base64.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length === 0) return EMPTY
  // atob accepts more, so the text and its result are checked.
  const compact = /[ \t\r\n]/.test(text) ? text.replace(/[ \t\r\n]+/g, '') : text
  const { length } = compact
  if (length % 4 !== 0) return undefined
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  if (padding > 0 && !LAST[padding]?.includes(compact.charAt(length - padding - 1))) return undefined
  const binary = binaryOf(compact)
  // atob also skips form feeds, and then accepts missing padding.
  if (binary?.length !== (length / 4) * 3 - padding) return undefined
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

function binaryOf(text: string): string | undefined {
  try {
    return atob(text)
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

/** Encodes base64 on one line, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  if (typeof Buffer === 'undefined') return encodeByBtoa(bytes)
  // btoa takes ten times as long.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

const CHUNK = 8192

/** Encodes on runtimes with neither `Uint8Array.prototype.toBase64` nor Buffer. */
export function encodeByBtoa(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return btoa(binary)
}

/** Encodes base64url without padding (RFC 4648 §5), for cookies and URLs. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Decodes base64url without padding (RFC 4648 §5).
 *
 * @returns the bytes, or `undefined` if the text is not base64url.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/[^\w-]/.test(text)) return undefined
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64(base64.padEnd(Math.ceil(text.length / 4) * 4, '='))
}
