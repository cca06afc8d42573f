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
import { type Selection, type Service, ServiceError, unlessEmpty } from './service.ts'

/** A service that is called by XML-RPC. */
export class XMLRPCService implements Service {
  readonly #client: XMLRPCClientMethods
  readonly #cwd: string

  /** @throws TypeError - the URL is not one of an XML-RPC server. */
  constructor(url: string, options: XMLRPCClientOptions, cwd: string) {
    this.#client = new XMLRPCClient(url, { allowNil: true, i8: true, ...options })
    this.#cwd = cwd
  }

  list(): Promise<string[]> {
    return this.#client.listMethods()
  }

  async help(methodName: string): Promise<string> {
    const help = await this.#client.methodHelp(methodName)
    const signatures = await this.#signaturesOf(methodName)
    return procedureText(procedureOf({ name: methodName, help, signatures }))
  }

  async call(methodName: string, words: readonly string[]): Promise<unknown> {
    const values = await Promise.all(words.map((word) => parseArgument(word, this.#cwd)))
    return this.#client.call(methodName, ...values)
  }

  async types({ methods, only, onProgress, onFailure }: Selection): Promise<string> {
    const described = await this.#unlisted(
      introspect(this.#client, { ...(methods.length > 0 && { methods }), only, onProgress, onFailure }),
    )
    const chosen = methods.length > 0 || only !== '' ? described : unlessEmpty(described)
    return generateTypes(chosen, { source: this.#client.url })
  }

  /** Returns the signatures that a server declares. Null if it declares none, or none that can be read. */
  async #signaturesOf(methodName: string): Promise<string[][] | null> {
    try {
      return await this.#client.methodSignature(methodName)
    } catch (error) {
      if (error instanceof Fault || error instanceof XMLRPCProtocolError) return null
      throw error
    }
  }

  async #unlisted<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      if (!(error instanceof Fault) || error.faultCode === FaultCode.internalError) throw error
      throw new ServiceError(
        `the service does not list its methods (fault ${error.faultCode}: ${error.faultString}); name them: types METHOD...`,
      )
    }
  }
}
