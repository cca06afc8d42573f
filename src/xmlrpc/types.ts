import type { Binary } from './binary.ts'
import type { DateTime } from './datetime.ts'
import type { Double } from './double.ts'

/**
 * The name of a wire type, as signatures and `Call.types` spell it. `i4` arrives as `int`; the Apache
 * extensions arrive as the type they extend (`ex:i2` as `int`, `ex:float` as `double`, `ex:biginteger` as `i8`).
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

/** What a declared signature may say: a wire type, or `i4`, which means `int`. */
export type SignatureType = TypeName | 'i4'

/** A struct as the decoder gives it: no prototype, so a member called `__proto__` is just a member. */
export interface Struct {
  [member: string]: Value
}

/**
 * A value as the decoder gives it. `Double` occurs only where wrapped doubles were asked for, `null` only
 * where nil is allowed, `bigint` only for `<i8>`.
 */
export type Value = null | boolean | number | bigint | string | DateTime | Binary | Double | Value[] | Struct

/** A struct as the encoder takes it: a plain object, or one without a prototype. */
export interface EncodableStruct {
  readonly [member: string]: Encodable
}

/** A value as the encoder takes it: every `Value`, and the platform's own dates and bytes. */
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

interface ValueTypes {
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

interface ReturnTypes {
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

/** The JavaScript type in which a wire type arrives: `ValueOf<'int'>` is `number`. */
export type ValueOf<T extends SignatureType> = ValueTypes[T]

/** What may be returned where a signature declares this type: `ReturnOf<'base64'>` takes a `Uint8Array` too. */
export type ReturnOf<T extends SignatureType> = ReturnTypes[T]

/** One signature: the return type, then the types of the parameters in order. */
export type Signature = readonly [returns: SignatureType, ...parameters: SignatureType[]]

type ValuesOf<P extends readonly SignatureType[]> = { [I in keyof P]: ValueOf<P[I]> }

/** The parameters of a handler with this signature: `ParametersOf<['string', 'int']>` is `[number]`. */
export type ParametersOf<S extends Signature> = S extends readonly [
  SignatureType,
  ...infer P extends readonly SignatureType[],
]
  ? ValuesOf<P>
  : never

/** The type of a handler with this signature, synchronous or not. */
export type HandlerOf<S extends Signature> = (
  ...parameters: ParametersOf<S>
) => ReturnOf<S[0]> | Promise<ReturnOf<S[0]>>
