import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import {
  accept,
  type Converter,
  describedSchema,
  isConverter,
  makeConverter,
  schemaName,
  validateText,
  validateValue,
} from './converter.ts'
import { accepts } from './schema.ts'

/**
 * Makes an argument optional. A value that is missing, or empty in a URL, becomes the default; any other value is
 * converted.
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
  const name = schemaName(schema)
  return makeConverter({
    name: fallback === undefined ? `optional(${name})` : `optional(${name}, ${describeValue(fallback, 20)})`,
    repeatable: isConverter(schema) && schema.repeatable,
    present: schema,
    jsonSchema: {
      input: (options) => describedSchema(schema, 'input', options),
      output: (options) => ({ ...describedSchema(schema, 'output', options), ...defaultOf(fallback) }),
    },
    validate: (value) => (isAbsent(value) ? accept(fallback) : validateText(schema, value)),
    accept: (value) => {
      // Language models send null for what they leave out.
      const isMissing = value === undefined || (value === null && !accepts(schema, null))
      return isMissing ? accept(fallback) : validateValue(schema, value)
    },
  })
}

/** Returns true for a value that a URL lacks: a field of a form that is not filled in is sent as an empty text. */
function isAbsent(value: unknown): boolean {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value
  return only === undefined || only === ''
}

/** Returns the JSON Schema keyword `default`, unless the value is an object such as a Date. */
function defaultOf(fallback: unknown): { readonly default?: unknown } {
  const isObject = typeof fallback === 'object' && !Array.isArray(fallback)
  return fallback === undefined || isObject ? {} : { default: fallback }
}
