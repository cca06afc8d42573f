/**
 * Reads the operations of an OpenAPI document as functions of a client.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { allowsText } from '../../http/converters/json-schema.ts'

/** An object of a document. */
export type JSONObject = Readonly<Record<string, unknown>>

/** An argument of an operation: a parameter of the request, or its body. */
export interface ClientArgument {
  /** Name of the argument; no other argument of the operation has it. */
  readonly argument: string
  readonly place: 'path' | 'query' | 'header' | 'body'
  /** Name of the parameter in the request, or content type of the body. */
  readonly name: string
  readonly isRequired: boolean
  readonly help: string
  /** JSON Schema; undefined for any value. */
  readonly schema: unknown
}

/** Kind of a body, by which a client reads or writes it. */
type Kind = 'json' | 'text' | 'stream' | 'blob' | 'none'

/** A response to a successful request. */
export interface ClientResult {
  readonly status: string
  readonly kind: Kind
  /** Types that the response can have. */
  readonly types: readonly string[]
  /** Schema of the first type. */
  readonly schema: unknown
}

/** An operation, as a function of a client. */
export interface ClientOperation {
  /** The way to it in the client: `['admin', 'reports', 'show']` is `api.admin.reports.show`. */
  readonly clientPath: readonly string[]
  readonly method: string
  readonly path: string
  readonly help: string
  readonly args: readonly ClientArgument[]
  readonly results: readonly ClientResult[]
}

/** Methods of operations, in the order of the members of a client. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** Returns the value at a reference within a document, `#/components/schemas/Book`, or undefined if there is none. */
export function valueAt(document: unknown, reference: string): unknown {
  const step = (value: unknown, name: string) =>
    isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return reference.startsWith('#/') ? reference.slice(2).split('/').reduce(step, document) : undefined
}

/** Returns the object that a value is or refers to, or undefined if it is neither. */
export function objectAt(document: unknown, value: unknown): JSONObject | undefined {
  const target = isRecord(value) && typeof value.$ref === 'string' ? valueAt(document, value.$ref) : value
  return isRecord(target) ? target : undefined
}

/** Returns a text without blanks around it, or '' for another value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

export function entriesOf(value: unknown): [name: string, value: unknown][] {
  return Object.entries(isRecord(value) ? value : {})
}

function operationsOf(document: JSONObject) {
  return entriesOf(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isRecord(item) ? item[method] : undefined
      return isRecord(item) && isRecord(operation) ? [{ method, path, item, operation }] : []
    }),
  )
}

/**
 * Returns true for a document that Propylon wrote: an action has the tag `admin/books` and the id `admin_books_show`. A
 * procedure of a service has no tag, nor has an action whose document was changed, but both have problems.
 */
export function isOwnDocument(document: unknown): document is JSONObject {
  if (!isRecord(document) || document.openapi !== '3.1.1') return false
  return operationsOf(document).some(({ operation: { operationId, tags, responses } }) => {
    const [tag] = [tags].flat()
    if (typeof tag === 'string') return textOf(operationId).startsWith(`${tag.replaceAll(/[/-]/g, '_')}_`)
    return entriesOf(responses).some(
      ([, response]) => isRecord(response) && response.$ref === '#/components/responses/Problem',
    )
  })
}

/** Reads the operations of a document in its order. */
export function clientOperations(document: JSONObject): ClientOperation[] {
  return operationsOf(document).map(({ method, path, item, operation }) => {
    const declared = [item.parameters, operation.parameters].flat().map((each) => objectAt(document, each))
    const args = [...declared.flatMap((each) => parameterOf(each)), ...bodyOf(document, operation)]
    const names = new Set<string>()
    return {
      clientPath: clientPath(operation, `${method}_${plain(path)}`),
      method: method.toUpperCase(),
      path,
      help: helpOf(operation),
      args: args.map((each) => ({ ...each, argument: unused(each.argument, names) })),
      results: resultsOf(document, operation),
    }
  })
}

