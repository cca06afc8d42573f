/**
 * Percent-encoding (RFC 3986 §2).
 *
 * Matching works on *marked* text: escapes of letters, digits and non-ASCII text are decoded, because they mean the
 * same either way, and every other escaped ASCII character is replaced by a marker. `%2F` therefore never equals a
 * slash, `%3B` never a semicolon and `%2E` never a dot. A marker is a lone surrogate, which well-formed text cannot
 * contain, and is one code unit long, as the character that it replaces: offsets agree with offsets in the decoded
 * text.
 *
 * @module
 */

import { decodeUri } from '../base/decode-uri.ts'

const MARKER_BASE = 0xd800
const ESCAPED_ASCII = /%([0-7][0-9A-Fa-f])/g
const MARKERS = /[\ud800-\ud87f]/gu
const MARKERS_EXCEPT_SLASH = /[\ud800-\ud82e\ud830-\ud87f]/gu

/** Returns the marker of an ASCII character. */
export function markerOf(character: string): string {
  return String.fromCharCode(MARKER_BASE + character.charCodeAt(0))
}

/**
 * Turns a raw path into marked text.
 *
 * @returns `undefined` if an escape is malformed or the bytes are not UTF-8.
 */
export function markEscapes(raw: string): string | undefined {
  if (!raw.isWellFormed()) return undefined
  if (!raw.includes('%')) return raw
  return decodeUri(raw.replace(ESCAPED_ASCII, markAscii))
}

function markAscii(_escape: string, hex: string): string {
  const code = Number.parseInt(hex, 16)
  const alphanumeric = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return String.fromCharCode(alphanumeric ? code : MARKER_BASE + code)
}

function unmark(marker: string): string {
  return String.fromCharCode(marker.charCodeAt(0) - MARKER_BASE)
}

/** Decodes marked text. */
export function decodeMarked(marked: string): string {
  return marked.replace(MARKERS, unmark)
}

/** Decodes marked text except for escaped slashes, to compare it with literal text. */
export function decodeLiteral(marked: string): string {
  return marked.replace(MARKERS_EXCEPT_SLASH, unmark)
}

/** The markers of `- _ ~` and of the characters that no URL contains bare: all but those that can be delimiters. */
const MARKERS_OF_TEXT = /[\ud800-\ud820\ud822\ud823\ud825\ud82d\ud83c\ud83e\ud83f\ud85b-\ud860\ud87b-\ud87f]/gu

/** Decodes marked text except for characters that can be delimiters, to compare it with literal text before a value. */
export function decodePrefix(marked: string): string {
  return marked.replace(MARKERS_OF_TEXT, unmark)
}

const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
 *
 * @throws URIError - the text has a lone surrogate.
 */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(LEFT_BY_ENCODE_URI_COMPONENT, escapeCharacter)
}

const UNRESERVED_PUNCTUATION = /[-._~]/g

/** Percent-encodes all but letters and digits, so that nothing in the text can be read as a delimiter. */
export function encodeStrictly(text: string): string {
  return encodeSegment(text).replace(UNRESERVED_PUNCTUATION, escapeCharacter)
}

/** Percent-encodes as {@link encodeSegment} does, but keeps slashes. */
export function encodePath(text: string): string {
  return encodeSegment(text).replaceAll('%2F', '/')
}

/** Returns the mount point of an application, percent-encoded. */
export function mountPointOf(context: {
  readonly scriptName?: string | undefined
  readonly rawScriptName?: string | undefined
}): string {
  return context.rawScriptName ?? encodePath(context.scriptName ?? '')
}

const NOT_IN_PATHS = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]+/gu

/** Percent-encodes the literal text of a route's path: the characters that RFC 3986 §3.3 allows in a path are kept. */
export function encodeLiteral(text: string): string {
  return text.replace(NOT_IN_PATHS, encodeURIComponent)
}

/** Returns true if an ASCII character is percent-encoded in the path of every URL. */
export function isAlwaysEncoded(character: string): boolean {
  return character < '\x80' && encodeLiteral(character) !== character
}

const NOT_IN_URLS = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#[\]%]+/gu

/** Percent-encodes literal text that is a URL: its query, its fragment and its escapes are kept. */
export function encodeUrlLiteral(text: string): string {
  return text.replace(NOT_IN_URLS, encodeURIComponent)
}

/** Form-encodes one pair of a query string. */
export function encodeQueryPair(key: string, value: string): string {
  return `${encodeQueryText(key)}=${encodeQueryText(value)}`
}

function encodeQueryText(text: string): string {
  return encodeSegment(text.toWellFormed()).replaceAll('%20', '+')
}

/**
 * Makes a path safe for the `Location` field: it does not leave this host (`//evil`, `/\evil`) and contains no
 * character that clients drop or that ends the field.
 */
export function safeLocation(path: string): string {
  const escaped = path.replace(/[^!-[\]-~]+/g, (text) => encodeURIComponent(text.toWellFormed()))
  return onThisHost(escaped)
}

/** Returns a path that clients do not read as a host, as they do where it begins with two slashes. */
export function onThisHost(path: string): string {
  return path.startsWith('//') ? `/.${path}` : path
}

/** Returns true if a URL names a host of its own. */
export function isExternal(url: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.test(url)
}

/** Adds a raw query string to a URL that may already have one. */
export function withQuery(url: string, query: string | undefined): string {
  if (!query) return url
  const hash = url.indexOf('#')
  const front = hash < 0 ? url : url.slice(0, hash)
  const clean = query.replace(/[^!-~]+|#/g, (text) => encodeURIComponent(text.toWellFormed()))
  return front + (front.includes('?') ? '&' : '?') + clean + (hash < 0 ? '' : url.slice(hash))
}
