/**
 * Reads the operations of an OpenAPI document as functions of a client.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { allowsText } from '../../http/converters/json-schema.ts'
import { isFile } from '../service-types/json-schema.ts'
import {
  type JSONObject,
  type Kind,
  type MediaType,
  mediaTypesOf,
  type Operation,
  operationsOf,
} from '../service-types/openapi-operations.ts'
import { member, objectAt, textMember } from '../service-types/pointer.ts'

/** The way to an operation in the client: `['admin', 'reports', 'show']` is `api.admin.reports.show`. */
type ClientPath = readonly [string, ...string[]]

/** Notation of a value in a URL, for arrays and objects. */
export type Style = 'comma' | 'space' | 'pipe' | 'deep' | 'json'

/** A parameter of an operation. */
export interface ClientParameter {
  /** Name of the argument; no other argument of the operation has it. */
  readonly argument: string
  /** Name of the parameter in the request. */
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  /** Undefined for the usual style of the place: repeated in a query, with commas elsewhere. */
  readonly style: Style | undefined
  readonly isRequired: boolean
  readonly help: string
  /** JSON Schema; undefined for any value. */
  readonly schema: unknown
}

/** The body of a request. */
export interface ClientBody extends MediaType {
  readonly argument: string
  readonly isRequired: boolean
  readonly help: string
}

/** A response to a successful request. */
export interface ClientResult {
  /** Status, `2XX` or `default`. */
  readonly status: string
  readonly kind: Kind
  /** Types that the response can have. */
  readonly types: readonly string[]
  /** Schema of the first type. */
  readonly schema: unknown
}

/** An operation, as a function of a client. */
export interface ClientOperation {
  readonly clientPath: ClientPath
  /** Method in upper case. */
  readonly method: string
  readonly path: string
  readonly help: string
  readonly parameters: readonly ClientParameter[]
  readonly body: ClientBody | undefined
  readonly results: readonly ClientResult[]
}

/** Number of groups around an operation. Further ones are left out. */
const MAX_GROUPS = 10

/** Header fields that are not described by parameters (OpenAPI), or that no caller may set. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization', 'cookie'])

/** Order in which the kinds of responses are preferred. */
const KINDS: readonly Kind[] = ['json', 'text', 'stream', 'blob']

/** Reads the operations of a document. `fetch` cannot send TRACE, so it is left out. */
export function clientOperations(document: JSONObject): ClientOperation[] {
  return operationsOf(document)
    .filter(({ method }) => method !== 'trace')
    .map((each) => clientOperation(document, each))
}

function clientOperation(document: JSONObject, described: Operation): ClientOperation {
  const { method, path, operation } = described
  const names = new Set<string>()
  const parameters = parametersOf(document, described).map((parameter) => ({
    ...parameter,
    argument: unused(parameter.name, names),
  }))
  return {
    clientPath: clientPath(described),
    method: method.toUpperCase(),
    path,
    help: helpOf(operation),
    parameters,
    body: bodyOf(document, described, names),
    results: resultsOf(document, described),
  }
}

/** Returns a name that was not used before: itself, or with a number. */
function unused(name: string, names: Set<string>): string {
  let free = name
  for (let number = 2; names.has(free); number++) free = `${name}${number}`
  names.add(free)
  return free
}

/** Returns the description of an operation, below its summary unless it begins with that. */
function helpOf(operation: JSONObject): string {
  const summary = textMember(operation, 'summary').trim()
  const description = textMember(operation, 'description').trim()
  const tag = member(operation, 'deprecated') === true ? '@deprecated' : ''
  const texts = [description.startsWith(summary) ? '' : summary, description || summary, tag]
  return [...new Set(texts)].filter((text) => text !== '').join('\n\n')
}

/**
 * Returns the parameters of an operation and of its path item, which it overrides. Variables of the path without a
 * parameter are text. Cookies are not arguments: the browser sends its own, and other clients set the header.
 */
function parametersOf(
  document: JSONObject,
  { path, item, operation }: Operation,
): Omit<ClientParameter, 'argument'>[] {
  const parameters = new Map<string, Omit<ClientParameter, 'argument'>>()
  for (const { parameters: list } of [item, operation]) {
    for (const each of Array.isArray(list) ? list : []) {
      const parameter = parameterOf(document, objectAt(document, each) ?? {})
      if (parameter !== undefined) parameters.set(`${parameter.place} ${parameter.name}`, parameter)
    }
  }
  const variables = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const inPath = variables.map((name): Omit<ClientParameter, 'argument'> => {
    const described = parameters.get(`path ${name}`)
    return described ?? { name, place: 'path', style: undefined, isRequired: true, help: '', schema: TEXT }
  })
  return [...new Set([...inPath, ...[...parameters.values()].filter(({ place }) => place !== 'path')])]
}

