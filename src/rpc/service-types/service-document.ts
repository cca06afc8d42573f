/** Reads OpenRPC and OpenAPI documents as lists of procedures. */

import { isRecord } from '../../base/record.ts'
import { type JSONObject, mediaTypesOf, operationsOf } from './openapi-operations.ts'
import { member, objectAt, textMember } from './pointer.ts'

/** A parameter, as a document describes it. */
export interface DescribedParameter {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  /** JSON Schema; undefined if any value is allowed. */
  readonly schema: unknown
}

/** A procedure, as a document describes it. */
export interface DescribedProcedure {
  readonly name: string
  /** Documentation without parameters; '' if there is none. */
  readonly help: string
  /** Parameters in the order in which they are passed by position. */
  readonly parameters: readonly DescribedParameter[]
  /** Whether parameters can be passed by name only. */
  readonly isNamedOnly: boolean
  /** JSON Schema of the result; undefined if it may be any value. */
  readonly result: unknown
}

/** The content of an OpenRPC or OpenAPI document, as far as calls need it. */
export interface ServiceDocument {
  readonly format: 'OpenRPC' | 'OpenAPI'
  readonly procedures: readonly DescribedProcedure[]
  /** Operations that are not calls by POST with a JSON object: `GET /pets/{id}`. */
  readonly others: readonly string[]
  /** URL of the service, relative to the URL of the document; undefined if the document does not state it. */
  readonly server: string | undefined
  /** The parsed document, which references in schemas refer to. */
  readonly source: unknown
}

/**
 * Reads an OpenRPC 1.x document, or an OpenAPI 3.x document of which each operation by POST with a JSON object is a
 * procedure.
 *
 * @throws TypeError - the value is neither.
 */
export function readServiceDocument(document: unknown): ServiceDocument {
  if (isRecord(document)) {
    const server = serverOf(document)
    if (typeof member(document, 'openrpc') === 'string') return { ...readOpenRPC(document), server }
    if (typeof member(document, 'openapi') === 'string') return { ...readOpenAPI(document), server }
  }
  throw new TypeError(
    'The document is neither OpenRPC nor OpenAPI 3. It needs a member `openrpc` or `openapi` with the version.',
  )
}

function serverOf(document: JSONObject): string | undefined {
  const servers = member(document, 'servers')
  const server = objectAt(document, Array.isArray(servers) ? servers[0] : undefined)
  return server === undefined ? undefined : textMember(server, 'url') || undefined
}

type Content = Omit<ServiceDocument, 'server'>

/** Reads an OpenRPC 1.x document (https://spec.open-rpc.org). Methods without a name are left out. */
function readOpenRPC(document: JSONObject): Content {
  const methods = member(document, 'methods')
  return {
    format: 'OpenRPC',
    procedures: (Array.isArray(methods) ? methods : [])
      .map((method) => objectAt(document, method))
      .filter((method) => method !== undefined && textMember(method, 'name') !== '')
      .map((method) => methodOf(document, method as JSONObject)),
    others: [],
    source: document,
  }
}

function methodOf(document: JSONObject, method: JSONObject): DescribedProcedure {
  const parameters = member(method, 'params')
  const result = objectAt(document, member(method, 'result'))
  return {
    name: textMember(method, 'name'),
    help: helpOf(method),
    parameters: (Array.isArray(parameters) ? parameters : []).map((each) => parameterOf(document, each)),
    isNamedOnly: member(method, 'paramStructure') === 'by-name',
    result: result === undefined ? undefined : member(result, 'schema'),
  }
}

function parameterOf(document: JSONObject, value: unknown): DescribedParameter {
  const descriptor = objectAt(document, value) ?? {}
  return {
    name: textMember(descriptor, 'name'),
    description: helpOf(descriptor),
    isRequired: member(descriptor, 'required') === true,
    schema: member(descriptor, 'schema'),
  }
}

/** Returns the description of an object, or its summary if it has none. */
function helpOf(described: JSONObject): string {
  return textMember(described, 'description') || textMember(described, 'summary')
}

/**
 * Reads an OpenAPI 3.x document (https://spec.openapis.org). An operation by POST whose arguments are the members of a
 * JSON object is a procedure, with its path as its name: `/stock.find` is `stock.find`.
 */
function readOpenAPI(document: JSONObject): Content {
  const procedures: DescribedProcedure[] = []
  const others: string[] = []
  for (const { method, path, item, operation } of operationsOf(document)) {
    const procedure = method === 'post' ? procedureOf(document, path, item, operation) : undefined
    if (procedure === undefined) others.push(`${method.toUpperCase()} ${path}`)
    else procedures.push(procedure)
  }
  return { format: 'OpenAPI', procedures, others, source: document }
}

/** Returns undefined if the operation is not a procedure: it has parameters elsewhere than in a JSON object. */
function procedureOf(
  document: JSONObject,
  path: string,
  item: JSONObject,
  operation: JSONObject,
): DescribedProcedure | undefined {
  const name = nameOf(path)
  if (
    name === undefined ||
    hasRequiredParameters(document, item) ||
    hasRequiredParameters(document, operation)
  )
    return undefined
  const body = objectAt(document, member(operation, 'requestBody'))
  const parameters = body === undefined ? [] : parametersIn(document, body)
  if (parameters === undefined) return undefined
  return {
    name,
    help: helpOf(operation),
    parameters,
    isNamedOnly: false,
    result: resultOf(document, operation),
  }
}

/** Returns the name of a procedure: the path without its slash. A path with variables has none. */
function nameOf(path: string): string | undefined {
  if (!/^\/[^{}]+$/.test(path)) return undefined
  try {
    return decodeURIComponent(path.slice(1))
  } catch {
    return undefined // A percent sign that encodes nothing.
  }
}

function hasRequiredParameters(document: JSONObject, object: JSONObject): boolean {
  const parameters = member(object, 'parameters')
  if (!Array.isArray(parameters)) return false
  return parameters.some((each) => member(objectAt(document, each) ?? {}, 'required') === true)
}

/** Returns the arguments of a JSON object, or undefined if the body is something else. */
function parametersIn(document: JSONObject, body: JSONObject): DescribedParameter[] | undefined {
  const object = objectAt(document, jsonSchemaIn(document, body))
  if (object === undefined) return undefined
  const properties = member(object, 'properties')
  if (!isRecord(properties)) return member(object, 'type') === 'object' ? [] : undefined
  const required = member(object, 'required')
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).map(([name, property]) => ({
    name,
    description: textMember(objectAt(document, property) ?? {}, 'description'),
    isRequired: names.has(name),
    schema: property,
  }))
}

/** Returns the schema of the response with the lowest successful status; undefined if it has no JSON. */
function resultOf(document: JSONObject, operation: JSONObject): unknown {
  const responses = member(operation, 'responses')
  if (!isRecord(responses)) return undefined
  const status = Object.keys(responses).find((each) => /^2(?:\d\d|XX)$/.test(each))
  const response = status === undefined ? undefined : objectAt(document, responses[status])
  return response === undefined ? undefined : jsonSchemaIn(document, response)
}

function jsonSchemaIn(document: JSONObject, described: JSONObject): unknown {
  return mediaTypesOf(document, described).find(({ kind }) => kind === 'json')?.schema
}
