import { literal, memberName } from '../service-types/text.ts'
import type { ClientBody, ClientOperation, ClientParameter, ClientResult } from './client-operations.ts'

/** Formats what a client needs to send the requests of an operation, as an object literal. */
export function operationText(operation: ClientOperation, indent: string): string {
  const { method, path, parameters, body, results } = operation
  const accept = acceptOf(results)
  const members = [
    `method: ${literal(method)}`,
    `path: ${literal(path)}`,
    ...(parameters.length === 0 ? [] : [`parameters: [${parameters.map(parameterText).join(', ')}]`]),
    ...(body === undefined ? [] : [`body: [${literal(body.argument)}, ${literal(bodyMediaType(body))}]`]),
    ...(accept === undefined ? [] : [`accept: ${literal(accept)}`]),
    `results: { ${results.map(resultText).join(', ')} }`,
  ]
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}

function parameterText({ argument, place, name, style }: ClientParameter): string {
  const words = [argument, place]
  if (name !== argument || style !== undefined) words.push(name)
  if (style !== undefined) words.push(style)
  return `[${words.map(literal).join(', ')}]`
}

function bodyMediaType({ kind, type }: ClientBody): string {
  return kind === 'json' && type === '*/*' ? 'application/json' : type
}

function resultText({ status, kind, types }: ClientResult): string {
  const key = /^\d/.test(status) && status !== '2XX' ? status : memberName(status)
  return `${key}: [${[kind, ...types].map(literal).join(', ')}]`
}

/** Returns the header Accept of an operation, or undefined if that is the usual one: JSON. */
function acceptOf(results: readonly ClientResult[]): string | undefined {
  const types = new Set(results.flatMap((result) => result.types))
  if (types.size === 0 || types.has('application/json') || types.has('*/*')) return undefined
  // Errors are problem details.
  return [...types, 'application/json;q=0.9'].join(', ')
}
