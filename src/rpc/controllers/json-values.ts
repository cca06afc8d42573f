/**
 * Values of the declared types in JSON.
 *
 * A date is ISO 8601 text, bytes are base64, a 64-bit integer beyond the safe integers of JavaScript is decimal text.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { DateTime } from '../xmlrpc/datetime.ts'
import { asType, type SignatureType } from '../xmlrpc/signature.ts'
import { Binary, Double, type Encodable, isPlain } from '../xmlrpc/values.ts'

type Result = StandardSchemaV1.Result<unknown>

/** Options for writing results. */
interface JSONOptions {
  /** Whether bigints are written that no signature declares. */
  readonly i8: boolean
  /** Declared type of the result. */
  readonly type: SignatureType | undefined
}

/**
 * Converts a parsed JSON value to the value that XML-RPC has for a declared type. A date without a zone is a local
 * time, which `DateTime.toDate()` reads as UTC unless the method states another zone; a date with a zone keeps it.
 */
export function fromJson(value: unknown, type: SignatureType): Result {
  return CONVERSIONS[type](value)
}

const CONVERSIONS: Readonly<Record<SignatureType, (value: unknown) => Result>> = {
  string: (value) => checked(typeof value === 'string', value, 'a string'),
  boolean: (value) => checked(typeof value === 'boolean', value, 'true or false'),
  double: (value) => checked(Number.isFinite(value), value, 'a number'),
  nil: (value) => checked(value === null, value, 'null'),
  array: (value) => (Array.isArray(value) ? finite(value, value) : misfit('an array')),
  int: toInt,
  i4: toInt,
  i8: toI8,
  struct: (value) => (isRecord(value) ? finite(value, platformValue(value)) : misfit('an object')),
  'dateTime.iso8601': (value) => converted(value, (text) => new DateTime(text), 'a date and time in ISO 8601'),
  base64: (value) => converted(value, Binary.fromBase64, 'base64'),
}

export function misfit(expected: string): Result {
  return { issues: [{ message: `must be ${expected}` }] }
}

function checked(fits: boolean, value: unknown, expected: string): Result {
  return fits ? { value } : misfit(expected)
}

/** Text about a value of which {@link isFiniteThroughout} is false. */
export const INFINITE = 'must not have a number beyond the range of doubles'

function finite(value: unknown, converted: unknown): Result {
  return isFiniteThroughout(value) ? { value: converted } : { issues: [{ message: INFINITE }] }
}

/**
 * Returns false if a parsed value is or has an infinity, as which `JSON.parse` reads a number such as 1e400. The parser
 * limits the depth.
 */
export function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return (Array.isArray(value) ? value : Object.values(value)).every(isFiniteThroughout)
}

function toInt(value: unknown): Result {
  return checked(typeof value === 'number' && value === (value | 0), value, 'an integer within 32 bits')
}

function toI8(value: unknown): Result {
  const isText = typeof value === 'string' && /^-?\d{1,19}$/.test(value)
  if (isText || (typeof value === 'number' && Number.isSafeInteger(value))) {
    const integer = BigInt(value)
    if (BigInt.asIntN(64, integer) === integer) return { value: integer }
  }
  return misfit('an integer within 64 bits, as decimal text beyond the safe integers')
}

/** @param convert - throws a RangeError for malformed text. */
function converted(value: unknown, convert: (text: string) => unknown, expected: string): Result {
  if (typeof value !== 'string') return misfit(expected)
  try {
    return { value: convert(value) }
  } catch (error) {
    if (error instanceof RangeError) return misfit(expected)
    throw error
  }
}

/**
 * Copies a value with the platform's dates, bytes and numbers in place of the types of XML-RPC. Objects have no prototype, as
 * XML-RPC decodes structs. The parser limits the depth.
 */
export function platformValue(value: unknown): unknown {
  if (value instanceof DateTime) return value.toDate()
  if (value instanceof Binary) return value.bytes
  if (value instanceof Double) return value.value
  if (Array.isArray(value)) return value.map(platformValue)
  if (!isRecord(value)) return value
  const struct: Record<string, unknown> = Object.create(null)
  for (const name in value) struct[name] = platformValue(value[name])
  return struct
}

/**
 * Returns the JSON text of a result. Undefined is null.
 *
 * @throws TypeError - a value has no JSON form: NaN, an infinity, a cycle, a function, a symbol, a Map or another
 *   instance without properties, or a bigint without `i8`.
 * @throws XMLRPCEncodeError - a number does not fit its declared type.
 */
export function toJson(result: unknown, { i8, type }: JSONOptions): string {
  const value = type === undefined ? result : asType(result as Encodable, type)
  const allowsBigint = i8 || type === 'i8'
  return JSON.stringify(value ?? null, function (this: object, name, member: unknown) {
    // `member` is the result of toJSON(), which dates and bytes have.
    return writable(Reflect.get(this, name), member, allowsBigint)
  })
}

function writable(original: unknown, member: unknown, allowsBigint: boolean): unknown {
  switch (typeof original) {
    case 'number':
      if (Number.isFinite(original)) return original
      throw new TypeError(`JSON has no ${original}`)
    case 'bigint':
      if (!allowsBigint) throw new TypeError('JSON has no bigint. Declare the type i8, or set static i8 = true.')
      return Number.isSafeInteger(Number(original)) ? Number(original) : String(original)
    case 'function':
    case 'symbol':
      throw new TypeError(`JSON has no ${typeof original}`)
    case 'object':
      return original === null ? null : writableObject(original, member)
    default:
      return member
  }
}

function writableObject(original: object, member: unknown): unknown {
  if (original instanceof Date || original instanceof DateTime) return isoTime(original)
  if (original instanceof Uint8Array || original instanceof ArrayBuffer) return String(new Binary(original))
  if (original instanceof Double) return writable(original.value, original.value, false)
  if (ArrayBuffer.isView(original)) throw new TypeError(`JSON has no ${original.constructor.name}`)
  const isEmpty = member === original && !Array.isArray(original) && Object.keys(original).length === 0
  if (isEmpty && !isPlain(original)) {
    throw new TypeError(`JSON has no ${original.constructor?.name ?? 'such object'}: it would be {}`)
  }
  return member
}

/** Formats an instant in UTC: `2026-01-31T12:00:00Z`, with milliseconds unless they are 0. */
function isoTime(time: Date | DateTime): string {
  const date = time instanceof Date ? time : time.toDate()
  if (Number.isNaN(date.getTime())) throw new TypeError('JSON has no invalid date')
  return date.toISOString().replace('.000Z', 'Z')
}
