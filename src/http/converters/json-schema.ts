/** JSON Schemas (draft 2020-12) of Standard Schemas, made by their libraries. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { isInstance, memberOf } from '../../base/thrown.ts'
import { countTrimmed, isValibotObject, type UnfinishedSchema, valibotJsonSchema } from './valibot-json-schema.ts'

/** A JSON Schema of draft 2020-12, as an object. */
export interface JSONSchema {
  readonly [keyword: string]: unknown
}

/** Whether a schema describes the values that it takes, or the values that it returns. */
export type Direction = 'input' | 'output'

/**
 * Returns the JSON Schema of a Standard Schema, made by the schema's own converter. A schema of Valibot has none and
 * is converted by the package `@valibot/to-json-schema`, if it is installed. A schema that no converter describes
 * allows any value: `{}`.
 *
 * @param target - dialect. It has no member `$schema` in the result.
 */
export function jsonSchemaOf(schema: StandardTypedV1, direction: Direction, target = 'draft-2020-12'): JSONSchema {
  const properties: unknown = schema['~standard']
  const converter = isRecord(properties) ? properties.jsonSchema : undefined
  const convert = isRecord(converter) ? converter[direction] : undefined
  const { vendor } = schema['~standard']
  if (typeof convert !== 'function') {
    return vendor === 'valibot' ? withoutDialect(valibotJsonSchema(schema, direction, target)) : {}
  }
  let described: unknown
  try {
    const options = vendor === 'zod' ? { target, libraryOptions: zodOptions(direction) } : { target }
    described = convert.call(converter, options)
  } catch (error) {
    // Standard JSON Schema: the converter throws if a type has no JSON Schema.
    if (isInstance(error, Error)) return {}
    throw error
  }
  return withoutDialect(described)
}

/** Returns true for a schema that a text can fit. An action that returns text sends it as HTML, not as JSON. */
export function allowsText({ type, enum: values, const: value, anyOf, oneOf }: JSONSchema): boolean {
  if ([type].flat().includes('string')) return true
  if ([values ?? value].flat().some((each) => typeof each === 'string')) return true
  return [anyOf ?? oneOf ?? []].flat().some((each) => isRecord(each) && allowsText(each))
}

/** Returns true if a schema takes objects and no arrays, as far as its JSON Schema says. */
export function takesObjectsOnly(schema: StandardTypedV1): boolean {
  return takesObjects(schema) && !hasType('array', jsonSchemaOf(schema, 'input'))
}

/** Returns true if a schema takes objects, also among other values and within arrays. */
export function takesObjects(schema: StandardTypedV1): boolean {
  const described = jsonSchemaOf(schema, 'input')
  return isUnrestricted(described) ? isValibotObject(schema) : hasType('object', described)
}

function hasType(name: string, schema: unknown, root: unknown = schema, seen = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasType(name, each, root, seen))
  if (!isRecord(schema) || seen.has(schema)) return false
  seen.add(schema)
  const { $ref: reference, type, anyOf, oneOf, allOf, items, prefixItems } = schema
  if ([type].flat().includes(name)) return true
  return [definitionOf(reference, root), anyOf, oneOf, allOf, items, prefixItems].some((each) =>
    hasType(name, each, root, seen),
  )
}

function definitionOf(reference: unknown, root: unknown): unknown {
  if (reference === '#') return root
  const name = typeof reference === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined
  return name === undefined ? undefined : memberOf(memberOf(root, '$defs'), name)
}

/** A schema inside a document must not declare a dialect of its own (JSON Schema 2020-12 Core §8.1.1). */
function withoutDialect(schema: unknown): JSONSchema {
  if (!isRecord(schema)) return {}
  const { $schema, ...rest } = schema
  return rest
}

/** A node of Zod's conversion. */
interface ZodNode {
  readonly zodSchema: Zod<{ readonly type: string; readonly checks?: readonly ZodCheck[]; readonly coerce?: boolean }>
  readonly jsonSchema: UnfinishedSchema
}

type Zod<Definition> = { readonly _zod: { readonly def: Definition } }

/** A check of Zod, or a change that it makes between checks, such as `trim()`. */
type ZodCheck = Zod<{
  readonly check: string
  readonly tx?: (text: string) => unknown
  readonly minimum?: unknown
  readonly length?: unknown
}>

/** Returns the least length that checks require after `trim()`. */
function trimmedLength(checks: readonly ZodCheck[] = []): unknown {
  const trim = checks.findIndex(({ _zod: { def } }) => def.check === 'overwrite' && def.tx?.(' a ') === 'a')
  if (trim < 0) return undefined
  const lengths = checks.slice(trim).map(({ _zod: { def } }) => def.minimum ?? def.length)
  return Math.max(0, ...lengths.filter((length) => typeof length === 'number'))
}

/**
 * Options of Zod: one member without a JSON Schema must not hide the others. Dates are sent as JSON.stringify writes
 * them.
 */
function zodOptions(direction: Direction) {
  return {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }: ZodNode): void {
      const { type, checks, coerce } = zodSchema._zod.def
      // A coerced date takes other texts too, but what a client sends is what results have.
      const isText = direction === 'output' || coerce === true
      if (type === 'date' && isText) Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      if (type === 'string' && direction === 'input') countTrimmed(jsonSchema, trimmedLength(checks))
    },
  }
}

/** Returns true for a schema that allows any value. */
export function isUnrestricted(schema: JSONSchema): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword))
}

/** Keywords that describe values and restrict none. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
])
