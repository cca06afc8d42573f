/** Tools of the Model Context Protocol (server features, "Tools"). */
import { isRecord } from '../../../wsgi/record.ts'
import type { JSONSchema } from '../json-schema.ts'
import { argumentsSchema, type ProcedureDescription } from '../procedure-description.ts'

/** A tool, as `tools/list` describes it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly inputSchema: JSONSchema
  readonly outputSchema?: JSONSchema
}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
}

/** Describes a procedure as a tool. Its name is that of the method, because many clients refuse names with dots. */
export function toolOf(procedure: ProcedureDescription): Tool {
  const { method, name, help, result } = procedure
  return {
    name: method,
    title: name,
    ...(help === '' ? {} : { description: help }),
    inputSchema: argumentsSchema(procedure, ''),
    ...(result !== undefined && hasStructuredResult(procedure) ? { outputSchema: result } : {}),
  }
}

/** Whether a tool declares that its results are objects. Only such a result can have an output schema. */
export function hasStructuredResult({ result }: ProcedureDescription): boolean {
  return result?.type === 'object'
}

/**
 * Returns the result of a tool. Text is sent as it is, other values as JSON. An object is structured content as well.
 *
 * @param value - a JSON value.
 */
export function toolResult(value: unknown): ToolResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return {
    content: [{ type: 'text', text }],
    ...(isRecord(value) ? { structuredContent: value } : {}),
  }
}

/** Returns the result of a tool that failed. A language model reads its text. */
export function toolFailure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
