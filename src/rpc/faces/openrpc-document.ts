/** OpenRPC documents of services that answer JSON-RPC. */

import { describedBy } from '../../app/openapi/texts.ts'
import { oncePer } from '../../base/once-per.ts'
import { SchemaComponents } from '../../http/converters/schema-components.ts'
import type { JSONText } from '../controllers/json-values.ts'
import type { ProcedureDescription } from '../controllers/procedure-description.ts'
import type { Procedure } from '../controllers/procedures.ts'
import type { ServiceController } from '../controllers/service-controller.ts'
import { describeService, type ServiceDescription } from '../controllers/service-description.ts'
import { ServiceRequest } from '../controllers/service-request.ts'
import { withServers } from './document.ts'
import { argumentSchema, resultSchema } from './value-schemas.ts'

/** The method `rpc.discover` of every JSON-RPC face (OpenRPC, "Service Discovery Method"). */
export const DISCOVER: Procedure = {
  name: 'rpc_discover',
  method(this: ServiceController) {
    return openrpcText(describeService(new ServiceRequest(this)), ownUrl(this.request.url))
  },
  signatures: [['struct']],
  arity: { least: 0, most: 0 },
  parameters: { kind: 'positional', names: [] },
  help: '',
}

/** The part of a document that does not depend on the request. */
const documentOf = oncePer((service: ServiceDescription) => JSON.stringify(openrpcDocument(service)))

/**
 * Returns the text of the OpenRPC 1.3 document of a service.
 *
 * @param server - URL to which calls are sent. The meta schema requires an absolute one.
 */
export function openrpcText(service: ServiceDescription, server: string): JSONText {
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
