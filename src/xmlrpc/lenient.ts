import { decodeForgivingBase64 } from '../wsgi/base64.ts'
import { Binary } from './binary.ts'
import { decodeTextLeniently } from './charset.ts'
import { DateTime } from './datetime.ts'
import { Double } from './double.ts'
import { Fault, receivedFault } from './fault.ts'
import { type Policy, STRICT } from './policy.ts'
import { rootAt } from './prolog.ts'
import { asNumber, parseBigInteger } from './scalars.ts'
import { lenientTag } from './tags.ts'
import type { Value } from './types.ts'

/**
 * Accepts what real servers send, and only where its meaning is certain: mostly what Python's `xmlrpc.client` accepts.
 * No entity is declared, expanded or fetched.
 */
export const LENIENT: Policy = {
  text: decodeTextLeniently,
  rootAt,
  ignoresText: true,
  allowsBareArray: true,
  forbiddenAt: (text) => (text.isWellFormed() ? -1 : 0),
  allowsUnescaped: true,
  extension: lenientTag,
  integer(text) {
    const value = parseBigInteger(text)
    return value === undefined ? undefined : asNumber(value)
  },
  i8: parseBigInteger,
  double(text) {
    const [, sign, word] = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text) ?? []
    if (sign === undefined) return STRICT.double(text)
    if (word === undefined) return Number.NaN
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  },
  boolean: (text) => STRICT.boolean(text.toLowerCase(), true),
  dateTime: (text) => STRICT.dateTime(text) ?? text,
  base64: decodeForgivingBase64,
  allowsVoid: true,
  fault: toFault,
}

/** Creates a fault of what is known: the code is 0 and the text is empty if they are missing. */
export function toFault(value: Value): Fault {
  if (typeof value !== 'object' || value === null || !isStruct(value)) return new Fault(0, textOf(value))
  const { faultCode, faultString } = value
  const text = textOf(faultString)
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

/** Returns the text of a scalar; '' for others. */
function textOf(value: Value | undefined): string {
  if (value === undefined || value === null) return ''
  if (value instanceof DateTime) return value.text
  if (typeof value === 'object' && !(value instanceof Binary || value instanceof Double)) return ''
  return String(value)
}
