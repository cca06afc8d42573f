import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Returns true for a Standard Schema (https://standardschema.dev). */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  // The schemas of ArkType are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = Reflect.get(value, '~standard')
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof Reflect.get(standard, 'validate') === 'function'
  )
}
