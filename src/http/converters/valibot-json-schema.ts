/** Converts schemas of Valibot with `@valibot/to-json-schema`, an optional package that is loaded on first use. */

import type { StandardTypedV1 } from '@standard-schema/spec'
import type { ConversionConfig } from '@valibot/to-json-schema'
import { installedPackage } from '../../base/optional-package.ts'
import { isRecord } from '../../base/record.ts'
import { isSchema } from './schema.ts'

type Convert = (schema: StandardTypedV1, config: ConversionConfig) => unknown

/** The converter; null if the package is not installed; undefined before it is loaded. */
let converter: Convert | null | undefined

const DIALECTS = ['draft-07', 'draft-2020-12', 'openapi-3.0'] as const

/** Returns the JSON Schema of a schema of Valibot. Undefined if the package is not installed or lacks the dialect. */
export function valibotJsonSchema(schema: StandardTypedV1, direction: 'input' | 'output', target: string): unknown {
  const dialect = DIALECTS.find((known) => known === target)
  if (dialect === undefined) return undefined
  if (converter === undefined) {
    converter = (installedPackage('@valibot/to-json-schema')?.toJsonSchema as Convert | undefined) ?? null
  }
  if (converter === null) return undefined
  const convert = converter
  const own: Overrides = direction === 'output' ? OUTPUT : inputConfig()
  const config: ConversionConfig = {
    target: dialect,
    typeMode: direction,
    errorMode: 'ignore',
    ...own,
    overrideSchema(context) {
      const { valibotSchema } = context
      const wrapped: unknown = PRESENT.has(valibotSchema.type) && Reflect.get(valibotSchema, 'wrapped')
      return isSchema(wrapped) ? presentValues(convert(wrapped, config)) : own.overrideSchema?.(context)
    },
  }
  return convert(schema, config)
}

type Overrides = Pick<ConversionConfig, 'overrideAction' | 'overrideSchema'>

/**
 * Types of Valibot's schemas that refuse null or undefined, of the values of another one: `v.required()` makes them.
 */
const PRESENT: ReadonlySet<string> = new Set(['non_nullable', 'non_nullish', 'non_optional'])

/** Returns a schema without null and without a default. Undefined if it refers to definitions of its own. */
function presentValues(schema: unknown): ReturnType<NonNullable<Overrides['overrideSchema']>> {
  if (!isRecord(schema) || schema.$defs !== undefined || schema.definitions !== undefined) return undefined
  const { $schema, default: _, anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return rest
  const others = anyOf.filter((each) => !isRecord(each) || each.type !== 'null')
  return others.length === 1 && isRecord(others[0]) ? { ...rest, ...others[0] } : { ...rest, anyOf: others }
}

/** Types of Valibot's schemas whose values are objects. */
const OBJECTS: ReadonlySet<unknown> = new Set(['loose_object', 'object', 'object_with_rest', 'record', 'strict_object'])

/** Types of Valibot's schemas that add null or undefined to the values of another one. */
const WRAPPERS: ReadonlySet<unknown> = new Set(['nullable', 'nullish', 'optional', 'undefinedable'])

/** Returns true if a schema of Valibot takes objects only, without the package that converts it. */
export function isValibotObject(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  const { type, wrapped, options } = schema
  if (OBJECTS.has(type)) return true
  if (WRAPPERS.has(type)) return isValibotObject(wrapped)
  if (!Array.isArray(options) || options.length === 0) return false
  return type === 'intersect' ? options.some(isValibotObject) : type !== 'enum' && options.every(isValibotObject)
}

/**
 * Types of the results of transformations. Any other result is unknown to the converter, which would describe the
 * input.
 */
const RESULTS: ReadonlyMap<string, 'boolean' | 'number' | 'string'> = new Map([
  ['normalize', 'string'],
  ['parse_boolean', 'boolean'],
  ['stringify_json', 'string'],
  ['to_boolean', 'boolean'],
  ['to_camel_case', 'string'],
  ['to_kebab_case', 'string'],
  ['to_lower_case', 'string'],
  ['to_number', 'number'],
  ['to_pascal_case', 'string'],
  ['to_snake_case', 'string'],
  ['to_string', 'string'],
  ['to_upper_case', 'string'],
  ['trim', 'string'],
  ['trim_end', 'string'],
  ['trim_start', 'string'],
])

/** Transformations that change the type for the compiler only. */
const TYPES_ONLY: ReadonlySet<string> = new Set(['brand', 'flavor', 'readonly'])

const DATE = { type: 'string', format: 'date-time' } as const

/**
 * Describes what a schema returns: the results of transformations, dates as JSON.stringify writes them, and members
 * that a default supplies, which are never missing.
 */
const OUTPUT: Overrides = {
  overrideSchema({ valibotSchema, jsonSchema }) {
    if (valibotSchema.type === 'date') return { ...DATE }
    const { properties, required } = jsonSchema
    if (!('entries' in valibotSchema) || properties === undefined || required === undefined) return undefined
    const { entries } = valibotSchema
    const isPresent = (name: string) => required.includes(name) || hasDefault(entries, name)
    return { ...jsonSchema, required: Object.keys(properties).filter(isPresent) }
  },
  overrideAction({ valibotAction: { kind, type } }) {
    if (kind !== 'transformation' || TYPES_ONLY.has(type)) return undefined
    if (type === 'to_date') return { ...DATE }
    const result = RESULTS.get(type)
    return result === undefined ? {} : { type: result }
  },
}

/** Describes what a schema takes: text that is trimmed before its length is checked. */
function inputConfig(): Overrides {
  const trimmed = new WeakSet<object>()
  return {
    overrideAction({ valibotAction, jsonSchema }) {
      const { type } = valibotAction
      if (type === 'trim') trimmed.add(jsonSchema)
      if (type === 'non_empty' && trimmed.has(jsonSchema)) countTrimmed(jsonSchema, 1)
      if ((type === 'min_length' || type === 'length') && trimmed.has(jsonSchema)) {
        countTrimmed(jsonSchema, Reflect.get(valibotAction, 'requirement'))
      }
      return undefined
    },
  }
}

/** Returns true for an entry of an object schema with a default: `v.optional(v.number(), 14)`. */
function hasDefault(entries: unknown, name: string): boolean {
  const entry = isRecord(entries) && Object.hasOwn(entries, name) ? entries[name] : undefined
  return isRecord(entry) && entry.default !== undefined
}

/** Least lengths of text that a schema trims before it counts: blanks at both ends do not count. */

/** A JSON Schema while its library makes it. */
export interface UnfinishedSchema {
  pattern?: string | undefined
  allOf?: unknown
}

/**
 * Adds the pattern of text that has a least length after `String.prototype.trim()`. `minLength` alone would allow
 * blanks, which the schema refuses.
 */
export function countTrimmed(schema: UnfinishedSchema, minLength: unknown): void {
  if (typeof minLength !== 'number' || minLength < 1) return
  const pattern = minLength === 1 ? '\\S' : `\\S[\\s\\S]{${Math.ceil(minLength) - 2},}\\S`
  if (schema.pattern === undefined) schema.pattern = pattern
  else schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), { pattern }]
}
