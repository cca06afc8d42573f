import type { Value } from '../types.ts'
import { XMLRPCProtocolError } from '../xmlrpc-error.ts'

/**
 * Returns the result of `system.listMethods`.
 *
 * @param allowsStruct - whether an empty struct is an empty list, as PHP encodes an empty array.
 * @throws XMLRPCProtocolError - it is not a list of names.
 */
export function methodNamesIn(value: Value, allowsStruct: boolean): string[] {
  if (isStrings(value)) return value
  if (allowsStruct && isEmptyStruct(value)) return []
  throw new XMLRPCProtocolError('system.listMethods did not return an array of strings')
}

/** Returns true for an array of strings. */
export function isStrings(value: Value): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isEmptyStruct(value: Value): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === null &&
    Object.keys(value).length === 0
  )
}
