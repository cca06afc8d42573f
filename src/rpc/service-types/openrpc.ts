import { member, objectAt, textMember } from './pointer.ts'
import type { DescribedParameter, DescribedProcedure, ServiceDocument } from './service-document.ts'

type JSONObject = Readonly<Record<string, unknown>>

/** Reads an OpenRPC 1.x document (https://spec.open-rpc.org). Methods without a name are left out. */
export function readOpenRPC(document: JSONObject): ServiceDocument {
  const methods = member(document, 'methods')
  const servers = member(document, 'servers')
  const server = objectAt(document, Array.isArray(servers) ? servers[0] : undefined)
  return {
    format: 'OpenRPC',
    procedures: (Array.isArray(methods) ? methods : [])
      .map((method) => objectAt(document, method))
      .filter((method) => method !== undefined && textMember(method, 'name') !== '')
      .map((method) => procedureOf(document, method as JSONObject)),
    others: [],
    server: server === undefined ? undefined : textMember(server, 'url') || undefined,
    source: document,
  }
}

function procedureOf(document: JSONObject, method: JSONObject): DescribedProcedure {
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
export function helpOf(described: JSONObject): string {
  return textMember(described, 'description') || textMember(described, 'summary')
}
