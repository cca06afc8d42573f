import { decodeBase64, encodeBase64 } from '../../base/base64.ts'

/**
 * Bytes: the value of `<base64>` (RFC 4648 §4).
 *
 * @example
 * ```ts
 * import { Binary } from 'propylon/xmlrpc'
 *
 * const picture = new Binary(new Uint8Array([1, 2, 3]))
 * console.log(picture.toString()) // 'AQID'
 * console.log(Binary.fromBase64('AQ\r\nID').bytes) // Uint8Array [1, 2, 3]
 * ```
 */
export class Binary {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array | ArrayBuffer) {
    this.bytes = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
  }

  /**
   * Decodes base64. Skips blanks and line breaks.
   *
   * @throws RangeError - the text is not base64.
   */
  static fromBase64(text: string): Binary {
    const bytes = decodeBase64(text)
    if (bytes === undefined) throw new RangeError('The text is not base64.')
    return new Binary(bytes)
  }

  /** Decodes the bytes as UTF-8. @throws TypeError - the bytes are not UTF-8. */
  text(): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes)
  }

  /** Returns true if both have the same bytes. */
  equals(other: Binary): boolean {
    const { bytes } = this
    return bytes.length === other.bytes.length && bytes.every((byte, i) => byte === other.bytes[i])
  }

  /** Encodes the bytes as base64, on one line. */
  toString(): string {
    return encodeBase64(this.bytes)
  }

  toJSON(): string {
    return this.toString()
  }
}
