/** JSON Schemas (draft 2020-12) of the types that signatures declare. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import type { SignatureType } from '../xmlrpc/types.ts'

/** A JSON Schema of draft 2020-12, as an object. */
export interface JSONSchema {
  readonly [keyword: string]: unknown
}

/** A declared type: the name of an XML-RPC type, or a Standard Schema. */
export type DeclaredType = SignatureType | StandardSchemaV1

/** Whether a schema describes values that a method receives or values that it returns. */
export type Direction = 'input' | 'output'

const INT: JSONSchema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** A 64-bit integer is text if JavaScript's numbers cannot represent it. */
const I8: JSONSchema = {
  anyOf: [
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: '^-?[0-9]{1,19}$' },
  ],
}

const SCHEMAS: Readonly<Record<SignatureType, JSONSchema>> = {
  string: { type: 'string' },
  int: INT,
  i4: INT,
  i8: I8,
  double: { type: 'number' },
  boolean: { type: 'boolean' },
  'dateTime.iso8601': { type: 'string', format: 'date-time' },
  base64: { type: 'string', contentEncoding: 'base64' },
  struct: { type: 'object' },
  // Several MCP clients refuse an array without `items`.
  array: { type: 'array', items: {} },
  nil: { type: 'null' },
}

/**
 * Returns the JSON Schema of a declared type. A Standard Schema that has no JSON Schema, or whose JSON Schema cannot be
 * expressed, allows any value: `{}`.
 */
export function jsonSchemaOf(type: DeclaredType, direction: Direction): JSONSchema {
  if (typeof type === 'string') return SCHEMAS[type]
  const properties: unknown = type['~standard']
  const converter = isRecord(properties) ? properties.jsonSchema : undefined
  const convert = isRecord(converter) ? converter[direction] : undefined
  if (typeof convert !== 'function') return {}
  let schema: unknown
  try {
    schema = convert.call(converter, { target: 'draft-2020-12' })
  } catch (error) {
    // Standard JSON Schema: the converter throws if a type has no JSON Schema.
    if (isInstance(error, Error)) return {}
    throw error
  }
  if (!isRecord(schema)) return {}
  // A schema inside a document must not declare a dialect of its own (JSON Schema 2020-12 Core §8.1.1).
  const { $schema, ...rest } = schema
  return rest
}

/** Returns the schema of the values that any of the schemas allows. */
export function anyOf(schemas: readonly JSONSchema[]): JSONSchema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first = {}, ...others] = distinct.values()
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

/** Keywords whose value is a map of names to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * Returns a schema as it is written at `pointer` of a document. References within the schema (`#/$defs/Address`) would
 * otherwise refer to the document's root.
 *
 * @param pointer - JSON pointer of the schema in the document, from its root: `/properties/address` (RFC 6901).
 */
export function embedded(schema: JSONSchema, pointer: string): JSONSchema {
  // The references of a schema with an identifier are relative to that identifier.
  if (typeof schema.$id === 'string') return schema
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === '$ref' && typeof value === 'string' && /^#(?:\/|$)/.test(value))
      return [keyword, `#${pointer}${value.slice(1)}`]
    if (DATA.has(keyword)) return [keyword, value]
    if (MAPS.has(keyword) && isRecord(value)) {
      const map = Object.entries(value).map(([name, entry]) => [name, embeddedValue(entry, pointer)])
      return [keyword, Object.fromEntries(map)]
    }
    return [keyword, embeddedValue(value, pointer)]
  })
  return Object.fromEntries(entries)
}

function embeddedValue(value: unknown, pointer: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => embeddedValue(entry, pointer))
  return isRecord(value) ? embedded(value, pointer) : value
}

/** Returns the steps of a JSON pointer, escaped (RFC 6901 §3), as part of a URI fragment (§6). */
export function pointerTo(...steps: readonly string[]): string {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')
}
