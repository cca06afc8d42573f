/** OpenRPC 1.3 documents of services that answer JSON-RPC. */

import { describedBy } from '../../app/openapi/texts.ts'
import { oncePer } from '../../base/once-per.ts'
import { SchemaComponents } from '../../http/converters/schema-components.ts'
import type { JSONText } from '../controllers/json-values.ts'
import type { ProcedureDescription } from '../controllers/procedure-description.ts'
import type { Procedure } from '../controllers/procedures.ts'
import type { ServiceController } from '../controllers/service-controller.ts'
import { describeService, type ServiceDescription } from '../controllers/service-description.ts'
import { ServiceRequest } from '../controllers/service-request.ts'
import { answerDocument, serverUrl, withServers } from './document.ts'
import type { Face } from './face.ts'
import { argumentSchema, resultSchema } from './value-schemas.ts'

export const OPENRPC: Face = {
  title: 'OpenRPC document',
  path: '/openrpc.json',
  answer(request) {
    const { url } = request.controller.request
    return answerDocument(request, () => openrpcText(request, new URL(serverUrl(url), url).href))
  },
}

/** The method `rpc.discover` of every JSON-RPC face (OpenRPC, "Service Discovery Method"). */
export const DISCOVER: Procedure = {
  name: 'rpc_discover',
  method(this: ServiceController) {
    return openrpcText(new ServiceRequest(this), ownUrl(this.request.url))
  },
  signatures: [['struct']],
  arity: { least: 0, most: 0 },
  parameters: { kind: 'positional', names: [] },
  help: '',
}

/** The part of a document that does not depend on the request. */
const documentOf = oncePer((service: ServiceDescription) => JSON.stringify(openrpcDocument(service)))

/** @param server - URL to which calls are sent. The meta schema requires an absolute one. */
function openrpcText(request: ServiceRequest, server: string): JSONText {
  const service = describeService(request)
  return withServers(documentOf(service), [{ name: service.title, url: server }])
}

function openrpcDocument({ title, version, description, procedures }: ServiceDescription): object {
  const components = new SchemaComponents({ base: '#/components/schemas/' })
  const methods = procedures.map((procedure) => methodObject(procedure, components))
  const schemas = components.finish()
  return {
    openrpc: '1.3.2',
    info: { title, version, ...(description === '' ? {} : { description }) },
    methods,
    ...(Object.keys(schemas).length > 0 && { components: { schemas } }),
  }
}

function methodObject(procedure: ProcedureDescription, components: SchemaComponents): object {
  const { publicName, help, parameters, passing, isDeprecated } = procedure
  return {
    name: publicName,
    ...describedBy(help),
    ...(isDeprecated && { deprecated: true }),
    paramStructure: passing,
    params: parameters.map((parameter) => {
      const { name, description, required } = parameter
      return {
        name,
        ...(description === '' ? {} : { description }),
        required,
        schema: argumentSchema(procedure, parameter, components),
      }
    }),
    result: { name: 'result', schema: resultSchema(procedure, components) },
  }
}

/** Returns the URL to which the call of `rpc.discover` was sent. */
function ownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
