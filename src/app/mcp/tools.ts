/** Actions as tools (server features, "Tools"). */
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import type { ActionDescription } from '../../controllers/action-description.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { pascalCase, SchemaComponents } from '../../http/converters/schema-components.ts'
import { argumentsSchema, type NamedArgument } from '../openapi/arguments-schema.ts'
import type { Operation } from '../openapi/operations.ts'
import { parameterObjects } from '../openapi/parameters.ts'
import { proseOf, summaryOfAction } from '../openapi/texts.ts'
import type { ExposedAction } from './exposed.ts'
import { MODERN_VERSION, type ProtocolVersion } from './versions.ts'

/** Describes an action for a list of tools. */
export function toolOf({ operation }: ExposedAction, version: ProtocolVersion): object {
  const { id, method, action, controller, route } = operation
  const title = summaryOfAction(controller, action.name, route.resource)
  const outputSchema = outputSchemaOf(action, version)
  return {
    name: id,
    title,
    description: proseOf(action.help) || title,
    inputSchema: inputSchemaOf(operation),
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      readOnlyHint: method === 'get',
      ...(method !== 'get' && {
        destructiveHint: method !== 'post',
        idempotentHint: method === 'put' || method === 'delete',
      }),
    },
  }
}

/** Returns the text of an action for a model: its doc comment, or a summary. */
export function descriptionOf({ action, controller, route }: Operation): string {
  return proseOf(action.help) || summaryOfAction(controller, action.name, route.resource)
}

/** Returns the schema of the arguments, which is a document of its own. Made once for each tool. */
export const inputSchemaOf = oncePer((operation: Operation): JSONSchema => {
  const components = newComponents()
  const found = argumentsOf(operation, components)
  const $defs = components.finish()
  const args = found.map(({ description, ...argument }) =>
    description === '' ? argument : { ...argument, schema: { ...argument.schema, description } },
  )
  return withDefinitions(argumentsSchema(args, false), $defs)
})

/** Returns the components of a schema that is a document of its own. */
export function newComponents(): SchemaComponents {
  return new SchemaComponents({ base: '#/$defs/', isEager: false })
}

/** Returns a schema with the definitions that it refers to. */
export function withDefinitions(schema: JSONSchema, $defs: JSONSchema): JSONSchema {
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema
}

interface ToolArgument extends NamedArgument {
  readonly description: string
}

/** Returns the arguments: of the path, the query and the body. Their schemas are complete once `components` is finished. */
function argumentsOf(operation: Operation, components: SchemaComponents): ToolArgument[] {
  const { template, action, route } = operation
  const names = template.parameters.map(({ name }) => name)
  const parameters = parameterObjects(operation, names, components).map((parameter) => ({
    name: parameter.name,
    schema: parameter.schema,
    required: parameter.required === true && !(parameter.name in route.defaults),
    description: parameter.description ?? '',
  }))
  const { body } = action
  if (body === undefined || operation.method === 'get') return parameters
  const { name, description, declaration } = body
  const { schema } = declaration
  const added = addSchema(components, schema, { name: pascalCase(name), direction: 'input' })
  return [...parameters, { name, required: !acceptsNothing(schema), description, schema: added }]
}

/**
 * Returns the schema of the result. Before version 2026-07-28 a structured result is an object, so a tool with another one has no
 * schema.
 */
export function outputSchemaOf(
  { name, result }: ActionDescription,
  version: ProtocolVersion,
): JSONSchema | undefined {
  if (result.schema === undefined || result.schema === null) return undefined
  const components = newComponents()
  const schema = addSchema(components, result.schema, { name: pascalCase(name), direction: 'output' })
  const complete = withDefinitions(schema, components.finish())
  if (version === MODERN_VERSION || complete.type === 'object') return complete
  // A recursive schema is a reference to its definition.
  return isObjectReference(complete) ? { type: 'object', ...complete } : undefined
}

function isObjectReference({ $ref, $defs }: JSONSchema): boolean {
  const name = typeof $ref === 'string' ? $ref.slice('#/$defs/'.length) : ''
  const target = isRecord($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined
  return isRecord(target) && target.type === 'object'
}
