import { quote, XMLRPCDecodeError } from './errors.ts'
import { FaultCode } from './fault.ts'

/** How much of a document that is not UTF-8 is searched for an encoding declaration. */
const HEAD = 256
const PIECE = 65_536
const DECLARATION =
  /^<\?xml[ \t\r\n][^>]{0,200}?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][\w.-]*)["']/

// What windows-1252 has in place of ISO-8859-1's control characters 0x80 to 0x9F; five of them stay as they are.
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

type Decoder = InstanceType<typeof TextDecoder>

const LATIN1 = new Set(['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'l1'])
const ASCII = new Set(['us-ascii', 'ascii', 'iso646-us'])

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The document's text. The encoding is what the byte order mark says, else the `charset` parameter of the
 * transport, else the XML declaration, else UTF-8 (RFC 7303 §3).
 *
 * @throws XMLRPCDecodeError -32701 when the encoding is not known, -32702 when a byte is not of the encoding.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return withDecoder(bytes.subarray(3), utf8, 3)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return byName(bytes.subarray(2), 'utf-16le', 2)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return byName(bytes.subarray(2), 'utf-16be', 2)
  if (charset !== undefined && charset !== '') return byName(bytes, unquoted(charset), 0)
  if (bytes[0] === 0x3c && bytes[1] === 0) return byName(bytes, 'utf-16le', 0)
  if (bytes[0] === 0 && bytes[1] === 0x3c) return byName(bytes, 'utf-16be', 0)
  return byDeclaration(bytes)
}

/** Nearly every document is UTF-8 and says so or nothing: it is read as that, and its declaration looked at then. */
function byDeclaration(bytes: Uint8Array): string {
  let text: string | undefined
  try {
    text = utf8.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  const declared = declaredEncoding(text ?? latin1(bytes.subarray(0, HEAD)))
  if (declared === undefined || /^utf-?8$/i.test(declared)) return text ?? withDecoder(bytes, utf8, 0)
  if (/^(utf-?16|ucs-?[24]|utf-?32|iso-10646-ucs)/i.test(declared)) {
    throw unknownEncoding(`the document declares ${quote(declared)} but is not written in it`)
  }
  return byName(bytes, declared, 0)
}

function unquoted(charset: string): string {
  return charset.trim().replace(/^"(.*)"$/, '$1')
}

function declaredEncoding(text: string): string | undefined {
  return text.startsWith('<?xml') ? DECLARATION.exec(text)?.[1] : undefined
}

function byName(bytes: Uint8Array, name: string, skipped: number): string {
  const label = name.toLowerCase()
  if (label === 'utf-8' || label === 'utf8') return withDecoder(bytes, utf8, skipped)
  if (LATIN1.has(label)) return latin1(bytes)
  if (label === 'windows-1252' || label === 'cp1252') return windows1252(bytes)
  if (ASCII.has(label)) {
    const at = bytes.findIndex((byte) => byte > 0x7f)
    if (at >= 0) throw badByte('US-ASCII', skipped + at)
    return latin1(bytes)
  }
  let decoder: Decoder
  try {
    // UTF-16 without a mark that says more is taken for big-endian (RFC 2781 §4.3).
    decoder = new TextDecoder(label === 'utf-16' ? 'utf-16be' : label, { fatal: true, ignoreBOM: true })
  } catch (error) {
    if (error instanceof RangeError) throw unknownEncoding(`the encoding ${quote(name)} is not known`)
    throw error
  }
  return withDecoder(bytes, decoder, skipped)
}

function withDecoder(bytes: Uint8Array, decoder: Decoder, skipped: number): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw badByte(decoder.encoding.toUpperCase(), skipped + badOffset(bytes, decoder.encoding))
  }
}

/** Finds what the platform's decoder does not tell, in linear time: the bad piece first, the bad byte in it then. */
function badOffset(bytes: Uint8Array, encoding: string): number {
  let decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  let start = 0
  while (start < bytes.length && decodes(decoder, bytes.subarray(start, start + PIECE))) start += PIECE
  if (start >= bytes.length) return bytes.length
  decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  decodes(decoder, bytes.subarray(0, start))
  let at = start
  while (decodes(decoder, bytes.subarray(at, at + 1))) at++
  return at
}

function decodes(decoder: Decoder, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: true })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}

function windows1252(bytes: Uint8Array): string {
  return latin1(bytes).replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80] as string)
}

function badByte(encoding: string, offset: number): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.invalidCharacter, `the bytes are not ${encoding}`, {
    offset,
    unit: 'byte',
  })
}

function unknownEncoding(detail: string): XMLRPCDecodeError {
  return new XMLRPCDecodeError(FaultCode.unsupportedEncoding, detail, { offset: 0, unit: 'byte' })
}
