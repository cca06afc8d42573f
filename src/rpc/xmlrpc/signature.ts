import { Binary } from './binary.ts'
import { DateTime } from './datetime.ts'
import { Double, double } from './double.ts'
import type { Encodable, EncodableStruct, SignatureType, TypeName } from './types.ts'
import { XMLRPCEncodeError } from './xmlrpc-error.ts'

const TYPE_NAMES: ReadonlySet<string> = new Set<SignatureType>([
  'string',
  'array',
  'boolean',
  'int',
  'i4',
  'i8',
  'double',
  'struct',
  'dateTime.iso8601',
  'base64',
  'nil',
])

/**
 * Returns true if a signature can have this type name.
 *
 * @example
 * ```ts
 * import { isSignatureType } from 'propylon/xmlrpc'
 *
 * console.log(isSignatureType('int'), isSignatureType('number')) // true, false
 * ```
 */
export function isSignatureType(name: string): name is SignatureType {
  return TYPE_NAMES.has(name)
}

/**
 * Returns the type that a value is encoded as by default, or undefined if it has no XML-RPC form. Does not look into
 * arrays and structs.
 *
 * @example
 * ```ts
 * import { typeOf } from 'propylon/xmlrpc'
 *
 * console.log(typeOf(4), typeOf(0.5), typeOf({}), typeOf(undefined)) // 'int', 'double', 'struct', undefined
 * ```
 */
export function typeOf(value: unknown): TypeName | undefined {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'bigint':
      return 'i8'
    case 'number':
      if (!Number.isFinite(value)) return undefined
      return value === (value | 0) && !Object.is(value, -0) ? 'int' : 'double'
    case 'object':
      return typeOfObject(value)
    default:
      return undefined
  }
}

function typeOfObject(value: object | null): TypeName | undefined {
  if (value === null) return 'nil'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Double) return 'double'
  if (value instanceof DateTime || value instanceof Date) return 'dateTime.iso8601'
  if (value instanceof Binary || value instanceof Uint8Array || value instanceof ArrayBuffer) return 'base64'
  return isPlain(value) ? 'struct' : undefined
}

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

/**
 * Converts a number or bigint so that it is encoded as its declared type: `double` to a `Double`, `i8` to a bigint,
 * `int` to a number. Returns other values, and values of another kind than declared, unchanged.
 *
 * @param path - path of the value in the error message. Default `result`.
 * @throws XMLRPCEncodeError - the number does not fit in the declared integer type.
 * @example
 * ```ts
 * import { asType, encodeCall } from 'propylon/xmlrpc'
 *
 * encodeCall('scale', [asType(2, 'double')]) // … <double>2.0</double> …
 * ```
 */
export function asType(value: Encodable, type: SignatureType, path = 'result'): Encodable {
  if (typeof value === 'number') {
    if (type === 'double') return double(value)
    if (type === 'int' || type === 'i4') return inInt(value, value, path)
    if (type === 'i8') {
      if (Number.isSafeInteger(value)) return BigInt(value)
      throw new XMLRPCEncodeError(path, `${value} is not an i8, which the signature declares`)
    }
  } else if (typeof value === 'bigint' && (type === 'int' || type === 'i4')) {
    return inInt(Number(value), value, path)
  }
  return value
}

function inInt(number: number, value: number | bigint, path: string): number {
  if (number === (number | 0)) return number === 0 ? 0 : number
  throw new XMLRPCEncodeError(path, `${value} is not an int, which the signature declares`)
}
