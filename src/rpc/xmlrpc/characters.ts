/**
 * Characters of XML documents: their encodings, and the classes of XML 1.0 (fifth edition).
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { FaultCode, XMLRPCDecodeError } from './errors.ts'

const CONTROL_OR_NONCHARACTER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
const FORBIDDEN = new RegExp(
  `${CONTROL_OR_NONCHARACTER.source}|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]`,
  'g',
)

const NAME_START =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d' +
  '\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const NAME = new RegExp(`[${NAME_START}][${NAME_START}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040]*`, 'uy')

const METHOD_NAME = /^[^\s\p{Cc}]+$/u

const CR = 0x0d
const LF = 0x0a
/** Number of code units that `normalizeLineEnds` copies at a time. */
const COPIED = 4096

/**
 * Returns the index of the first character that XML forbids, or -1: a control character other than tab and line
 * ends, an unpaired surrogate, U+FFFE or U+FFFF.
 */
export function forbiddenAt(text: string): number {
  // Two fast checks first: the full expression is several times slower.
  return text.isWellFormed() && !CONTROL_OR_NONCHARACTER.test(text) ? -1 : text.search(FORBIDDEN)
}

/** Replaces every character that XML forbids by U+FFFD. */
export function replaceForbidden(text: string): string {
  return forbiddenAt(text) < 0 ? text : text.replace(FORBIDDEN, '\ufffd')
}

/** Returns the end of the XML name that starts at `at`, or `at` if there is none. */
export function nameEnd(text: string, at: number): number {
  NAME.lastIndex = at
  return NAME.test(text) ? NAME.lastIndex : at
}

/** Returns true for a name of a method: it is not empty and has neither blanks nor control characters. */
export function isMethodName(text: string): boolean {
  return METHOD_NAME.test(text)
}

/** Returns true for a space, tab, line feed or carriage return. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === LF || code === 0x09 || code === CR
}

/** Returns a copy that does not retain the parent string. V8 and JSC implement `slice` as a reference to it. */
export function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}

/**
 * Replaces CR LF, and CR alone, by LF (XML 1.0 §2.11). `replace` allocates for each match, which takes a second for a
 * few megabytes of CR, so a long text is copied by code units.
 */
export function normalizeLineEnds(text: string): string {
  if (!text.includes('\r')) return text
  if (text.length <= COPIED) return text.replace(/\r\n?/g, '\n')
  const units = new Uint16Array(COPIED)
  let normal = ''
  let length = 0
  let isAfterCR = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const wasAfterCR = isAfterCR
    isAfterCR = unit === CR
    if (wasAfterCR && unit === LF) continue
    units[length++] = isAfterCR ? LF : unit
    if (length === COPIED) {
      normal += textOf(units)
      length = 0
    }
  }
  return normal + textOf(units.subarray(0, length))
}

/** Returns the text of code units. Spreading them into the call takes four times as long. */
function textOf(units: Uint16Array): string {
  return Reflect.apply(String.fromCharCode, undefined, units)
}

/** Number of bytes that are searched for an encoding declaration when a document is not UTF-8. */
const DECLARATION_BYTES = 256
const DECLARATION = /^<\?xml[ \t\r\n][^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][\w.-]*)["']/

/** Characters of windows-1252 for 0x80 to 0x9F. `TextDecoder` of Node.js 22 decodes them as ISO-8859-1. */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

// `TextDecoder` decodes these labels as windows-1252 (WHATWG Encoding §4.2), but XML means what they say.
const ISO_8859_1 = /^(?:iso[-_]?8859-1|latin1|l1)$/
const US_ASCII = /^(?:us-ascii|ascii|iso646-us)$/

/** Encodings whose declaration cannot be true: the declaration could not have been read. */
const NOT_ASCII_COMPATIBLE = /^(?:utf-?16|ucs-?[24]|utf-?32|iso-10646-ucs)/i

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a document. The encoding is taken from the byte order mark, the `charset` parameter of the transport, the
 * XML declaration, or is UTF-8, in this order (RFC 7303 §3).
 *
 * @throws XMLRPCDecodeError -32701 if the encoding is unknown, -32702 if the bytes are not valid in it.
 */
export function decodeText(bytes: Uint8Array, charset = ''): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decodeAs(bytes.subarray(3), 'utf-8')
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs(bytes.subarray(2), 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs(bytes.subarray(2), 'utf-16be')
  if (charset !== '') return decodeAs(bytes, charset.trim().replace(/^"(.*)"$/, '$1'))
  if (bytes[0] === 0x3c && bytes[1] === 0) return decodeAs(bytes, 'utf-16le')
  if (bytes[0] === 0 && bytes[1] === 0x3c) return decodeAs(bytes, 'utf-16be')
  return decodeAsDeclared(bytes)
}

/** Decodes as UTF-8 before reading the declaration, because nearly every document is UTF-8. */
function decodeAsDeclared(bytes: Uint8Array): string {
  let text: string | undefined
  try {
    text = utf8.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const head = text ?? decodeLatin1(bytes.subarray(0, DECLARATION_BYTES))
  const declared = head.startsWith('<?xml') ? DECLARATION.exec(head)?.[1] : undefined
  if (declared === undefined || /^utf-?8$/i.test(declared)) return text ?? decodeAs(bytes, 'utf-8')
  if (NOT_ASCII_COMPATIBLE.test(declared)) {
    throw unknownEncoding(`the document declares ${describeValue(declared)} but is not written in it`)
  }
  return decodeAs(bytes, declared)
}

function decodeAs(bytes: Uint8Array, encoding: string): string {
  const label = encoding.toLowerCase()
  if (ISO_8859_1.test(label)) return decodeLatin1(bytes)
  if (label === 'windows-1252' || label === 'cp1252') {
    return decodeLatin1(bytes).replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80))
  }
  if (US_ASCII.test(label)) {
    if (bytes.every((byte) => byte < 0x80)) return decodeLatin1(bytes)
    throw invalidBytes('US-ASCII')
  }
  try {
    // UTF-16 without a byte order mark is big-endian (RFC 2781 §4.3).
    return new TextDecoder(label === 'utf-16' ? 'utf-16be' : label, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof RangeError) throw unknownEncoding(`the encoding ${describeValue(encoding)} is unknown`)
    if (error instanceof TypeError) throw invalidBytes(label.toUpperCase())
    throw error
  }
}

function decodeLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}

function invalidBytes(encoding: string): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.invalidCharacter, `the bytes are not ${encoding}`)
}

function unknownEncoding(detail: string): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.unsupportedEncoding, detail)
}
