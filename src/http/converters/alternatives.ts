/** Alternatives: a value of which one of several schemas describes every value. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { type Direction, type JSONSchema, jsonSchemaOf } from './json-schema.ts'
import type { SchemaComponents } from './schema-components.ts'

/** A schema that describes the values of several. It validates none. */
class Alternatives implements StandardTypedV1 {
  readonly schemas: readonly StandardTypedV1[]
  readonly '~standard' = { version: 1, vendor: 'propylon/alternatives' } as const

  constructor(schemas: readonly StandardTypedV1[]) {
    this.schemas = schemas
  }
}

/** Returns a schema that describes the values of all given ones. Undefined if there are none. */
export function alternatives(schemas: readonly StandardTypedV1[]): StandardTypedV1 | undefined {
  return schemas.length < 2 ? schemas[0] : new Alternatives(schemas)
}

/** Direction of a described value, and texts for its place in a document. */
export interface DescribedValue {
  /** Name of the component if the schema becomes one and has no title. */
  readonly name: string
  readonly direction: Direction
  /** Replaces the description of the schema, unless it is empty. */
  readonly description?: string
}

/**
 * Adds the schema of a value to a document: any value if it is undefined. {@link SchemaComponents.finish} completes
 * the result.
 */
export function addSchema(
  components: SchemaComponents,
  schema: StandardTypedV1 | undefined,
  { name, direction, description = '' }: DescribedValue,
): JSONSchema {
  const [only = {}, ...others] = jsonSchemasOf(schema, direction)
  if (others.length === 0) return components.add(only, name, direction, description)
  const anyOf = [only, ...others].map((each) => components.add(each, name, direction))
  return description === '' ? { anyOf } : { anyOf, description }
}

/** Returns the distinct JSON Schemas of the alternatives of a schema. */
export function jsonSchemasOf(schema: StandardTypedV1 | undefined, direction: Direction): JSONSchema[] {
  const schemas = schema instanceof Alternatives ? schema.schemas : schema === undefined ? [] : [schema]
  const described = schemas.map((each) => jsonSchemaOf(each, direction))
  return [...new Map(described.map((each) => [JSON.stringify(each), each])).values()]
}
