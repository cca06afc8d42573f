import type { Binary } from './binary.ts'
import type { DateTime } from './datetime.ts'
import type { Double } from './double.ts'

/**
 * Name of a type, as in signatures and `Call.types`. `i4` is decoded as `int`, Apache's extensions as the type that they
 * extend: `ex:i1` and `ex:i2` as `int`, `ex:float` as `double`, `ex:biginteger` as `i8`.
 */
export type TypeName =
  | 'string'
  | 'array'
  | 'boolean'
  | 'int'
  | 'i8'
  | 'double'
  | 'struct'
  | 'dateTime.iso8601'
  | 'base64'
  | 'nil'

/** Type name in a signature: a `TypeName`, or `i4`, which is the same as `int`. */
export type SignatureType = TypeName | 'i4'

/** A decoded struct. It has no prototype, so that a member can have any name, `__proto__` included. */
export interface Struct {
  [member: string]: Value
}

/**
 * A decoded value. `Double` occurs only with `doubles: 'wrapped'`, null only with `allowNil`, bigint only
 * for `<i8>`.
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

/** TypeScript type of the results that a signature with this type allows: `ReturnOf<'base64'>` includes `Uint8Array`. */
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
