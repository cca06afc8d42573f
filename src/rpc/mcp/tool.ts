/** Tools of the Model Context Protocol (server features, "Tools"). */
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { SchemaComponents } from '../../http/converters/schema-components.ts'
import { argumentsSchema, type ProcedureDescription } from '../controllers/procedure-description.ts'
import type { ServiceDescription } from '../controllers/service-description.ts'

/** A tool, as `tools/list` describes it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JSONSchema
  readonly outputSchema?: JSONSchema
}

/** Describes a procedure as a tool. It has the name of the method, because many clients refuse names with dots. */
function toolOf(procedure: ProcedureDescription): Tool {
  const { method, name, help, results } = procedure
  return {
    name: method,
    title: name,
    // Several clients require a description.
    description: help === '' ? name : help,
    inputSchema: inputSchema(procedure),
    ...(hasStructuredResult(procedure) && { outputSchema: results[0] ?? {} }),
  }
}

/** Lists of the tools of services. Made once for each: they may be much longer than the message that asks for them. */
const lists = new WeakMap<ServiceDescription, string>()

/** Returns the JSON text of the list of the tools of a service. */
export function toolListOf(service: ServiceDescription): string {
  const list = lists.get(service) ?? JSON.stringify({ tools: service.procedures.map(toolOf) })
  lists.set(service, list)
  return list
}

/** Returns the schema of the arguments, which is a document of its own. */
export function inputSchema(procedure: ProcedureDescription): JSONSchema {
  const components = new SchemaComponents({ base: '#/$defs/', isEager: false })
  const schema = argumentsSchema(procedure, components)
  const $defs = components.finish()
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs }
}

/** Whether a tool declares that its results are objects of one schema. Only such a result can have an output schema. */
export function hasStructuredResult({ results }: ProcedureDescription): boolean {
  const [first, ...others] = new Set(results.map((schema) => JSON.stringify(schema)))
  return first !== undefined && others.length === 0 && results[0]?.type === 'object'
}

/**
 * Returns the JSON text of a tool's result. Text is sent as it is, other values as JSON. An object is structured content as
 * well.
 *
 * @param json - JSON text of the value that the tool returned.
 */
export function toolResultText(json: string): string {
  const text: unknown = json.startsWith('"') ? JSON.parse(json) : json
  const structured = json.startsWith('{') ? `,"structuredContent":${json}` : ''
  return `{"content":${JSON.stringify([{ type: 'text', text }])}${structured}}`
}

/** Returns the JSON text of the result of a tool that failed. A language model reads the text. */
export function toolFailureText(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }], isError: true })
}
