/**
 * Services that are called by XML-RPC, for `propylon rpc` and `propylon xmlrpc`.
 *
 * @module
 */

import { procedureText } from '../service-types/interface.ts'
import { procedureOf } from '../service-types/xmlrpc-types.ts'
import {
  Fault,
  FaultCode,
  generateTypes,
  introspect,
  XMLRPCClient,
  type XMLRPCClientMethods,
  type XMLRPCClientOptions,
  XMLRPCProtocolError,
} from '../xmlrpc/index.ts'
import { parseArgument } from './argument-values.ts'
import { type Service, ServiceError, unlessEmpty } from './service.ts'

/** Returns a service that is called by XML-RPC. */
export function xmlrpcService(url: string, options: XMLRPCClientOptions, cwd: string): Service {
  const client: XMLRPCClientMethods = new XMLRPCClient(url, { allowNil: true, i8: true, ...options })
  return {
    list: () => client.listMethods(),
    async help(methodName) {
      const help = await client.methodHelp(methodName)
      const signatures = await signaturesOf(client, methodName)
      return procedureText(procedureOf({ name: methodName, help, signatures }))
    },
    async call(methodName, words) {
      const values = await Promise.all(words.map((word) => parseArgument(word, cwd)))
      return client.call(methodName, ...values)
    },
    async types({ methods, only, onProgress, onFailure }) {
      const selection = { ...(methods.length > 0 && { methods }), only, onProgress, onFailure }
      const described = await introspect(client, selection).catch(asUnlisted)
      const chosen = methods.length > 0 || only !== '' ? described : unlessEmpty(described)
      return generateTypes(chosen, { source: client.url })
    },
  }
}

/** Returns the signatures that a server declares. Null if it declares none, or none that can be read. */
async function signaturesOf(client: XMLRPCClientMethods, methodName: string): Promise<string[][] | null> {
  try {
    return await client.methodSignature(methodName)
  } catch (error) {
    if (error instanceof Fault || error instanceof XMLRPCProtocolError) return null
    throw error
  }
}

function asUnlisted(error: unknown): never {
  if (!(error instanceof Fault) || error.faultCode === FaultCode.internalError) throw error
  throw new ServiceError(
    `the service does not list its methods (fault ${error.faultCode}: ${error.faultString}); name them: types METHOD...`,
  )
}
