/** Tools of the Model Context Protocol (server features, "Tools"). */
import type { JSONSchema } from '../controllers/json-schema.ts'
import { argumentsSchema, type ProcedureDescription } from '../controllers/procedure-description.ts'

/** A tool, as `tools/list` describes it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JSONSchema
  readonly outputSchema?: JSONSchema
}

/** Describes a procedure as a tool. Its name is that of the method, because many clients refuse names with dots. */
export function toolOf(procedure: ProcedureDescription): Tool {
  const { method, name, help, result } = procedure
  return {
    name: method,
    title: name,
    // Several clients require a description.
    description: help === '' ? name : help,
    inputSchema: argumentsSchema(procedure, ''),
    ...(result !== undefined && hasStructuredResult(procedure) ? { outputSchema: result } : {}),
  }
}

/** Whether a tool declares that its results are objects. Only such a result can have an output schema. */
export function hasStructuredResult({ result }: ProcedureDescription): boolean {
  return result?.type === 'object'
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
