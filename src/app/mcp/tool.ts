/** Tools as lists describe them (server features, "Tools"): actions of an application, or procedures of a service. */
import { getOrCreate } from '../../base/get-or-create.ts'
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import type { ActionDescription, ServiceDescription } from '../../controllers/describe.ts'
import { addSchema } from '../../http/converters/alternatives.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { pascalCase, SchemaComponents } from '../../http/converters/schema-components.ts'
import { argumentsSchema, type NamedArgument, namedArguments } from '../openapi/parameters.ts'
import { LEGACY_VERSIONS, MODERN_VERSION, type ProtocolVersion } from './protocol.ts'

/** A tool. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** For language models. Several clients require one. */
  readonly description: string
  /** Hints about what the tool does. Undefined if nothing is known. */
  readonly annotations?: object
  /** Whether arguments by other names are accepted. */
  readonly isOpen: boolean
  /** Returns the arguments. Their schemas are complete once `components` is finished. */
  argumentsIn(components: SchemaComponents): ToolArgument[]
  /** Returns the schema of structured results in a version. Undefined if there is none. */
  outputSchema(version: ProtocolVersion): JSONSchema | undefined
}

/** An argument of a tool. */
export interface ToolArgument extends NamedArgument {
  /** Replaces the description of the schema, unless it is empty. */
  readonly description?: string
}

/**
 * The procedures of a service as tools. They have the names of the methods, because many clients refuse names with
 * dots.
 */
export const procedureTools = oncePer(
  ({ procedures }: ServiceDescription): ReadonlyMap<string, Tool> =>
    new Map(
      procedures.map((procedure) => {
        const { name, publicName, help, isOpen } = procedure
        // Results of every version are objects, because nothing checks others.
        const outputSchema = outputSchemaOf(procedure, LEGACY_VERSIONS[0])
        const description = help === '' ? publicName : help
        const argumentsIn = (components: SchemaComponents) => namedArguments(procedure, components)
        const texts = { name, title: publicName, description }
        return [name, { ...texts, isOpen, argumentsIn, outputSchema: () => outputSchema }]
      }),
    ),
)

/** Values of arguments by name. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** Lists by version. Made once: their schemas take much longer than the request for them. */
const listsOf = oncePer((_tools: ReadonlyMap<string, Tool>) => new Map<ProtocolVersion, string>())

/** Returns the JSON text of the list of tools. */
export function toolList(tools: ReadonlyMap<string, Tool>, version: ProtocolVersion): string {
  return getOrCreate(listsOf(tools), version, () => {
    const described = [...tools.values()].map((tool) => {
      const { name, title, description, annotations } = tool
      const [inputSchema, outputSchema] = [inputSchemaOf(tool), tool.outputSchema(version)]
      return { name, title, description, inputSchema, outputSchema, annotations }
    })
    return JSON.stringify({ tools: described })
  })
}

/** Returns the schema of the arguments, which is a document of its own. */
export const inputSchemaOf = oncePer((tool: Tool): JSONSchema => {
  const components = newComponents()
  const args = tool.argumentsIn(components)
  const $defs = components.finish()
  const described = args.map(({ description = '', ...argument }) =>
    description === '' ? argument : { ...argument, schema: { ...argument.schema, description } },
  )
  return withDefinitions(argumentsSchema(described, tool.isOpen), $defs)
})

/**
 * Returns the schema of a result. Before version 2026-07-28 a structured result is an object, so a tool with another
 * one has no schema.
 */
export function outputSchemaOf(action: ActionDescription, version: ProtocolVersion): JSONSchema | undefined {
  const schema = resultSchemaOf(action)
  if (schema === undefined || version === MODERN_VERSION || schema.type === 'object') return schema
  // A recursive schema is a reference to its definition.
  return isObjectReference(schema) ? { type: 'object', ...schema } : undefined
}

const resultSchemaOf = oncePer(({ name, result }: ActionDescription): JSONSchema | undefined => {
  if (result.schema === undefined || result.schema === null) return undefined
  const components = newComponents()
  const schema = addSchema(components, result.schema, { name: pascalCase(name), direction: 'output' })
  return withDefinitions(schema, components.finish())
})

function newComponents(): SchemaComponents {
  return new SchemaComponents({ base: '#/$defs/', isEager: false })
}

/** Returns a schema with the definitions that it refers to. */
function withDefinitions(schema: JSONSchema, $defs: JSONSchema): JSONSchema {
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema
}

function isObjectReference({ $ref, $defs }: JSONSchema): boolean {
  const name = typeof $ref === 'string' ? $ref.slice('#/$defs/'.length) : ''
  const target = isRecord($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined
  return isRecord(target) && target.type === 'object'
}
