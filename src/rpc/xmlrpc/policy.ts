/**
 * The interface of policies, and the strict one.
 *
 * @module
 */

import { decodeBase64 } from '../../base/base64.ts'
import { forbiddenAt } from './characters.ts'
import { decodeText } from './charset.ts'
import { DateTime } from './datetime.ts'
import { Fault } from './fault.ts'
import { parseBoolean, parseDouble, parseI8, parseInteger } from './scalars.ts'
import { extensionTag, type Tag } from './tags.ts'
import type { Value } from './types.ts'

/**
 * Rules for reading documents that deviate from the specifications: one method per deviation. A method that parses
 * a value returns undefined if the text is not one; blanks around the text are removed before.
 */
export interface Policy {
  /**
   * Decodes the bytes of a document.
   *
   * @param charset - parameter of its `Content-Type`.
   * @param warn - receives a message if the encoding had to be guessed.
   */
  text(bytes: Uint8Array, charset: string | undefined, warn?: (message: string) => void): string
  /** Returns the offset of the root element if everything before it must be skipped, or -1. */
  rootAt(text: string): number
  /** Whether what follows the root element is ignored, and text between elements. */
  readonly ignoresText: boolean
  /**
   * Whether the elements around values may be missing or occur more often: `<param>`, `<value>`, `<data>` and
   * `<member>`.
   */
  readonly allowsMissingElements: boolean
  /** Returns the index of the first character that is refused, or -1. */
  forbiddenAt(text: string): number
  /**
   * Whether an `&` that begins no reference is itself, as a `<` that begins no tag; `]]>` may be outside of a CDATA
   * section, `--` in a comment, and references may be to entities of HTML.
   */
  readonly allowsUnescaped: boolean
  /** Returns the type that an element without a place in the specification has. */
  extension(localName: string, isExtension: boolean): Tag | undefined
  /** Parses `<int>`, `<i4>`, `<i2>` and `<i1>`. */
  integer(text: string, bits: 8 | 16 | 32): number | bigint | undefined
  /** Parses `<i8>` and `<biginteger>`. */
  i8(text: string): bigint | undefined
  double(text: string): number | undefined
  boolean(text: string, words: boolean): boolean | undefined
  dateTime(text: string): DateTime | string | undefined
  base64(text: string): Uint8Array | undefined
  /** Whether a response without a value is null. */
  readonly allowsVoid: boolean
  fault(value: Value): Fault | undefined
}

/** Accepts what the specifications allow, and forms that are common and unambiguous. */
export const STRICT: Policy = {
  text: (bytes, charset) => decodeText(bytes, charset),
  rootAt: () => -1,
  ignoresText: false,
  allowsMissingElements: false,
  forbiddenAt,
  allowsUnescaped: false,
  extension: (localName, isExtension) => (isExtension ? extensionTag(localName) : undefined),
  integer: parseInteger,
  i8: parseI8,
  double: parseDouble,
  boolean: parseBoolean,
  dateTime(text) {
    try {
      return new DateTime(text)
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  },
  base64: decodeBase64,
  allowsVoid: false,
  /** Accepts any integer type as the code, because the message of the fault matters more than its form. */
  fault(value) {
    if (typeof value !== 'object' || value === null) return undefined
    if (!('faultCode' in value && 'faultString' in value)) return undefined
    const { faultCode, faultString } = value
    const code = parseInteger(String(faultCode), 32)
    return code !== undefined && typeof faultString === 'string' ? new Fault(code, faultString) : undefined
  },
}
