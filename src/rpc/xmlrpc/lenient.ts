/**
 * The policy for documents that deviate from the specifications.
 *
 * @module
 */

import { decodeForgivingBase64 } from '../../base/base64.ts'
import { Binary } from './binary.ts'
import { decodeTextLeniently } from './charset.ts'
import { DateTime } from './datetime.ts'
import { Double } from './double.ts'
import { Fault, receivedFault } from './fault.ts'
import { rootAt } from './markup.ts'
import { type Policy, STRICT } from './policy.ts'
import { asNumber, parseBigInteger, parseDoubleOrInfinity } from './scalars.ts'
import { lenientTag } from './tags.ts'
import type { Struct, Value } from './types.ts'

/** Depth of the values in a fault whose texts are read. */
const MAX_TEXT_DEPTH = 4
/** Numbers that are not finite, as Python, Java and C write them; Microsoft's libraries write the last form. */
const NOT_FINITE = /^([+-]?)(?:(inf|infinity|1\.#inf0*)|nan(?:\([\w]{0,40}\))?|1\.#(?:ind|qnan|snan)0*)$/i

/**
 * Accepts what real servers send, and only where its meaning is certain: mostly what Python's `xmlrpc.client` accepts.
 * No entity is declared, expanded or fetched.
 */
export const LENIENT: Policy = {
  text: decodeTextLeniently,
  rootAt,
  ignoresText: true,
  allowsMissingElements: true,
  forbiddenAt: (text) => (text.isWellFormed() ? -1 : 0),
  allowsUnescaped: true,
  extension: lenientTag,
  integer(text) {
    const value = parseLooseInteger(text)
    return value === undefined ? undefined : asNumber(value)
  },
  i8: parseLooseInteger,
  double(text) {
    const [, sign, infinity] = NOT_FINITE.exec(text.trim()) ?? []
    if (sign === undefined) return parseDoubleOrInfinity(text.trim())
    if (infinity === undefined) return Number.NaN
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  },
  boolean: (text) => STRICT.boolean(text.toLowerCase(), true),
  dateTime: (text) => STRICT.dateTime(text) ?? text,
  base64: decodeForgivingBase64,
  allowsVoid: true,
  fault: toFault,
}

/** An integer, also one that is written with a fraction of zeros. */
function parseLooseInteger(text: string): bigint | undefined {
  return parseBigInteger(text.trim().replace(/\.0{0,20}$/, ''))
}

/** Creates a fault of what is known: the code is 0 and the text is empty if they are missing. */
function toFault(value: Value): Fault {
  if (typeof value !== 'object' || value === null || !isStruct(value)) return new Fault(0, textOf(value))
  const faultCode = memberOf(value, 'faultcode')
  const faultString = memberOf(value, 'faultstring')
  // Without both, the other members say what failed.
  const text = textOf(faultCode === undefined && faultString === undefined ? value : faultString)
  const codeText = textOf(faultCode).trim()
  const code = LENIENT.integer(codeText, 32)
  if (typeof code === 'number') return receivedFault(code, text)
  // A code that is a word is the beginning of the text.
  return new Fault(0, [codeText, text].filter((part) => part !== '').join(': '))
}

type Scalar = DateTime | Binary | Double

function isStruct(value: Exclude<Value, null> & object): value is Exclude<typeof value, Scalar | Value[]> {
  return !(
    Array.isArray(value) ||
    value instanceof DateTime ||
    value instanceof Binary ||
    value instanceof Double
  )
}

/** Returns a member by its name in lower case. */
function memberOf(struct: Struct, name: string): Value | undefined {
  return Object.entries(struct).find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Returns the text of a scalar, and the texts of an array or a struct one after another. */
function textOf(value: Value | undefined, depth = 0): string {
  if (value === undefined || value === null || depth > MAX_TEXT_DEPTH) return ''
  if (value instanceof DateTime) return value.text
  if (typeof value !== 'object' || value instanceof Binary || value instanceof Double) return String(value)
  if (Array.isArray(value)) return value.map((item) => textOf(item, depth + 1)).join(', ')
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${textOf(member, depth + 1)}`)
    .join(', ')
}
