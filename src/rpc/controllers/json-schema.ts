/** JSON Schemas (draft 2020-12) of the types that signatures declare. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type Direction,
  type JSONSchema,
  jsonSchemaOf as schemaOf,
} from '../../http/converters/json-schema.ts'
import type { SchemaComponents } from '../../http/converters/schema-components.ts'
import type { SignatureType } from '../xmlrpc/types.ts'

/** A declared type: the name of an XML-RPC type, or a Standard Schema. */
export type DeclaredType = SignatureType | StandardSchemaV1

/** A declared signature: the type of the result, then the types of the parameters. */
export type DeclaredSignature = readonly [returns: DeclaredType, ...parameters: DeclaredType[]]

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

/** Returns the JSON Schema of a declared type. */
export function jsonSchemaOf(type: DeclaredType, direction: Direction): JSONSchema {
  return typeof type === 'string' ? SCHEMAS[type] : schemaOf(type, direction)
}

/** Names and direction of the schemas of a value. */
interface Placed {
  readonly name: string
  readonly direction: Direction
  readonly description?: string
}

/** Adds the schema of the values that any of the schemas allows to a document. */
export function addAlternatives(
  components: SchemaComponents,
  schemas: readonly JSONSchema[],
  { name, direction, description = '' }: Placed,
): JSONSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [only = {}] = distinct
  if (distinct.length < 2) return components.add(only, name, direction, description)
  const anyOf = distinct.map((schema) => components.add(schema, name, direction))
  return description === '' ? { anyOf } : { anyOf, description }
}
