/** OpenRPC documents of services that answer JSON-RPC. */
import { summaryOf } from '../doc-comment.ts'
import { embedded, type JSONSchema, pointerTo } from '../json-schema.ts'
import type { ProcedureDescription } from '../procedure-description.ts'
import type { ServiceDescription } from '../service-description.ts'

/**
 * Returns the OpenRPC 1.3 document of a service, which is also the result of `rpc.discover`.
 *
 * @param server - URL to which calls are sent. It may be relative to the URL of the document.
 */
export function openrpcDocument(service: ServiceDescription, server: string): object {
  const { title, version, description, procedures } = service
  return {
    openrpc: '1.3.2',
    info: { title, version, ...(description === '' ? {} : { description }) },
    servers: [{ name: title, url: server }],
    methods: procedures.map(methodObject),
  }
}

function methodObject(procedure: ProcedureDescription, index: number): object {
  const { name, help, parameters, passing, result = {} } = procedure
  const summary = summaryOf(help)
  const pointer = pointerTo('methods', String(index))
  return {
    name,
    ...(summary === '' ? {} : { summary }),
    ...(help === summary ? {} : { description: help }),
    paramStructure: passing,
    params: parameters.map(({ name, description, required, schema }, position) => ({
      name,
      ...(description === '' ? {} : { description }),
      required,
      schema: embedded(schema, `${pointer}${pointerTo('params', String(position), 'schema')}`),
    })),
    result: { name: 'result', schema: resultSchema(result, pointer) },
  }
}

function resultSchema(result: JSONSchema, pointer: string): JSONSchema {
  return embedded(result, `${pointer}${pointerTo('result', 'schema')}`)
}

/**
 * Returns the URL of a service relative to itself: the URL to which the call of `rpc.discover` was sent.
 *
 * @param url - that URL as this server sees it.
 */
export function ownUrl(url: string): string {
  return `./${new URL(url).pathname.split('/').at(-1) ?? ''}`
}
