/** Completion of arguments by the values that their schemas list (server utilities, "Completion"). */
import { isRecord } from '../../base/record.ts'
import type { ArgumentDescription } from '../../controllers/action-description.ts'
import { jsonSchemasOf } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import type { Catalogue } from './exposed.ts'
import { invalidParams } from './mcp-errors.ts'
import { argumentsOf } from './prompts.ts'
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
  const described = argumentsAt(catalogue, base, ref).find((each) => each.name === name)
  if (described === undefined) throw invalidParams('there is no such argument')
  const found = jsonSchemasOf(described.schema, 'input')
    .flatMap(valuesOf)
    .filter((each) => each.startsWith(String(value)))
  return {
    completion: {
      values: found.slice(0, MAX_VALUES),
      total: found.length,
      hasMore: found.length > MAX_VALUES,
    },
  }
}

/** Returns the arguments of a prompt or a resource. Empty if there is no such one. */
function argumentsAt(
  { prompts, resources }: Catalogue,
  base: string,
  { type, name, uri }: Readonly<Record<string, unknown>>,
): readonly ArgumentDescription[] {
  if (type === 'ref/prompt') {
    const prompt = prompts.get(String(name))
    return prompt === undefined ? [] : argumentsOf(prompt)
  }
  if (type !== 'ref/resource') return []
  const found = [...resources.values()].find(({ operation }) => base + uriOf(operation) === uri)
  return found?.operation.action.parameters ?? []
}

/** Returns the texts that a schema lists. */
function valuesOf({ enum: values, const: only, anyOf }: JSONSchema): string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isRecord(each) ? valuesOf(each) : []))
  const listed = Array.isArray(values) ? values : only === undefined ? [] : [only]
  return listed.map(String)
}
