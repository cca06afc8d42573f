/** Values that a page shows as examples of arguments. */
import { isRecord } from '../../base/record.ts'
import { jsonSchemasOf } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import type { ProcedureDescription } from './procedure-description.ts'

/** Schemas within schemas for which an example is made. */
const DEEPEST = 8

/** Returns an example of the arguments by name, without those that a call may leave out. */
export function exampleArguments({ parameters }: ProcedureDescription): Record<string, unknown> {
  return Object.fromEntries(
    parameters
      .filter(({ required }) => required)
      .map(({ name, schema }) => [name, exampleOf(jsonSchemasOf(schema, 'input')[0] ?? {})]),
  )
}

/** Returns a value for a JSON Schema: one that it names, or a plain value of its type. */
export function exampleOf(schema: JSONSchema): unknown {
  const { $defs } = schema
  const within = (part: unknown, depth: number): unknown => {
    if (!isRecord(part) || depth > DEEPEST) return 'text'
    const { $ref, enum: values, examples, anyOf, oneOf, properties, required, items } = part
    if (typeof $ref === 'string' && isRecord($defs)) return within($defs[$ref.slice(8)], depth + 1)
    for (const given of [examples, values]) if (Array.isArray(given)) return given[0]
    if ('const' in part || 'default' in part) return part.const ?? part.default
    const choices = anyOf ?? oneOf
    if (Array.isArray(choices)) return within(choices[0], depth + 1)
    if (part.type === 'array') return [within(items, depth + 1)]
    if (part.type !== 'object') return plainValue(part)
    const members = isRecord(properties) ? properties : {}
    const names = Array.isArray(required) ? required : []
    return Object.fromEntries(names.map((name) => [name, within(members[name], depth + 1)]))
  }
  return within(schema, 0)
}

function plainValue({ type, format, contentEncoding }: JSONSchema): unknown {
  if (type === 'integer') return 4
  if (type === 'number') return 0.5
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (format === 'date-time') return '1998-07-17T14:08:55Z'
  return contentEncoding === 'base64' ? 'Ynl0ZXM=' : 'text'
}
