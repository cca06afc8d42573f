/** Arbitrary values for JSON Schemas, for requests that are made from documents. */
import fc from 'fast-check'

/** A JSON Schema, as far as values are made from it. */
interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** Text that a URL, a form and JSON can have: no lone surrogates, and no NUL, which is never valid. */
export const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !value.includes('\0'))

/** Returns values most of which fit a schema, others that have its members with any value, and any values. */
export function around(schema: unknown, resolve: (reference: string) => unknown): fc.Arbitrary<unknown> {
  const resolved = resolvedSchema(schema, resolve)
  const { properties } = resolved
  const any = fc.oneof(fc.constant(''), text, fc.integer(), fc.integer().map(String), fc.double(), fc.jsonValue())
  const others = Object.fromEntries(Object.keys({ ...properties, other: true }).map((name) => [name, any]))
  return fc.oneof(
    { weight: 5, arbitrary: fitting(resolved, resolve) },
    { weight: 3, arbitrary: fc.record(others, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
}

function fitting(schema: unknown, resolve: (reference: string) => unknown): fc.Arbitrary<unknown> {
  const resolved = resolvedSchema(schema, resolve)
  const { type, enum: values, anyOf, oneOf = anyOf } = resolved
  if ('const' in resolved) return fc.constant(resolved.const)
  if (values !== undefined) return fc.constantFrom(...values)
  if (oneOf !== undefined) return fc.oneof(...oneOf.map((each) => fitting(each, resolve)))
  const types = [type ?? []].flat()
  if (types.length === 0) return fc.jsonValue()
  return fc.oneof(...types.map((each) => ofType(each, resolved, resolve)))
}

function ofType(type: string, schema: Schema, resolve: (reference: string) => unknown): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textFor(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -9, max: schema.maximum ?? 99 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -9, max: schema.maximum ?? 99, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting(schema.items ?? {}, resolve), { maxLength: 4 })
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fitting(each, resolve)])
      const known: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members)
      return fc.record(known, { requiredKeys: [...(schema.required ?? [])] })
    }
    default:
      return fc.constant(null)
  }
}

function textFor({ pattern, minLength = 0, maxLength = minLength + 20 }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 20) })
    .filter((value) => !value.includes('\0'))
}

function resolvedSchema(schema: unknown, resolve: (reference: string) => unknown): Schema {
  const given: Schema = Object(schema)
  return given.$ref === undefined ? given : resolvedSchema(resolve(given.$ref), resolve)
}
