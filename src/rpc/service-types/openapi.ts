import { isRecord } from '../../base/record.ts'
import { type JSONObject, operationsOf } from './openapi-operations.ts'
import { helpOf } from './openrpc.ts'
import { member, objectAt, textMember } from './pointer.ts'
import type { DescribedParameter, DescribedProcedure, ServiceDocument } from './service-document.ts'

/**
 * Reads an OpenAPI 3.x document (https://spec.openapis.org). An operation by POST whose arguments are the members of a
 * JSON object is a procedure, with its path as its name: `/stock.find` is `stock.find`.
 */
export function readOpenAPI(document: JSONObject): ServiceDocument {
  const procedures: DescribedProcedure[] = []
  const others: string[] = []
  for (const { method, path, item, operation } of operationsOf(document)) {
    const procedure = method === 'post' ? procedureOf(document, path, item, operation) : undefined
    if (procedure === undefined) others.push(`${method.toUpperCase()} ${path}`)
    else procedures.push(procedure)
  }
  const servers = member(document, 'servers')
  const server = objectAt(document, Array.isArray(servers) ? servers[0] : undefined)
  return {
    format: 'OpenAPI',
    procedures,
    others,
    server: server === undefined ? undefined : textMember(server, 'url') || undefined,
    source: document,
  }
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
  const schema = jsonSchemaIn(document, body)
  const object = objectAt(document, schema)
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

function jsonSchemaIn(document: JSONObject, object: JSONObject): unknown {
  const content = member(object, 'content')
  if (!isRecord(content)) return undefined
  const type = Object.keys(content).find((each) => /^application\/(?:[^;]+\+)?json(?:;|$)/i.test(each))
  const media = type === undefined ? undefined : objectAt(document, content[type])
  return media === undefined ? undefined : member(media, 'schema')
}
