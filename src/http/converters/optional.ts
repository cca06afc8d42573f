import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import {
  accept,
  type Converter,
  describedSchema,
  isConverter,
  makeConverter,
  schemaName,
} from './converter.ts'

/**
 * Makes an argument optional. A missing or empty value becomes the default; any other value is converted.
 *
 * @param converter - a converter or any other Standard Schema.
 * @param fallback - the default, `undefined` unless given. Every request receives the same value.
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { int, optional, string } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { index: { page: optional(int, 1), q: optional(string) } } // /users?q=ann&page=2
 *
 *   index(page: number, q?: string) {
 *     return { page, q }
 *   }
 * }
 * ```
 */
export function optional<S extends StandardSchemaV1>(
  converter: S,
): Converter<StandardSchemaV1.InferOutput<S> | undefined, StandardSchemaV1.InferInput<S> | undefined>
export function optional<S extends StandardSchemaV1>(
  converter: S,
  fallback: StandardSchemaV1.InferOutput<S>,
): Converter<StandardSchemaV1.InferOutput<S>, StandardSchemaV1.InferInput<S> | undefined>
export function optional(schema: StandardSchemaV1, fallback?: unknown): Converter<unknown, unknown> {
  const { validate } = schema['~standard']
  const name = schemaName(schema)
  return makeConverter(
    fallback === undefined ? `optional(${name})` : `optional(${name}, ${describeValue(fallback, 20)})`,
    isConverter(schema) && schema.repeatable,
    {
      input: (options) => describedSchema(schema, 'input', options),
      output: (options) => ({ ...describedSchema(schema, 'output', options), ...defaultOf(fallback) }),
    },
    (value) => (isAbsent(value) ? accept(fallback) : validate(value)),
  )
}

function isAbsent(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => each === '')
  return value === undefined || value === ''
}

/** Returns the JSON Schema keyword `default`, unless the value is an object such as a Date. */
function defaultOf(fallback: unknown): { readonly default?: unknown } {
  const isObject = typeof fallback === 'object' && !Array.isArray(fallback)
  return fallback === undefined || isObject ? {} : { default: fallback }
}
