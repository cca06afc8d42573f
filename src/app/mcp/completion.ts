/** Completion of arguments by the values that their schemas list (server utilities, "Completion"). */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import type { Catalogue } from './exposed.ts'
import { invalidParams } from './mcp-errors.ts'
import { convertersOf } from './prompts.ts'
import { uriOf } from './resources.ts'
import type { MCPCall } from './server.ts'

/** Maximum number of values in a response. */
const MAX_VALUES = 100

/**
 * Returns the result of `completion/complete`.
 *
 * @param base - URL of the application.
 * @throws JSONRPCError - -32602: there is no such prompt, resource or argument.
 */
export function complete(catalogue: Catalogue, base: string, { params }: MCPCall): object {
  const { ref, argument } = params
  if (!isRecord(ref) || !isRecord(argument) || typeof argument.value !== 'string') {
    throw invalidParams('"ref" and "argument" must be objects, and "argument.value" text')
  }
  const { name, value } = argument
  const schema = schemasOf(catalogue, base, ref)?.get(String(name))
  if (schema === undefined) throw invalidParams('there is no such argument')
  const found = valuesOf(schema.converter && jsonSchemaOf(schema.converter, 'input')).filter((each) =>
    each.startsWith(String(value)),
  )
  return {
    completion: {
      values: found.slice(0, MAX_VALUES),
      total: found.length,
      hasMore: found.length > MAX_VALUES,
    },
  }
}

interface ArgumentSchema {
  readonly converter: StandardTypedV1 | undefined
}

/** Returns the arguments of a prompt or a resource by name. */
function schemasOf(
  { prompts, resources }: Catalogue,
  base: string,
  { type, name, uri }: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, ArgumentSchema> | undefined {
  if (type === 'ref/prompt') {
    const prompt = prompts.get(String(name))
    if (prompt === undefined) return undefined
    const converters = convertersOf(prompt.controllerClass, prompt.method)
    const own = prompt.action?.parameters.map(({ name, schema }) => [name, { converter: schema }] as const)
    return new Map(own ?? [...converters].map(([name, schema]) => [name, { converter: schema }] as const))
  }
  if (type !== 'ref/resource') return undefined
  const found = [...resources.values()].find(({ operation }) => base + uriOf(operation) === uri)
  return (
    found &&
    new Map(found.operation.action.parameters.map(({ name, schema }) => [name, { converter: schema }]))
  )
}

/** Returns the texts that a schema lists. */
function valuesOf(schema: JSONSchema | undefined): string[] {
  const { enum: values, const: only, anyOf } = schema ?? {}
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isRecord(each) ? valuesOf(each) : []))
  const listed = Array.isArray(values) ? values : only === undefined ? [] : [only]
  return listed.map(String)
}
