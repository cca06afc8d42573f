/** Procedures as tools of the Model Context Protocol (server features, "Tools"). */
import { newComponents, outputSchemaOf, withDefinitions } from '../../app/mcp/tools.ts'
import { LEGACY_VERSIONS } from '../../app/mcp/versions.ts'
import { argumentsSchema } from '../../app/openapi/arguments-schema.ts'
import { oncePer } from '../../base/once-per.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import type { ProcedureDescription, ServiceDescription } from '../controllers/service-description.ts'
import { namedArguments } from '../controllers/service-description.ts'

/** A tool, as `tools/list` describes it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JSONSchema
  readonly outputSchema?: JSONSchema
}

/** Describes a procedure as a tool. It has the name of the method, because many clients refuse names with dots. */
export const toolOf = oncePer((procedure: ProcedureDescription): Tool => {
  const { name, publicName, help, isOpen } = procedure
  const components = newComponents()
  const schema = argumentsSchema(namedArguments(procedure, components), isOpen)
  // Results of every version are objects, because nothing checks others.
  const outputSchema = outputSchemaOf(procedure, LEGACY_VERSIONS[0])
  return {
    name,
    title: publicName,
    // Several clients require a description.
    description: help === '' ? publicName : help,
    inputSchema: withDefinitions(schema, components.finish()),
    ...(outputSchema !== undefined && { outputSchema }),
  }
})

/** Returns the JSON text of the list of the tools of a service. It may be much longer than the request for it. */
export const toolListOf = oncePer((service: ServiceDescription) =>
  JSON.stringify({ tools: service.procedures.map((procedure) => toolOf(procedure)) }),
)
