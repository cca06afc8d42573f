import type { StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { memberOf } from '../../base/thrown.ts'

/** Returns true for a Standard Schema (https://standardschema.dev). */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  // The schemas of ArkType are functions.
  return typeof memberOf(memberOf(value, '~standard'), 'validate') === 'function'
}

/** Returns the path of an issue as texts. Empty for the value as a whole. */
export function issueSteps({ path = [] }: StandardSchemaV1.Issue): string[] {
  // Not `path.map()`: the paths of ArkType are a class whose empty path it would return with a step.
  return Array.from(path, (step) => String(typeof step === 'object' ? step.key : step))
}

/** Returns true if a schema accepts a value that is left out. */
export function acceptsNothing(schema: StandardTypedV1): boolean {
  return accepts(schema, undefined)
}

/**
 * Returns true if a schema accepts a value. One that is asynchronous, throws for the value, or only describes values,
 * does not.
 */
export function accepts(schema: StandardTypedV1, value: unknown): boolean {
  if (!isSchema(schema)) return false
  let result: ReturnType<(typeof schema)['~standard']['validate']>
  try {
    result = schema['~standard'].validate(value)
  } catch {
    return false
  }
  if (!isPromise(result)) return result.issues === undefined
  // An asynchronous schema that fails says so when a request uses it.
  result.then(undefined, () => undefined)
  return false
}
