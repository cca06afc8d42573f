/** Conversion of a sent value to the argument of a declared type. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import { validateValue } from '../../http/converters/converter.ts'
import { type SignatureType, type TypeName, typeOf } from '../xmlrpc/signature.ts'
import { Double } from '../xmlrpc/values.ts'
import { fromJson, INFINITE, isFiniteThroughout, misfit, platformValue, toJson } from './json-values.ts'
import { type DeclaredType, isConverted, Members, refusesText, xmlrpcType } from './type-table.ts'

/** The outcome of a conversion. */
export type Result = StandardSchemaV1.Result<unknown>

/**
 * Converts a value.
 *
 * @param sent - the type of a value of XML-RPC. Undefined for a value of JSON.
 * @returns a promise only if a schema is asynchronous.
 */
export function convertValue(value: unknown, sent: TypeName | undefined, type: DeclaredType): Result | Promise<Result> {
  if (value === undefined) return omitted(type)
  if (typeof type === 'string') {
    return sent === undefined ? fromJson(value, type) : fromTyped(value, sent, type)
  }
  if (type instanceof Members) return convertMembers(value, sent, type)
  const meant = xmlrpcType(type, 'input')
  if (sent !== undefined) {
    if (!isSendable(value, sent, meant)) return misfit(`${meant}, not ${sent}`)
    if (meant === 'i8' && typeof value === 'number') return validateValue(type, BigInt(value))
    // The schema of a date takes a Date or a text.
    const forms = [() => platformValue(value), () => JSON.parse(toJson(value, { i8: true, type: undefined }))]
    return firstAccepted(type, forms)
  }
  if (!isFiniteThroughout(value)) return { issues: [{ message: INFINITE }] }
  if (typeof value === 'string' && refusesText(meant)) return misfit(`${meant}, not string`)
  const result = isConverted(meant) ? fromJson(value, meant) : undefined
  return firstAccepted(type, [
    () => value,
    ...(result !== undefined && result.issues === undefined ? [() => platformValue(result.value)] : []),
  ])
}

/** Returns the result of the first form of a value that a schema accepts, or of the last one. */
function firstAccepted(
  schema: StandardSchemaV1,
  [form, ...others]: readonly (() => unknown)[],
): Result | Promise<Result> {
  const result = validateValue(schema, form?.())
  const decide = (settled: Result) =>
    settled.issues === undefined || others.length === 0 ? settled : firstAccepted(schema, others)
  return isPromise(result) ? result.then(decide) : decide(result)
}

/** Returns the default of a schema for a parameter that a call left out, or undefined for the default of the method. */
function omitted(type: DeclaredType): Result | Promise<Result> {
  const result = typeof type === 'string' ? { value: undefined } : validateValue(type, undefined)
  return isPromise(result) ? result.then(orNothing) : orNothing(result)
}

function orNothing(result: Result): Result {
  return result.issues === undefined ? result : { value: undefined }
}

/**
 * Returns the value of XML-RPC for a declared type. Many clients send whole numbers as ints, whatever the procedure
 * takes.
 */
function fromTyped(value: unknown, sent: TypeName, type: SignatureType): Result {
  if (type === sent || (type === 'i4' && sent === 'int')) {
    return { value: type === 'double' && value instanceof Double ? value.value : value }
  }
  if (sent === 'int' && typeof value === 'number') {
    if (type === 'double') return { value }
    if (type === 'i8') return { value: BigInt(value) }
  }
  return misfit(`${type}, not ${sent}`)
}

/**
 * Returns true if a value of XML-RPC can be meant for a schema of a type. A schema accepts nil, or refuses it itself.
 */
function isSendable(value: unknown, sent: TypeName, type: SignatureType | undefined): boolean {
  if (type === undefined || type === sent || sent === 'nil') return true
  if (sent === 'int') return type === 'double' || type === 'i8'
  if (!Number.isSafeInteger(Number(value))) return false
  if (sent === 'i8') return type === 'double' || type === 'int'
  // Clients without i8 send a whole number beyond 32 bits as a double.
  return sent === 'double' && type === 'int' && Math.abs(Number(value)) >= 2 ** 31
}

/** Converts each member that has a schema. The others stay as they are. */
function convertMembers(value: unknown, sent: TypeName | undefined, { converters }: Members): Result | Promise<Result> {
  if (!isRecord(value)) return misfit('an object')
  const names = [...converters.keys()]
  const results = [...converters].map(([name, schema]) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    return convertValue(member, sent === undefined ? undefined : (typeOf(member) ?? 'nil'), schema)
  })
  const join = (settled: readonly Result[]): Result => {
    const converted: Record<string, unknown> = Object.assign(Object.create(null), value)
    const issues: StandardSchemaV1.Issue[] = []
    settled.forEach((result, index) => {
      const name = names[index] ?? ''
      if (result.issues === undefined) converted[name] = result.value
      for (const { message, path = [] } of result.issues ?? []) issues.push({ message, path: [name, ...path] })
    })
    return issues.length === 0 ? { value: converted } : { issues }
  }
  return results.some(isPromise) ? Promise.all(results).then(join) : join(results.filter(isSettled))
}

/** Returns true for a result that is not a promise. */
export function isSettled(result: Result | Promise<Result>): result is Result {
  return !isPromise(result)
}
