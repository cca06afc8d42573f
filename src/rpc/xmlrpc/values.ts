/**
 * Values of XML-RPC.
 *
 * @module
 */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import type { DateTime } from './datetime.ts'

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

/**
 * A number that is encoded as `<double>` whatever its value.
 *
 * @example
 * ```ts
 * import { Double, decodeResponse, encodeResponse } from 'propylon/xmlrpc'
 *
 * const value = decodeResponse(encodeResponse(new Double(2)), { doubles: 'wrapped' })
 * if (value instanceof Double) console.log(value.value) // 2
 * ```
 */
export class Double {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  valueOf(): number {
    return this.value
  }

  toString(): string {
    return String(this.value)
  }

  toJSON(): number {
    return this.value
  }
}

/**
 * Encodes a number as `<double>`. An integer within 32 bits would otherwise be encoded as `<int>`.
 *
 * @example
 * ```ts
 * import { double, encodeCall } from 'propylon/xmlrpc'
 *
 * encodeCall('scale', [double(2)]) // … <double>2.0</double> …
 * ```
 */
export function double(value: number): Double {
  return new Double(value)
}

/** A decoded struct. It has no prototype, so that a member can have any name, `__proto__` included. */
export interface Struct {
  [member: string]: Value
}

/**
 * A decoded value. `Double` occurs only with `doubles: 'wrapped'`, null only with `allowNil`, bigint only for `<i8>`.
 */
export type Value = null | boolean | number | bigint | string | DateTime | Binary | Double | Value[] | Struct

/** An object that can be encoded as a struct: a plain object, or one without a prototype. */
export interface EncodableStruct {
  readonly [member: string]: Encodable
}

/** A value that can be encoded: every `Value`, and the platform's dates and bytes. */
export type Encodable =
  | null
  | boolean
  | number
  | bigint
  | string
  | DateTime
  | Date
  | Binary
  | Uint8Array
  | ArrayBuffer
  | Double
  | readonly Encodable[]
  | EncodableStruct

/** Returns true for an object that is encoded as a struct: a plain object of any realm, or one without a prototype. */
export function isPlain(value: object): value is EncodableStruct {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  )
}
