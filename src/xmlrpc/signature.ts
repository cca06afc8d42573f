import { Binary } from './binary.ts'
import { DateTime } from './datetime.ts'
import { Double, double } from './double.ts'
import { XMLRPCEncodeError } from './errors.ts'
import type { Encodable, EncodableStruct, SignatureType, TypeName } from './types.ts'

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

/** Whether a signature may say this. */
export function isSignatureType(name: string): name is SignatureType {
  return TYPE_NAMES.has(name)
}

/** The wire type that a value is written as, when nothing says otherwise; `undefined` when it cannot be written. */
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

/** Whether an object is one that goes out as a struct: a literal's, of any realm, or one without a prototype. */
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
 * Finds the signature that a call fits: as many parameters, each of the very type. A boolean is no int, an
 * int no double, an `i8` no int; `i4` means `int`. Nil fits `nil` only.
 *
 * @param signatures each the return type, then the types of the parameters.
 * @param types the wire types of the call's parameters, as `decodeCall` tells them.
 * @returns the index of the first signature that fits, or -1.
 * @example
 * ```ts
 * matchSignature([['string', 'int'], ['string', 'int', 'string']], ['int', 'string']) // 1
 * ```
 */
export function matchSignature(
  signatures: readonly (readonly string[])[],
  types: readonly TypeName[],
): number {
  return signatures.findIndex(
    (signature) =>
      signature.length === types.length + 1 &&
      types.every((type, i) => {
        const declared = signature[i + 1]
        return declared === type || (declared === 'i4' && type === 'int')
      }),
  )
}

/**
 * A value as its declared type wants it written, where its JavaScript type leaves a choice: a number declared
 * `double` becomes a `Double`, one declared `i8` a bigint, a bigint declared `int` a number. What leaves no
 * choice, or is of another kind than declared, comes back as it is.
 *
 * @throws XMLRPCEncodeError when a number does not fit the declared integer type.
 */
export function asType(value: Encodable, type: SignatureType, path = 'result'): Encodable {
  if (typeof value === 'number') {
    if (type === 'double') return double(value)
    if (type === 'int' || type === 'i4') return inInt(value, value, path)
    if (type === 'i8') {
      if (Number.isSafeInteger(value)) return BigInt(value)
      throw new XMLRPCEncodeError(path, `${value} is not an i8, as its signature declares`)
    }
  } else if (typeof value === 'bigint' && (type === 'int' || type === 'i4')) {
    return inInt(Number(value), value, path)
  }
  return value
}

function inInt(number: number, value: number | bigint, path: string): number {
  if (number === (number | 0)) return number === 0 ? 0 : number
  throw new XMLRPCEncodeError(path, `${value} is not an int, as its signature declares`)
}
