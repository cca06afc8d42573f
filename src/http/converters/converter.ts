import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import { oncePer } from '../../base/once-per.ts'
import type { TextKey, TextValues } from '../languages/texts.ts'
import { textIssue } from '../languages/translation.ts'
import {
  allowsText,
  type Direction,
  isUnrestricted,
  type JSONSchema,
  jsonSchemaOf,
  takesObjects,
} from './json-schema.ts'

/** The Standard Schema and the Standard JSON Schema of a converter. */
export interface ConverterProps<Output, Input>
  extends StandardSchemaV1.Props<Input, Output>,
    StandardJSONSchemaV1.Props<Input, Output> {
  readonly types?: StandardSchemaV1.Types<Input, Output> | undefined
}

/** Key of the method of a converter that accepts a value that has its JSON type already. */
const ACCEPT: unique symbol = Symbol('propylon.accept')

type Conversion<Output> = (value: unknown) => StandardSchemaV1.Result<Output> | Promise<StandardSchemaV1.Result<Output>>

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
  /** The schema of a value that is not missing, if the value may be. */
  readonly present?: StandardSchemaV1
  /** The schema of each item of a list. */
  readonly items?: StandardSchemaV1
  readonly [ACCEPT]: Conversion<Output>
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

/** The parts of a converter. */
interface ConverterParts<Output> extends Pick<Converter, 'name' | 'repeatable' | 'present' | 'items'> {
  /** The JSON Schemas of the text and the value, valid in every version since draft 4. */
  readonly jsonSchema: StandardJSONSchemaV1.Converter
  /** Converts a text. */
  readonly validate: Conversion<Output>
  /** Converts a value of JSON. */
  readonly accept: Conversion<Output>
}

export function makeConverter<Output, Input>(parts: ConverterParts<Output>): Converter<Output, Input> {
  const { validate, jsonSchema, accept, ...named } = parts
  return { ...named, [ACCEPT]: accept, '~standard': { version: 1, vendor: VENDOR, validate, jsonSchema } }
}

/** Converts a value of JSON, such as the number 7 for `int`, which takes the text `7` of a URL. */
export function validateValue(schema: StandardSchemaV1, value: unknown): ReturnType<Conversion<unknown>> {
  return isConverter(schema) ? schema[ACCEPT](value) : schema['~standard'].validate(value)
}

/** Creates a converter of one text. A missing value is refused. */
export function makeTextConverter<Output>(
  name: string,
  input: JSONSchema,
  output: JSONSchema,
  convert: (text: string) => StandardSchemaV1.Result<Output>,
): Converter<Output> {
  const validate = (value: unknown) => {
    if (typeof value === 'string') return convert(value)
    return refuse(value === undefined ? 'propylon.value.missing' : 'propylon.value.text')
  }
  return makeConverter({
    name,
    repeatable: false,
    jsonSchema: { input: () => ({ ...input }), output: () => ({ ...output }) },
    validate,
    accept: (value) => {
      if (value instanceof Date && output.format === 'date') return validate(dateText(value))
      const isScalar = typeof value === 'number' || typeof value === 'boolean'
      return validate(isScalar && output.type !== 'string' ? String(value) : value)
    },
  })
}

/** Returns the calendar date of an instant at 00:00 UTC, and the whole instant otherwise. */
function dateText(date: Date): string {
  return Number.isNaN(date.valueOf()) ? 'invalid' : date.toISOString().replace('T00:00:00.000Z', '')
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

/**
 * Returns the JSON Schema of an argument as callers see it: the value of a converter of this package, such as an
 * integer, and the input of any other schema.
 */
export function valueSchema(schema: StandardTypedV1): JSONSchema {
  const { items, present } = isConverter(schema) ? schema : {}
  if (items !== undefined) return { type: 'array', items: valueSchema(items) }
  if (present !== undefined) {
    const { default: fallback } = jsonSchemaOf(schema, 'output')
    return { ...valueSchema(present), ...(fallback !== undefined && { default: fallback }) }
  }
  const [first, second] = isConverter(schema) ? (['output', 'input'] as const) : (['input', 'output'] as const)
  const described = jsonSchemaOf(schema, first)
  return isUnrestricted(described) ? { ...jsonSchemaOf(schema, second), ...described } : described
}

/** Returns true if an argument without `body()` takes objects, which no text of a path or a query is. */
export function takesObjectArguments(schema: StandardTypedV1): boolean {
  if (!isConverter(schema)) return takesObjects(schema)
  const inner = schema.items ?? schema.present
  return inner !== undefined && takesObjectArguments(inner)
}

const takesText = oncePer((schema: StandardTypedV1): boolean => {
  const described = valueSchema(schema)
  return isUnrestricted(described) || allowsText(described)
})

const SCALAR = /^(?:true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/

/**
 * Converts a text of a URL. The schema of another library that takes no text receives the number or the boolean that
 * it means.
 */
export function validateText(schema: StandardSchemaV1, text: unknown): ReturnType<Conversion<unknown>> {
  const standard = schema['~standard']
  const isScalar = typeof text === 'string' && !isConverter(schema) && !takesText(schema) && SCALAR.test(text)
  return standard.validate(isScalar ? JSON.parse(text) : text)
}

/** Returns a JSON Schema of any schema. Describes less if its library does not create them. */
export function describedSchema(
  schema: StandardSchemaV1,
  direction: Direction,
  { target }: StandardJSONSchemaV1.Options,
): Record<string, unknown> {
  const described = jsonSchemaOf(schema, direction, target)
  return direction === 'input' && isUnrestricted(described) ? { ...described, type: 'string' } : { ...described }
}
