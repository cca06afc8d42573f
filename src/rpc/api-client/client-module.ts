/**
 * Generates the module of a client from an OpenAPI document.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { SchemaTypes } from '../service-types/json-schema.ts'
import { type NameTree, newTree, placeIn, writeMembers } from '../service-types/name-tree.ts'
import type { JSONObject } from '../service-types/openapi-operations.ts'
import { member, objectAt, referenceTo, textMember } from '../service-types/pointer.ts'
import { inComment, memberName } from '../service-types/text.ts'
import { type ClientOperation, clientOperations } from './client-operations.ts'
import { operationText } from './operation-text.ts'
import { resultType, signatureOf } from './signature.ts'

/** The parts of a client's module that the document does not state. */
export interface ClientModule {
  /** First line: the origin of the module. Control characters are escaped. */
  readonly heading: string
  /** A client of another API, whose operations are replaced. */
  readonly template: string
}

/** Line of the template before the part that every client has. */
const DIVIDER = '// The rest is the same for every API.'

/** Types of the platform that the template uses. */
const GLOBAL_TYPES = [
  'AbortSignal',
  'Blob',
  'Headers',
  'Promise',
  'Readonly',
  'Record',
  'RequestInit',
  'Response',
  'URL',
]

const SCHEMAS = '#/components/schemas'

/**
 * Generates the module of a client from an OpenAPI 3.x document. Names and texts of the document are escaped, so that they
 * cannot become code. Equal documents have equal modules.
 *
 * @throws TypeError - the document is not OpenAPI 3, or has no operations.
 */
export function writeClient(document: unknown, { heading, template }: ClientModule): string {
  const source = checked(document)
  const operations = clientOperations(source)
  if (operations.length === 0) throw new TypeError('The document has no operations.')
  const root = newTree<ClientOperation>()
  for (const operation of operations) add(root, operation)
  const shared = template.slice(template.indexOf(DIVIDER))
  const names = [...shared.matchAll(/^(?:export )?(?:class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  )
  const types = new SchemaTypes(source, [...GLOBAL_TYPES, ...names, 'Client'], {
    anyResult: 'unknown',
    file: 'Blob',
  })
  const schemas = objectAt(source, member(objectAt(source, member(source, 'components')) ?? {}, 'schemas'))
  types.declare(Object.keys(schemas ?? {}).map((name) => referenceTo(SCHEMAS, name)))
  const members: string[] = []
  writeMembers(members, root, '  ', 'readonly ', (operation, indent) => ({
    help: operation.help,
    calls: [signatureOf(operation, types, indent)],
  }))
  const calls: string[] = []
  writeCalls(calls, root, '    ', types, true)
  const isNested = calls.some((line) => line.includes(' withMembers('))
  return `${[
    `// ${inComment(heading)}`,
    '/* eslint-disable */',
    '',
    `/** The operations of ${inComment(titleOf(source))}. */`,
    'export interface Client {',
    ...members,
    '}',
    '',
    '/** Creates a client of the API. */',
    'export function createClient(options: ClientOptions): Client {',
    '  const call = callsOf(options)',
    '  return {',
    ...calls,
    '  }',
    '}',
    ...types.declarations().flatMap((declaration) => ['', declaration]),
    '',
    shared.trimEnd(),
    ...(isNested ? ['', WITH_MEMBERS] : []),
  ].join('\n')}\n`
}

/** Functions of operations that are groups too. */
const WITH_MEMBERS = `/** Adds members to a function. A function has a \`name\`, which an assignment cannot change. */
function withMembers<Call extends object, Members extends object>(call: Call, members: Members): Call & Members {
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors(members)) as Call & Members
}`

function checked(document: unknown): JSONObject {
  if (!isRecord(document))
    throw new TypeError(`The document is ${describeValue(document)} instead of an object.`)
  const version = member(document, 'openapi')
  if (typeof version === 'string' && /^3\./.test(version)) return document
  const other = version ?? member(document, 'swagger')
  throw new TypeError(
    other === undefined
      ? 'The document is not OpenAPI. It needs a member `openapi` with the version.'
      : `The document is OpenAPI ${inComment(String(other))}. Convert it to OpenAPI 3.0 or 3.1.`,
  )
}

function titleOf(document: JSONObject): string {
  const info = objectAt(document, member(document, 'info')) ?? {}
  const words = [textMember(info, 'title').trim(), textMember(info, 'version').trim()]
  return words.filter((word) => word !== '').join(' ') || 'the API'
}

/** Adds an operation to the tree. If its place is taken, its name gets a number. */
function add(root: NameTree<ClientOperation>, operation: ClientOperation): void {
  const { clientPath } = operation
  const group = placeIn(root, clientPath.slice(0, -1))
  const name = clientPath.at(-1) ?? ''
  let free = name
  for (let number = 2; group.children.get(free)?.value !== undefined; number++) free = `${name}${number}`
  placeIn(group, [free]).value = operation
}

/**
 * Adds the members of the client.
 *
 * @param isInferred - whether the compiler infers the types of the results. In functions that have members it does not.
 */
function writeCalls(
  lines: string[],
  { children }: NameTree<ClientOperation>,
  indent: string,
  types: SchemaTypes,
  isInferred: boolean,
): void {
  const callOf = (operation: ClientOperation, inferred: boolean, inner: string) => {
    const type = inferred ? '' : `<${resultType(operation, types, inner)}>`
    return `call${type}(${operationText(operation, inner)})`
  }
  for (const [name, place] of children) {
    const { value: operation } = place
    const key = `${indent}${memberName(name)}: `
    if (place.children.size === 0) {
      if (operation !== undefined) lines.push(`${key}${callOf(operation, isInferred, indent)},`)
      continue
    }
    const [begin, end] =
      operation === undefined ? ['{', '}'] : [`withMembers(${callOf(operation, false, indent)}, {`, '})']
    lines.push(`${key}${begin}`)
    writeCalls(lines, place, `${indent}  `, types, isInferred && operation === undefined)
    lines.push(`${indent}${end},`)
  }
}
