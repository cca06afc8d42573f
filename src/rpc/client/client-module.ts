/**
 * Writes the module of a client from an OpenAPI document.
 *
 * @module
 */

import { getOrCreate } from '../../base/get-or-create.ts'
import { isRecord } from '../../base/record.ts'
import {
  type ClientArgument,
  type ClientOperation,
  clientOperations,
  entriesOf,
  type JSONObject,
  kindOf,
  objectAt,
  textOf,
} from './operations.ts'
import { SchemaTypes } from './schema-types.ts'
import { docComment, inComment, literal, memberName, objectText } from './source-text.ts'

/** Line of the template before the part that every client has. */
const DIVIDER = '// The rest is the same for every API.'

/** Types of the platform that the template uses, and the type of the client. */
const TAKEN = 'AbortSignal ApiProblem Blob Client Headers Promise Readonly Record RequestInit Response URL'.split(' ')

/** Number of characters of a signature that stands on one line. */
const MAX_LINE = 100

/** Operations by the parts of their names. A group can be an operation too. */
interface Group {
  operation: ClientOperation | undefined
  readonly members: Map<string, Group>
}

/**
 * Writes the module of a client from an OpenAPI 3.1 document. Names and texts of the document are escaped, so that they
 * cannot become code. Equal documents have equal modules.
 *
 * @param heading - first line: the origin of the module.
 * @param template - a client of another API, whose operations are replaced.
 * @returns undefined if the document has no operations.
 */
export function writeClient(document: JSONObject, heading: string, template: string): string | undefined {
  const operations = clientOperations(document)
  if (operations.length === 0) return undefined
  const root: Group = { operation: undefined, members: new Map() }
  for (const operation of operations) add(root, operation)
  const shared = template.slice(template.indexOf(DIVIDER)).trimEnd()
  const declared = [...shared.matchAll(/^(?:export )?(?:class|interface|type) (\w+)/gm)]
  const types = new SchemaTypes(document, [...TAKEN, ...declared.map(([, type = '']) => type)])
  const { title, version } = objectAt(document, document.info) ?? {}
  const name = [textOf(title), textOf(version)].filter((word) => word !== '').join(' ') || 'the API'
  const calls = callLines(root, '    ', types, true)
  const problem = problemLines(document, types)
  const isNested = calls.some((line) => line.includes(' withMembers('))
  return `// ${inComment(heading)}
/* eslint-disable */

/** The operations of ${inComment(name)}. */
export interface Client {
${memberLines(root, '  ', types).join('\n')}
}

/** Creates a client of the API. */
export function createClient(options: ClientOptions): Client {
  const call = callsOf(options)
  return {
${calls.join('\n')}
  }
}

${[...types.declarations(), shared, problem, ...(isNested ? [WITH_MEMBERS] : [])].join('\n\n')}
`
}

/** Formats the type of the bodies of errors, and the function that reads them. */
function problemLines(document: JSONObject, types: SchemaTypes): string {
  const described = objectAt(document, { $ref: '#/components/responses/Problem' })
  const [[type, media] = [DETAILS, undefined]] = entriesOf(described?.content)
  const schema = isRecord(media) ? media.schema : undefined
  const [name, read] =
    type === DETAILS ? ['ProblemDetails', 'problemIn(text)'] : [types.typeOf(schema), 'jsonIn<ApiProblem>(text)']
  return `/** Body of an error. */
export type ApiProblem = ${name}

function readProblem(type: string, text: string): ApiProblem | undefined {
  return type === ${literal(bare(type))} ? ${read} : undefined
}`
}

/** Content type of problem details. */
const DETAILS = 'application/problem+json'

