import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import type { TextKey, TextValues } from '../languages/texts.ts'
import { textIssue } from '../languages/translation.ts'
import { type Direction, isUnrestricted, type JSONSchema, jsonSchemaOf } from './json-schema.ts'

/** The Standard Schema and the Standard JSON Schema of a converter. */
export interface ConverterProps<Output, Input>
  extends StandardSchemaV1.Props<Input, Output>,
    StandardJSONSchemaV1.Props<Input, Output> {
  readonly types?: StandardSchemaV1.Types<Input, Output> | undefined
}

/**
 * Converts the text of an argument to a value: a Standard Schema with a name.
 *
 * `~standard.jsonSchema` describes the text (`input`) and the value (`output`) as JSON Schema.
 */
export interface Converter<Output = unknown, Input = string> {
  /** Name for messages and lists: `int`, `optional(int, 1)`. */
  readonly name: string
  /** Whether it accepts an array of the values of a repeated name. */
  readonly repeatable: boolean
  readonly '~standard': ConverterProps<Output, Input>
}

/**
 * The types of arguments by name, from the converters of an action. Use it to annotate parameters.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { type Arguments, int, optional, string } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { index: { page: optional(int, 1), q: optional(string) } }
 *
 *   index({ page, q }: Arguments<typeof UsersController.args.index>) {
 *     return `Page ${page.toFixed()} of ${q ?? 'all'}`
 *   }
 * }
 * ```
 */
export type Arguments<Converters extends Readonly<Record<string, StandardSchemaV1>>> = {
  -readonly [Name in keyof Converters]: StandardSchemaV1.InferOutput<Converters[Name]>
}

const VENDOR = 'propylon'

/**
 * Creates a converter.
 *
 * @param jsonSchema - the JSON Schemas of the text and the value, valid in every version since draft 4.
 */
export function makeConverter<Output, Input>(
  name: string,
  repeatable: boolean,
  jsonSchema: StandardJSONSchemaV1.Converter,
  validate: (value: unknown) => StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>>,
): Converter<Output, Input> {
  return { name, repeatable, '~standard': { version: 1, vendor: VENDOR, validate, jsonSchema } }
}

/** Creates a converter of one text. A missing value is refused. */
export function makeTextConverter<Output>(
  name: string,
  input: JSONSchema,
  output: JSONSchema,
  convert: (text: string) => StandardSchemaV1.Result<Output>,
): Converter<Output> {
  return makeConverter(
    name,
    false,
    { input: () => ({ ...input }), output: () => ({ ...output }) },
    (value) => {
      if (typeof value === 'string') return convert(value)
      return refuse(value === undefined ? 'propylon.value.missing' : 'propylon.value.text')
    },
  )
}

/** Returns the result for an accepted text. */
export function accept<Output>(value: Output): StandardSchemaV1.SuccessResult<Output> {
  return { value }
}

/** Returns the result for a refused text. */
export function refuse(key: TextKey, values?: TextValues): StandardSchemaV1.FailureResult {
  return { issues: [textIssue(key, values)] }
}

/** Returns true for a converter of this package, and false for the schema of another library. */
export function isConverter(schema: StandardTypedV1): schema is Converter {
  return schema['~standard'].vendor === VENDOR
}

/** Returns the name of a schema for messages: the name of a converter, or the library of another schema. */
export function schemaName(schema: StandardSchemaV1): string {
  return isConverter(schema) ? schema.name : schema['~standard'].vendor
}

/** Returns a JSON Schema of any schema. Describes less if its library does not create them. */
export function describedSchema(
  schema: StandardSchemaV1,
  direction: Direction,
  { target }: StandardJSONSchemaV1.Options,
): Record<string, unknown> {
  const described = jsonSchemaOf(schema, direction, target)
  return direction === 'input' && isUnrestricted(described)
    ? { ...described, type: 'string' }
    : { ...described }
}
