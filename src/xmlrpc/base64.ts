/** The part of `Uint8Array` that newer engines have (ECMAScript 2026, uint8array-base64). */
interface NativeBase64 {
  readonly BYTES_PER_ELEMENT: number
  fromBase64?(text: string, options: { lastChunkHandling: 'strict' }): Uint8Array<ArrayBuffer>
}

interface NativeToBase64 {
  readonly byteLength: number
  toBase64?(): string
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BLANK = 64
const BAD = 128
const PAD = 0x3d

const CODES = new Uint8Array(64)
const SEXTETS = new Uint8Array(256).fill(BAD)
for (let i = 0; i < 64; i++) {
  CODES[i] = ALPHABET.charCodeAt(i)
  SEXTETS[ALPHABET.charCodeAt(i)] = i
}
for (const blank of ' \t\r\n') SEXTETS[blank.charCodeAt(0)] = BLANK

/** No bytes are the same as any other no bytes; a document of many empty values makes them once. */
const NOTHING = new Uint8Array(0)

const native: NativeBase64 = Uint8Array
const ascii = new TextDecoder()

/**
 * Reads base64 (RFC 4648 §4): blanks and line breaks are passed over, everything else is strict: padding
 * must be there, bits behind the end must be zero.
 *
 * @returns the bytes, or `undefined` when the text is not base64.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length === 0) return NOTHING
  if (native.fromBase64 === undefined) return decodeByTable(text)
  try {
    return native.fromBase64(text, { lastChunkHandling: 'strict' })
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The same in plain JavaScript, for engines without `Uint8Array.fromBase64`. */
export function decodeByTable(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text
  const bytes = new Uint8Array(Math.ceil(length / 4) * 3)
  let written = 0
  let bits = 0
  let held = 0
  let at = 0
  while (at < length) {
    // Four sextets at once, as long as nothing else stands between them.
    if (held === 0) {
      for (; at + 3 < length; at += 4) {
        const a = sextetOf(text.charCodeAt(at))
        const b = sextetOf(text.charCodeAt(at + 1))
        const c = sextetOf(text.charCodeAt(at + 2))
        const d = sextetOf(text.charCodeAt(at + 3))
        if ((a | b | c | d) > 63) break
        bytes[written] = (a << 2) | (b >> 4)
        bytes[written + 1] = (b << 4) | (c >> 2)
        bytes[written + 2] = (c << 6) | d
        written += 3
      }
      if (at >= length) break
    }
    const sextet = sextetOf(text.charCodeAt(at))
    if (sextet === BAD) break
    at++
    if (sextet === BLANK) continue
    bits = (bits << 6) | sextet
    if (++held === 4) {
      bytes[written] = bits >> 16
      bytes[written + 1] = bits >> 8
      bytes[written + 2] = bits
      written += 3
      bits = 0
      held = 0
    }
  }
  let pads = 0
  for (; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === PAD) pads++
    else if (sextetOf(code) !== BLANK) return undefined
  }
  if (held === 0) return pads === 0 ? trim(bytes, written) : undefined
  if (held === 1 || held + pads !== 4) return undefined
  if (held === 2) {
    if ((bits & 15) !== 0) return undefined
    bytes[written++] = bits >> 4
  } else {
    if ((bits & 3) !== 0) return undefined
    bytes[written++] = bits >> 10
    bytes[written++] = bits >> 2
  }
  return trim(bytes, written)
}

function sextetOf(code: number): number {
  return code < 256 ? (SEXTETS[code] as number) : BAD
}

function trim(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return bytes.length === length ? bytes : bytes.slice(0, length)
}

/** Writes base64 (RFC 4648 §4) on one line, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  const newer: NativeToBase64 = bytes
  return newer.toBase64 === undefined ? encodeByTable(bytes) : newer.toBase64()
}

/** The same in plain JavaScript, for engines without `Uint8Array.prototype.toBase64`. */
export function encodeByTable(bytes: Uint8Array): string {
  const { length } = bytes
  const codes = new Uint8Array(Math.ceil(length / 3) * 4)
  let at = 0
  let written = 0
  for (; at + 2 < length; at += 3) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
    codes[written] = CODES[bits >> 18] as number
    codes[written + 1] = CODES[(bits >> 12) & 63] as number
    codes[written + 2] = CODES[(bits >> 6) & 63] as number
    codes[written + 3] = CODES[bits & 63] as number
    written += 4
  }
  if (at < length) {
    const two = at + 1 < length
    const bits = ((bytes[at] as number) << 16) | (two ? (bytes[at + 1] as number) << 8 : 0)
    codes[written] = CODES[bits >> 18] as number
    codes[written + 1] = CODES[(bits >> 12) & 63] as number
    codes[written + 2] = two ? (CODES[(bits >> 6) & 63] as number) : PAD
    codes[written + 3] = PAD
  }
  return ascii.decode(codes)
}
