/**
 * Percent-encoding (RFC 3986 §2): how a raw path is taken apart without losing what was encoded.
 *
 * Matching works on the *unfolded* form of a path. In it, encoded letters, digits and non-ASCII text are decoded (they mean
 * the same either way), while every other encoded ASCII character becomes a stand-in that equals no real character: `%2F` is
 * not a slash, `%3B` no semicolon, `%2E` no dot. A stand-in is a lone surrogate, which well-formed text never holds, and is as
 * long as the character it stands for, so that lengths and offsets agree with those of the decoded text.
 *
 * @module
 */

const STAND_IN_BASE = 0xd800
const ESCAPED_ASCII = /%([0-7][0-9A-Fa-f])/g
const STAND_INS = /[\ud800-\ud87f]/gu
const STAND_INS_BUT_SLASH = /[\ud800-\ud82e\ud830-\ud87f]/gu

/** The stand-in for an encoded ASCII character. */
export function standIn(character: string): string {
  return String.fromCharCode(STAND_IN_BASE + character.charCodeAt(0))
}

/**
 * The unfolded form of a raw path.
 *
 * @returns `undefined` when an escape is malformed or the bytes are not UTF-8.
 */
export function unfold(raw: string): string | undefined {
  if (!raw.isWellFormed()) return undefined
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw.replace(ESCAPED_ASCII, unfoldAscii))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function unfoldAscii(_escape: string, hex: string): string {
  const code = Number.parseInt(hex, 16)
  const alphanumeric = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return String.fromCharCode(alphanumeric ? code : STAND_IN_BASE + code)
}

function fold(standInCharacter: string): string {
  return String.fromCharCode(standInCharacter.charCodeAt(0) - STAND_IN_BASE)
}

/** The decoded text of an unfolded piece of a path. */
export function decoded(unfolded: string): string {
  return unfolded.replace(STAND_INS, fold)
}

/** As {@link decoded}, but an encoded slash stays apart from a real one: for comparing with literal text. */
export function literalForm(unfolded: string): string {
  return unfolded.replace(STAND_INS_BUT_SLASH, fold)
}

const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Percent-encodes a value so that only the unreserved characters of RFC 3986 §2.3 stand bare.
 *
 * @throws URIError when the text has a lone surrogate.
 */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(LEFT_BY_ENCODE_URI_COMPONENT, escapeCharacter)
}

const NOT_ALPHANUMERIC = /[-._~]/g

/** Percent-encodes everything but letters and digits, so that nothing in it can be taken for a delimiter. */
export function encodeStrictly(text: string): string {
  return encodeSegment(text).replace(NOT_ALPHANUMERIC, escapeCharacter)
}

/** Percent-encodes a path: as {@link encodeSegment}, but slashes stay. */
export function encodePath(text: string): string {
  return encodeSegment(text).replaceAll('%2F', '/')
}

const LITERAL_SAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/gu

/** Percent-encodes literal text of a route's path: all that RFC 3986 §3.3 lets stand in a path stays, and so does `%`-text. */
export function encodeLiteral(text: string): string {
  return text.replaceAll('%', '%25').replace(LITERAL_SAFE, encodeURIComponent)
}

const URL_SAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#[\]%]+/gu

/** Percent-encodes literal text that is a URL of its own: query, fragment and escapes stay. */
export function encodeUrlLiteral(text: string): string {
  return text.replace(URL_SAFE, encodeURIComponent)
}

/** One pair of a query, form-encoded (a space becomes `+`). */
export function encodeQueryPair(key: string, value: string): string {
  return `${encodeQueryText(key)}=${encodeQueryText(value)}`
}

function encodeQueryText(text: string): string {
  return encodeSegment(text.toWellFormed()).replaceAll('%20', '+')
}

/**
 * Makes a path fit for a `Location` field: it stays on this host (`//evil` and `/\evil` do not leave it) and has no character
 * that a client would drop or that would end the field.
 */
export function safeLocation(path: string): string {
  const escaped = path.replace(/[^!-[\]-~]+/g, (text) => encodeURIComponent(text.toWellFormed()))
  return escaped.startsWith('//') ? `/.${escaped}` : escaped
}
