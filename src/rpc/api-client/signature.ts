import type { SchemaTypes } from '../service-types/json-schema.ts'
import { docComment, memberName } from '../service-types/text.ts'
import type { ClientBody, ClientOperation, ClientResult } from './client-operations.ts'

/** Number of characters of a signature that stands on one line. */
const MAX_LINE = 100

/** An argument of a call. */
interface Argument {
  readonly name: string
  readonly isRequired: boolean
  readonly help: string
  readonly type: string
}

/** Formats the arguments and the result of an operation: `(args: { id: number }, options?: CallOptions): Promise<Book>`. */
export function signatureOf(operation: ClientOperation, types: SchemaTypes, indent: string): string {
  const inner = `${indent}    `
  const described = argumentsOf(operation, types, inner)
  const name = described.some(({ isRequired }) => isRequired) ? 'args' : 'args?'
  const result = `Promise<${resultType(operation, types, indent)}>`
  if (described.length === 0) return `(${name}: NoArguments, options?: CallOptions): ${result}`
  const members = described.map(({ name, isRequired, type }) => {
    if (isRequired) return `${memberName(name)}: ${type}`
    return `${memberName(name)}?: ${type === 'unknown' ? type : `${type} | undefined`}`
  })
  const line = `(${name}: { ${members.join('; ')} }, options?: CallOptions): ${result}`
  const isShort = line.length <= MAX_LINE && !line.includes('\n')
  if (isShort && described.every(({ help }) => help === '')) return line
  const lines = members.flatMap((text, i) => [...docComment(described[i]?.help ?? '', inner), inner + text])
  const begin = `(\n${indent}  ${name}: {\n${lines.join('\n')}\n${indent}  },`
  return `${begin}\n${indent}  options?: CallOptions,\n${indent}): ${result}`
}

function argumentsOf({ parameters, body }: ClientOperation, types: SchemaTypes, indent: string): Argument[] {
  const all = parameters.map(({ argument, isRequired, help, schema }) => ({
    name: argument,
    isRequired,
    help,
    type: types.typeOf(schema, 'parameter', indent),
  }))
  if (body === undefined) return all
  const { argument: name, isRequired, help } = body
  return [...all, { name, isRequired, help, type: bodyType(body, types, indent) }]
}

function bodyType({ kind, type, schema }: ClientBody, types: SchemaTypes, indent: string): string {
  const isForm = type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'
  if (kind === 'json' || isForm) return types.typeOf(schema, 'parameter', indent)
  return kind === 'blob' ? 'Blob' : 'string'
}

/** Returns the type of the results of an operation, as source text. */
export function resultType({ results }: ClientOperation, types: SchemaTypes, indent: string): string {
  const all = new Set(results.map((result) => typeOf(result, types, indent)))
  if (all.size === 1) return [...all].join().replace(/^undefined$/, 'void')
  return all.has('unknown') ? 'unknown' : [...all].join(' | ')
}

function typeOf({ kind, schema }: ClientResult, types: SchemaTypes, indent: string): string {
  switch (kind) {
    case 'json':
      return types.typeOf(schema, 'result', indent)
    case 'text':
      return 'string'
    case 'stream':
      return 'Response'
    case 'blob':
      return 'Blob'
    case 'none':
      return 'undefined'
  }
}
