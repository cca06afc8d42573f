import { decodeBase64, encodeBase64 } from './base64.ts'

/**
 * Bytes: what `<base64>` carries.
 *
 * @example
 * ```ts
 * const picture = new Binary(new Uint8Array([1, 2, 3]))
 * picture.toString() // 'AQID'
 * Binary.fromBase64('AQ\r\nID').bytes // Uint8Array [1, 2, 3]
 * ```
 */
export class Binary {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array | ArrayBuffer) {
    this.bytes = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
  }

  /**
   * Reads base64; blanks and line breaks are passed over.
   *
   * @throws RangeError when the text is not base64.
   */
  static fromBase64(text: string): Binary {
    const bytes = decodeBase64(text)
    if (bytes === undefined) throw new RangeError('The text is not base64')
    return new Binary(bytes)
  }

  /** The bytes as text. @throws TypeError when they are not UTF-8. */
  text(): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes)
  }

  equals(other: Binary): boolean {
    const { bytes } = this
    return bytes.length === other.bytes.length && bytes.every((byte, i) => byte === other.bytes[i])
  }

  /** The bytes as base64, on one line. */
  toString(): string {
    return encodeBase64(this.bytes)
  }

  toJSON(): string {
    return this.toString()
  }
}
