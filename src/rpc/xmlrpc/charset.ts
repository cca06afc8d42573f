import { describeValue } from '../../base/describe.ts'
import { FaultCode } from './fault.ts'
import { declaredEncoding, rootAt } from './markup.ts'
import { XMLRPCDecodeError } from './xmlrpc-error.ts'

/** Number of bytes that are searched for an encoding declaration when a document is not UTF-8. */
const DECLARATION_BYTES = 256
/** Number of bytes that are searched for a declaration that text precedes, such as a message of PHP. */
const PROLOG_BYTES = 8192
const DECLARATION =
  /^<\?xml[ \t\r\n][^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][\w.-]*)["']/

/** Characters of windows-1252 for 0x80 to 0x9F. `TextDecoder` of Node.js 22 decodes them as ISO-8859-1. */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

// `TextDecoder` decodes these labels as windows-1252 (WHATWG Encoding §4.2), but XML means what they say.
const ISO_8859_1 = /^(?:iso[-_]?8859-1|latin1|l1)$/
const US_ASCII = /^(?:us-ascii|ascii|iso646-us)$/

/** Encodings whose declaration cannot be true: the declaration could not have been read. */
const NOT_ASCII_COMPATIBLE = /^(?:utf-?16|ucs-?[24]|utf-?32|iso-10646-ucs)/i

const UTF_8 = /^utf-?8$/i
const GT = 0x3e
const ROOT_END = /<\/methodResponse[ \t\r\n]*>$/

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

/**
 * Decodes a response whose encoding may be stated wrongly: takes the first statement that the bytes agree with, of the
 * byte order mark, UTF-8 if the XML declaration or `charset` states it, the declaration, `charset`, or UTF-8. UTF-8
 * comes first because hardly any text in another encoding agrees with it. The declaration comes next because most
 * servers write it themselves, while a setting adds `charset`. Bytes before and after the root element that agree with
 * none, such as a message of PHP in the language of the server, are dropped. If the root element agrees with none, its text
 * is guessed: {@link guessText}.
 *
 * @param warn - receives a message if the text was guessed.
 * @throws XMLRPCDecodeError - the bytes agree with none, and their encoding does not contain ASCII.
 */
export function decodeTextLeniently(
  bytes: Uint8Array,
  charset = '',
  warn?: (message: string) => void,
): string {
  const head = decodeLatin1(bytes.subarray(0, PROLOG_BYTES))
  // A zero byte further back can be a character of a text.
  const isASCIICompatible = !head.slice(0, 4).includes('\0')
  const labels = isASCIICompatible ? labelsOf(declaredEncoding(head) ?? '', charset) : ['', charset]
  try {
    return decodeAsFirst(labels, bytes, isASCIICompatible)
  } catch (error) {
    if (!isASCIICompatible || !(error instanceof XMLRPCDecodeError)) throw error
    const root = rootOf(bytes, head)
    try {
      if (root.length < bytes.length) return decodeAsFirst(labels, root, true)
    } catch (other) {
      if (!(other instanceof XMLRPCDecodeError)) throw other
    }
    return guessText(root, warn)
  }
}

/** A character beyond ASCII in UTF-8, as Latin-1 shows it. */
const UTF_8_CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

/**
 * Decodes bytes that are not UTF-8 and state no other encoding that they agree with: as UTF-8 with U+FFFD for each wrong byte
 * if they contain a character of UTF-8 beyond ASCII, otherwise as windows-1252, which has Latin-1.
 */
function guessText(bytes: Uint8Array, warn?: (message: string) => void): string {
  const isUTF8 = UTF_8_CHARACTER.test(decodeLatin1(bytes))
  warn?.(
    isUTF8
      ? 'The response has bytes that are not UTF-8. They were read as U+FFFD.'
      : 'The response is not UTF-8 and states no other encoding. It was read as windows-1252 (Latin-1).',
  )
  return isUTF8 ? new TextDecoder().decode(bytes) : decodeAs(bytes, 'windows-1252')
}

function labelsOf(declared: string, charset: string): string[] {
  const labels = [declared, charset, 'utf-8']
  return [declared, charset].some((label) => UTF_8.test(label)) ? ['utf-8', ...labels] : labels
}

function rootOf(bytes: Uint8Array, head: string): Uint8Array {
  const start = Math.max(rootAt(head), 0)
  let end = bytes.lastIndexOf(GT)
  while (end >= 0 && !endsWithRoot(bytes, end)) end = end === 0 ? -1 : bytes.lastIndexOf(GT, end - 1)
  return bytes.subarray(start, end < 0 ? bytes.length : end + 1)
}

function endsWithRoot(bytes: Uint8Array, end: number): boolean {
  return ROOT_END.test(decodeLatin1(bytes.subarray(Math.max(end - 40, 0), end + 1)))
}

function decodeAsFirst(labels: readonly string[], bytes: Uint8Array, isASCIICompatible: boolean): string {
  let failure: unknown
  for (const label of labels) {
    if (isASCIICompatible && (label === '' || NOT_ASCII_COMPATIBLE.test(label))) continue
    try {
      return decodeText(bytes, label)
    } catch (error) {
      if (!(error instanceof XMLRPCDecodeError)) throw error
      failure ??= error
    }
  }
  throw failure
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
    return decodeLatin1(bytes).replace(/[\x80-\x9f]/g, (char) =>
      WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80),
    )
  }
  if (US_ASCII.test(label)) {
    if (bytes.every((byte) => byte < 0x80)) return decodeLatin1(bytes)
    throw invalidBytes('US-ASCII')
  }
  try {
    // UTF-16 without a byte order mark is big-endian (RFC 2781 §4.3).
    return new TextDecoder(label === 'utf-16' ? 'utf-16be' : label, { fatal: true, ignoreBOM: true }).decode(
      bytes,
    )
  } catch (error) {
    if (error instanceof RangeError)
      throw unknownEncoding(`the encoding ${describeValue(encoding)} is unknown`)
    if (error instanceof TypeError) throw invalidBytes(label.toUpperCase())
    throw error
  }
}

function decodeLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}

function invalidBytes(encoding: string): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.invalidCharacter, `the bytes are not ${encoding}`)
}

function unknownEncoding(detail: string): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.unsupportedEncoding, detail)
}