const TEXT = { type: 'string' }

function parameterOf(
  document: JSONObject,
  described: JSONObject,
): Omit<ClientParameter, 'argument'> | undefined {
  const name = textMember(described, 'name')
  const place = textMember(described, 'in')
  if (name === '' || (place !== 'path' && place !== 'query' && place !== 'header')) return undefined
  if (place === 'header' && (OWN_HEADERS.has(name.toLowerCase()) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))) {
    return undefined
  }
  const [media] = mediaTypesOf(document, described)
  const help = textMember(described, 'description').trim()
  const tag = member(described, 'deprecated') === true ? '@deprecated' : ''
  return {
    name,
    place,
    style: media === undefined ? styleOf(described, place) : 'json',
    isRequired: place === 'path' || member(described, 'required') === true,
    help: [help, tag].filter((text) => text !== '').join('\n\n'),
    schema: media === undefined ? member(described, 'schema') : media.schema,
  }
}

function styleOf(described: JSONObject, place: string): Style | undefined {
  if (place !== 'query') return undefined
  const style = textMember(described, 'style')
  if (style === 'deepObject') return 'deep'
  if (style === 'spaceDelimited') return 'space'
  if (style === 'pipeDelimited') return 'pipe'
  return member(described, 'explode') === false ? 'comma' : undefined
}

/** Returns the body of a request: JSON, unless the operation takes files. `fetch` sends no body with GET and HEAD. */
function bodyOf(
  document: JSONObject,
  { method, operation }: Operation,
  names: Set<string>,
): ClientBody | undefined {
  const body = objectAt(document, member(operation, 'requestBody'))
  if (body === undefined || method === 'get' || method === 'head') return undefined
  const types = mediaTypesOf(document, body)
  const media =
    types.find(({ type, schema }) => type === 'multipart/form-data' && hasFiles(document, schema)) ??
    types.find(({ kind }) => kind === 'json') ??
    types.find(({ type }) => type === 'multipart/form-data') ??
    types.find(({ type }) => type === 'application/x-www-form-urlencoded') ??
    types[0]
  if (media === undefined) return undefined
  const name = textMember(operation, 'x-codegen-request-body-name') || 'body'
  return {
    ...media,
    argument: unused(name, names),
    isRequired: member(body, 'required') === true,
    help: textMember(body, 'description').trim(),
  }
}

/** Returns true if a member of an object, or an element of one, is a file. */
function hasFiles(document: JSONObject, schema: unknown): boolean {
  const properties = member(objectAt(document, schema) ?? {}, 'properties')
  if (!isRecord(properties)) return false
  return Object.values(properties).some((property) => {
    const object = objectAt(document, property) ?? {}
    const items = objectAt(document, member(object, 'items')) ?? {}
    return [object, items].some(isFile)
  })
}

function resultsOf(document: JSONObject, { method, operation }: Operation): ClientResult[] {
  const responses = member(operation, 'responses')
  const all = isRecord(responses) ? Object.keys(responses) : []
  const successful = all.filter((status) => /^2(?:\d\d|XX)$/.test(status))
  const statuses = successful.length > 0 ? successful : ['default']
  return statuses.map((status) => {
    const response = objectAt(document, isRecord(responses) ? member(responses, status) : undefined) ?? {}
    const types = method === 'head' ? [] : mediaTypesOf(document, response)
    const kind = KINDS.find((each) => types.some((type) => type.kind === each)) ?? 'none'
    const schema = types.find((type) => type.kind === kind)?.schema
    const isText = kind === 'json' && allowsText(objectAt(document, schema) ?? {})
    const chosen = types.filter(({ kind: each, type }) => each === kind || (isText && type === 'text/html'))
    return { status, kind, types: chosen.map(({ type }) => type), schema }
  })
}

/**
 * Returns the way to an operation. The groups are the parts of its first tag, between slashes. The name is its
 * `operationId`, without the tag in front: `admin_reports_show` with the tag `admin/reports` is `show`.
 */
function clientPath({ method, path, operation }: Operation): ClientPath {
  const { tags } = operation
  const [tag] = Array.isArray(tags) ? tags : []
  const groups = (typeof tag === 'string' ? tag.split('/') : []).map(plain).filter((part) => part !== '')
  const id = plain(textMember(operation, 'operationId')) || plain(`${method}_${plain(path)}`)
  const prefix = `${groups.join('_')}_`
  const name = id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id
  const [first = name, ...others] = [...groups.slice(0, MAX_GROUPS), name].map(safe)
  return [first, ...others]
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
