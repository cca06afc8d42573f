/** Schemas of the types that signatures declare. */
import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import type { SignatureType } from '../xmlrpc/signature.ts'

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

const SCHEMAS: Readonly<Record<SignatureType, StandardJSONSchemaV1>> = {
  string: describing({ type: 'string' }),
  int: describing(INT),
  i4: describing(INT),
  i8: describing(I8),
  double: describing({ type: 'number' }),
  boolean: describing({ type: 'boolean' }),
  'dateTime.iso8601': describing({ type: 'string', format: 'date-time' }),
  base64: describing({ type: 'string', contentEncoding: 'base64' }),
  struct: describing({ type: 'object' }),
  // Several MCP clients refuse an array without `items`.
  array: describing({ type: 'array', items: {} }),
  nil: describing({ type: 'null' }),
}

/** Returns the schema of a declared type. It describes the values of a named type and validates none. */
export function schemaOf(type: DeclaredType): StandardTypedV1 {
  return typeof type === 'string' ? SCHEMAS[type] : type
}

/** Returns a schema with a JSON Schema, which validates nothing. */
export function describing(schema: JSONSchema): StandardJSONSchemaV1 {
  const convert = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'propylon/signature',
      jsonSchema: { input: convert, output: convert },
    },
  }
}