/** Returns a content type as the client compares it: without parameters, in lower case. */
function bare(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

/** Functions of operations that are groups too. */
const WITH_MEMBERS = `/** Adds members to a function. A function has a \`name\`, which an assignment cannot change. */
function withMembers<Call extends object, Members extends object>(call: Call, members: Members): Call & Members {
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors(members)) as Call & Members
}`

/** Adds an operation. If its place is taken, its name gets a number. */
function add(root: Group, operation: ClientOperation): void {
  const path = [...operation.clientPath]
  const name = path.pop() ?? ''
  const group = path.reduce(memberOf, root)
  let free = name
  for (let number = 2; group.members.get(free)?.operation !== undefined; number++) free = `${name}${number}`
  memberOf(group, free).operation = operation
}

/** Returns a member of a group. It is added if the group lacks it. */
function memberOf({ members }: Group, name: string): Group {
  return getOrCreate(members, name, () => ({ operation: undefined, members: new Map() }))
}

/** Returns the lines of the members of the interface. */
function memberLines({ members }: Group, indent: string, types: SchemaTypes): string[] {
  return [...members].flatMap(([key, group]) => {
    const { operation } = group
    const isGroup = group.members.size > 0
    const [name, inner] = [memberName(key), isGroup ? `${indent}  ` : indent]
    const lines = operation === undefined ? [] : docComment(operation.help, inner)
    if (operation !== undefined) lines.push(`${inner}${isGroup ? '' : name}${signatureOf(operation, types, inner)}`)
    if (!isGroup) return lines
    return [`${indent}readonly ${name}: {`, ...lines, ...memberLines(group, inner, types), `${indent}}`]
  })
}

/**
 * Returns the lines of the members of the client.
 *
 * @param isInferred - whether the compiler infers the types of the results. In functions that have members it does not.
 */
function callLines({ members }: Group, indent: string, types: SchemaTypes, isInferred: boolean): string[] {
  return [...members].flatMap(([name, group]) => {
    const { operation } = group
    const key = `${indent}${memberName(name)}: `
    const isGroup = group.members.size > 0
    const type = operation === undefined || (isInferred && !isGroup) ? '' : `<${resultType(operation, types, indent)}>`
    const call = operation === undefined ? '' : `call${type}(${operationText(operation, indent)})`
    if (!isGroup) return [`${key}${call},`]
    const inner = callLines(group, `${indent}  `, types, isInferred && operation === undefined)
    const [begin, end] = operation === undefined ? ['{', '}'] : [`withMembers(${call}, {`, '})']
    return [`${key}${begin}`, ...inner, `${indent}${end},`]
  })
}

/** Formats what a client needs to send the requests of an operation, as an object literal. */
function operationText({ method, path, args, results }: ClientOperation, indent: string): string {
  const list = (words: readonly string[]) => `[${words.map(literal).join(', ')}]`
  const body = args.find(({ place }) => place === 'body')
  const parameters = args
    .filter((each) => each !== body)
    .map(({ argument, place, name }) => list([argument, place, ...(name === argument ? [] : [name])]))
  const types = new Set(results.flatMap((result) => result.types))
  // Errors are problem details.
  const accept = [...types, 'application/json;q=0.9'].join(', ')
  const isUsual = types.size === 0 || types.has('application/json')
  const members = [
    `method: ${literal(method)}`,
    `path: ${literal(path)}`,
    ...(parameters.length === 0 ? [] : [`parameters: [${parameters.join(', ')}]`]),
    ...(body === undefined ? [] : [`body: ${list([body.argument, body.name])}`]),
    ...(isUsual ? [] : [`accept: ${literal(accept)}`]),
    `results: { ${results.map(({ status, kind, types }) => `${status}: ${list([kind, ...types])}`).join(', ')} }`,
  ]
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}

/**
 * Formats the arguments and the result of an operation: `(args: { id: number }, options?: CallOptions):
 * Promise<Book>`.
 */
function signatureOf(operation: ClientOperation, types: SchemaTypes, indent: string): string {
  const { args } = operation
  const inner = `${indent}    `
  const members = args.map((each) => {
    const type = argumentType(each, types, inner)
    const key = memberName(each.argument)
    return each.isRequired ? `${key}: ${type}` : `${key}?: ${type}${type === 'unknown' ? '' : ' | undefined'}`
  })
  const name = args.some(({ isRequired }) => isRequired) ? 'args' : 'args?'
  const result = `Promise<${resultType(operation, types, indent)}>`
  if (members.length === 0) return `(${name}: NoArguments, options?: CallOptions): ${result}`
  const line = `(${name}: { ${members.join('; ')} }, options?: CallOptions): ${result}`
  const isShort = line.length <= MAX_LINE && !line.includes('\n')
  if (isShort && args.every(({ help }) => help === '')) return line
  const object = objectText(
    members,
    args.map(({ help }) => help),
    `${indent}  `,
  )
  return `(\n${indent}  ${name}: ${object},\n${indent}  options?: CallOptions,\n${indent}): ${result}`
}

function argumentType({ place, name, schema }: ClientArgument, types: SchemaTypes, indent: string): string {
  const isForm = name === 'multipart/form-data' || name === 'application/x-www-form-urlencoded'
  if (place !== 'body' || isForm || kindOf(name) === 'json') return types.typeOf(schema, indent)
  return kindOf(name) === 'text' ? 'string' : 'Blob'
}

/** Types of results other than JSON. */
const RESULTS = { text: 'string', stream: 'Response', blob: 'Blob', none: 'undefined' }

/** Returns the type of the results of an operation, as source text. */
function resultType({ results }: ClientOperation, types: SchemaTypes, indent: string): string {
  const all = new Set(
    results.map(({ kind, schema }) => (kind === 'json' ? types.typeOf(schema, indent) : RESULTS[kind])),
  )
  if (all.size === 1) return [...all].join().replace(/^undefined$/, 'void')
  return all.has('unknown') ? 'unknown' : [...all].join(' | ')
}
