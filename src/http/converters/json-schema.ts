/** JSON Schemas (draft 2020-12) of Standard Schemas, made by their libraries. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
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
    described = convert.call(converter, {
      target,
      ...(vendor === 'zod' && { libraryOptions: ZOD_OPTIONS[direction] }),
    })
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

/** Schemas by whether every value that they take is an object. */
const objectSchemas = new WeakMap<object, boolean>()

/** Returns true if every value that a schema takes is an object, as far as its JSON Schema says. */
export function takesObjectsOnly(schema: StandardTypedV1): boolean {
  const known = objectSchemas.get(schema)
  if (known !== undefined) return known
  const described = jsonSchemaOf(schema, 'input')
  const isObject = isUnrestricted(described) ? isValibotObject(schema) : describesObjects(described)
  objectSchemas.set(schema, isObject)
  return isObject
}

/** Returns true if a schema takes objects, also among other values and within arrays. */
export function takesObjects(schema: StandardTypedV1): boolean {
  const described = jsonSchemaOf(schema, 'input')
  return isUnrestricted(described) ? isValibotObject(schema) : hasObjects(described, described)
}

function hasObjects(schema: unknown, root: JSONSchema, seen = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasObjects(each, root, seen))
  if (!isRecord(schema) || seen.has(schema)) return false
  seen.add(schema)
  const { $ref: reference, type, anyOf, oneOf, allOf, items, prefixItems } = schema
  if ([type].flat().includes('object')) return true
  return [definitionOf(reference, root), anyOf, oneOf, allOf, items, prefixItems].some((each) =>
    hasObjects(each, root, seen),
  )
}

function definitionOf(reference: unknown, root: JSONSchema): unknown {
  if (reference === '#') return root
  const name = typeof reference === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] : undefined
  return name !== undefined && isRecord(root.$defs) ? root.$defs[name] : undefined
}

function describesObjects(schema: JSONSchema, root = schema): boolean {
  const { $ref: reference, type, anyOf, oneOf, allOf } = schema
  const isObject = (each: unknown) => isRecord(each) && describesObjects(each, root)
  if (typeof reference === 'string') {
    const definition = definitionOf(reference, root)
    return isRecord(definition) && definition.$ref === undefined && isObject(definition)
  }
  if (type !== undefined) return type === 'object'
  if (Array.isArray(allOf)) return allOf.some(isObject)
  const alternatives = anyOf ?? oneOf
  return Array.isArray(alternatives) && alternatives.length > 0 && alternatives.every(isObject)
}

/** A schema inside a document must not declare a dialect of its own (JSON Schema 2020-12 Core §8.1.1). */
function withoutDialect(schema: unknown): JSONSchema {
  if (!isRecord(schema)) return {}
  const { $schema, ...rest } = schema
  return rest
}

/** A node of Zod's conversion. */
interface ZodNode {
  readonly zodSchema: {
    readonly _zod: {
      readonly def: {
        readonly type: string
        readonly checks?: readonly ZodCheck[]
        readonly coerce?: boolean
      }
    }
  }
  readonly jsonSchema: UnfinishedSchema
}

/** A check of Zod, or a change that it makes between checks, such as `trim()`. */
interface ZodCheck {
  readonly _zod: {
    readonly def: {
      readonly check: string
      readonly tx?: (text: string) => unknown
      readonly minimum?: unknown
      readonly length?: unknown
    }
  }
}

/** Returns the least length that checks require after `trim()`. */
function trimmedLength(checks: readonly ZodCheck[] = []): unknown {
  const trim = checks.findIndex(({ _zod: { def } }) => def.check === 'overwrite' && def.tx?.(' a ') === 'a')
  if (trim < 0) return undefined
  const lengths = checks.slice(trim).map(({ _zod: { def } }) => def.minimum ?? def.length)
  return Math.max(0, ...lengths.filter((length) => typeof length === 'number'))
}

const DATE_TIME = { type: 'string', format: 'date-time' } as const

/**
 * Options of Zod: one member without a JSON Schema must not hide the others. Dates are sent as JSON.stringify writes
 * them.
 */
const ZOD_OPTIONS = {
  input: {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }: ZodNode): void {
      const { type, checks, coerce } = zodSchema._zod.def
      // It takes other texts too, but what a client sends is what results have.
      if (type === 'date' && coerce === true) Object.assign(jsonSchema, DATE_TIME)
      if (type === 'string') countTrimmed(jsonSchema, trimmedLength(checks))
    },
  },
  output: {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }: ZodNode): void {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, DATE_TIME)
    },
  },
} as const

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
