/**
 * The shapes of the values of schemas, from the JSON Schemas that their libraries make.
 *
 * @module
 */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { type Direction, type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { ANY, type FieldShape, type Shape, type ShapeKind, shapeOf, unionOf } from './shapes.ts'

/** Maximum depth of schemas. One may contain itself. */
const MAX_DEPTH = 12

/** Kinds by the type of a JSON Schema. */
const KINDS: ReadonlyMap<unknown, ShapeKind> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['array', 'array'],
  ['object', 'object'],
])

/** Keywords of values that are of another type in the program: dates, files, bytes, 64-bit integers. */
const OTHER_FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time', 'binary', 'int64'])

/** Returns the shape of the values that a schema accepts or returns: `any` where it has no JSON Schema. */
export function schemaShape(schema: StandardTypedV1, direction: Direction): Shape {
  const root = jsonSchemaOf(schema, direction)
  return shapeIn(root, root, MAX_DEPTH)
}

/** @param root - the document that references are relative to. */
function shapeIn(schema: unknown, root: JSONSchema, depth: number): Shape {
  if (!isRecord(schema) || depth === 0) return ANY
  const inner = (each: unknown) => shapeIn(each, root, depth - 1)
  if (typeof schema.$ref === 'string') return inner(definition(schema.$ref, root))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) return unionOf(alternatives.map(inner))
  if ('const' in schema) return kindOfValue(schema.const)
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(kindOfValue))
  if (OTHER_FORMATS.has(schema.format) || 'contentEncoding' in schema) return ANY
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type]
  return unionOf(types.map((type) => shapeOfType(KINDS.get(type), schema, inner)))
}

function shapeOfType(
  kind: ShapeKind | undefined,
  schema: JSONSchema,
  inner: (schema: unknown) => Shape,
): Shape {
  if (kind === undefined) return ANY
  if (kind === 'array') return shapeOf(kind, inner(schema.items))
  if (kind !== 'object' || !isRecord(schema.properties)) return shapeOf(kind)
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).map(([name, field]): [string, FieldShape] => [
    name,
    { shape: inner(field), isOptional: !required.includes(name) },
  ])
  const { additionalProperties = false } = schema
  return [{ kind, fields: new Map(fields), isComplete: additionalProperties === false }]
}

/** Returns the schema that a reference names: `#`, `#/$defs/Book`. */
function definition(reference: string, root: JSONSchema): unknown {
  const path = reference.split('/').slice(1)
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), root)
}

function kindOfValue(value: unknown): Shape {
  if (value === null) return shapeOf('null')
  const kind = KINDS.get(typeof value)
  return kind === undefined ? ANY : shapeOf(kind)
}
