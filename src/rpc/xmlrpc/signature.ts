/**
 * Types of XML-RPC and their names, as signatures have them.
 *
 * @module
 */

import { DateTime } from './datetime.ts'
import { XMLRPCEncodeError } from './errors.ts'
import {
  Binary,
  Double,
  double,
  type Encodable,
  type EncodableStruct,
  isPlain,
  type Struct,
  type Value,
} from './values.ts'

/** Names of the types. A signature can also have `i4` for `int`. */
export const TYPE_NAMES = [
  'int',
  'boolean',
  'string',
  'double',
  'dateTime.iso8601',
  'base64',
  'struct',
  'array',
  'i8',
  'nil',
] as const

/**
 * Name of a type, as in signatures and `Call.types`. `i4` is decoded as `int`, Apache's extensions as the type that
 * they extend: `ex:i1` and `ex:i2` as `int`, `ex:float` as `double`, `ex:biginteger` as `i8`.
 */
export type TypeName = (typeof TYPE_NAMES)[number]

/** Type name in a signature: a `TypeName`, or `i4`, which is the same as `int`. */
export type SignatureType = TypeName | 'i4'

export interface ValueTypes {
  string: string
  array: Value[]
  boolean: boolean
  int: number
  i4: number
  i8: bigint
  double: number
  struct: Struct
  'dateTime.iso8601': DateTime
  base64: Binary
  nil: null
}

export interface ReturnTypes {
  string: string
  array: readonly Encodable[]
  boolean: boolean
  int: number
  i4: number
  i8: bigint | number
  double: number | Double
  struct: EncodableStruct
  'dateTime.iso8601': DateTime | Date
  base64: Binary | Uint8Array | ArrayBuffer
  nil: null
}

/** TypeScript type of a decoded value: `ValueOf<'int'>` is `number`. */
export type ValueOf<T extends SignatureType> = ValueTypes[T]

/**
 * TypeScript type of the results that a signature with this type allows: `ReturnOf<'base64'>` includes `Uint8Array`.
 */
export type ReturnOf<T extends SignatureType> = ReturnTypes[T]

/** A signature: the return type, then the types of the parameters in order. */
export type Signature = readonly [returns: SignatureType, ...parameters: SignatureType[]]

type ValuesOf<P extends readonly SignatureType[]> = { [I in keyof P]: ValueOf<P[I]> }

/** Parameters of a method with this signature: `ParametersOf<['string', 'int']>` is `[number]`. */
export type ParametersOf<S extends Signature> = S extends readonly [
  SignatureType,
  ...infer P extends readonly SignatureType[],
]
  ? ValuesOf<P>
  : never

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
  return name === 'i4' || TYPE_NAMES.some((type) => type === name)
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