/** Returns the description of an operation or a schema, below its summary unless it begins with that. */
export function helpOf({ summary, description, deprecated }: JSONObject): string {
  const [short, long] = [textOf(summary), textOf(description)]
  const texts = [long.startsWith(short) ? '' : short, long || short, deprecated === true ? '@deprecated' : '']
  return [...new Set(texts)].filter((text) => text !== '').join('\n\n')
}

/** Returns a name that was not used before: itself, or with a number. */
function unused(name: string, names: Set<string>): string {
  let free = name
  for (let number = 2; names.has(free); number++) free = `${name}${number}`
  names.add(free)
  return free
}

/** Cookies are not arguments: the browser sends its own, and other clients set the header. */
function parameterOf(described: JSONObject = {}): ClientArgument[] {
  const { name, in: place, required, description, schema } = described
  if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) return []
  return [{ argument: name, place, name, isRequired: required === true, help: textOf(description), schema }]
}

/** Returns the body of a request: a form if the operation takes files, otherwise JSON. */
function bodyOf(document: JSONObject, operation: JSONObject): ClientArgument[] {
  const { content, required, description } = objectAt(document, operation.requestBody) ?? {}
  const types = entriesOf(content)
  const isForm = ([type]: readonly [string, unknown]) => type === 'multipart/form-data'
  const [name, media] = types.find(isForm) ?? types.find(([type]) => kindOf(type) === 'json') ?? types[0] ?? []
  if (name === undefined) return []
  const argument = textOf(operation['x-codegen-request-body-name']) || 'body'
  const schema = isRecord(media) ? media.schema : undefined
  return [{ argument, place: 'body', name, isRequired: required === true, help: textOf(description), schema }]
}

export function kindOf(type: string): Kind {
  if (/^application\/(?:.+\+)?json$/.test(type)) return 'json'
  if (type === 'text/event-stream') return 'stream'
  return /^text\/|[/+]xml$/.test(type) ? 'text' : 'blob'
}

/** Returns the successful responses. If only another one is described, any success has no result. */
function resultsOf(document: JSONObject, { responses }: JSONObject): ClientResult[] {
  const successful = entriesOf(responses).filter(([status]) => /^2\d\d$/.test(status))
  if (successful.length === 0) return [{ status: 'default', kind: 'none', types: [], schema: undefined }]
  return successful.map(([status, response]) => {
    const types = entriesOf(objectAt(document, response)?.content)
    const kinds = new Set(types.map(([type]) => kindOf(type)))
    const kind = (['json', 'text', 'stream', 'blob'] as const).find((each) => kinds.has(each)) ?? 'none'
    const [, media] = types.find(([type]) => kindOf(type) === kind) ?? []
    const schema = isRecord(media) ? media.schema : undefined
    const isText = kind === 'json' && allowsText(objectAt(document, schema) ?? {})
    const chosen = types.filter(([type]) => kindOf(type) === kind || (isText && type === 'text/html'))
    return { status, kind, types: chosen.map(([type]) => type), schema }
  })
}

/**
 * Returns the way to an operation. The groups are the parts of its first tag, between slashes. The name is its
 * `operationId`, without the tag in front: `admin_reports_show` with the tag `admin/reports` is `show`.
 */
function clientPath({ tags, operationId }: JSONObject, otherwise: string): string[] {
  const groups = textOf([tags].flat()[0])
    .split('/')
    .map(plain)
    .filter((part) => part !== '')
  const id = plain(textOf(operationId)) || plain(otherwise)
  const prefix = `${groups.join('_')}_`
  const name = id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id
  return [...groups, name].map(safe)
}

/** Removes what an identifier cannot contain from the ends of a text, and replaces it by `_` within. */
function plain(text: string): string {
  const inner = text.normalize('NFC').replace(/^[^\p{ID_Continue}$]+|[^\p{ID_Continue}$]+$/gu, '')
  return inner.replace(/[^\p{ID_Continue}$]+/gu, '_')
}

/** Returns a name that can be a member: `await` calls `then`, and a literal with `__proto__` has no such member. */
function safe(name: string): string {
  if (!/^[\p{ID_Start}$_]/u.test(name)) return `_${name}`
  return name === 'then' || name === '__proto__' ? `${name}_` : name
}
