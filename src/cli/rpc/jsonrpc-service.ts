import { helpIn, writeNames, writeServiceTypes } from '../../service-types/generate.ts'
import { readServiceDocument } from '../../service-types/read-document.ts'
import type { ServiceDocument } from '../../service-types/service-document.ts'
import type { ConnectionOptions } from './connection.ts'
import { withoutUser } from './http.ts'
import { parseJSONArgument, parseNamedArguments } from './json-values.ts'
import { callJSONRPC, RemoteError } from './jsonrpc-call.ts'
import { type Selection, type Service, ServiceError } from './service.ts'

/** How arguments are passed, and a document that describes the service. */
export interface JSONRPCSettings {
  /** Whether arguments are `NAME=VALUE`. */
  readonly isNamed: boolean
  readonly cwd: string
  /** OpenRPC document. Default: the result of `rpc.discover`. */
  readonly document?: ServiceDocument | undefined
}

/** A service that is called by JSON-RPC 2.0 (https://www.jsonrpc.org/specification). */
export class JSONRPCService implements Service {
  readonly #url: string
  readonly #options: ConnectionOptions
  readonly #settings: JSONRPCSettings

  constructor(url: string, options: ConnectionOptions, settings: JSONRPCSettings) {
    this.#url = url
    this.#options = options
    this.#settings = settings
  }

  async list(): Promise<readonly string[]> {
    const document = await this.#document()
    return document === undefined ? this.#listed() : document.procedures.map(({ name }) => name)
  }

  async help(methodName: string): Promise<string> {
    const document = await this.#document()
    if (document !== undefined) return helpIn(document, methodName)
    const help = await this.#send('system.methodHelp', [methodName])
    return typeof help === 'string' ? help : ''
  }

  async call(methodName: string, words: readonly string[]): Promise<unknown> {
    const { isNamed, cwd } = this.#settings
    if (isNamed) return this.#send(methodName, await parseNamedArguments(words, cwd))
    return this.#send(methodName, await Promise.all(words.map((word) => parseJSONArgument(word, cwd))))
  }

  async types({ methods, only }: Selection): Promise<string> {
    const options = { source: withoutUser(this.#url), only }
    const document = methods.length > 0 ? undefined : await this.#document()
    if (document !== undefined) return writeServiceTypes(document, options)
    return writeNames(methods.length > 0 ? methods : await this.#listed(), options)
  }

  /** Returns the OpenRPC document, or undefined if the server has none. */
  async #document(): Promise<ServiceDocument | undefined> {
    if (this.#settings.document !== undefined) return this.#settings.document
    try {
      return readServiceDocument(await this.#send('rpc.discover', []))
    } catch (error) {
      // Servers have various codes for a method that they do not know, and some return something else.
      if (error instanceof RemoteError || error instanceof TypeError) return undefined
      throw error
    }
  }

  async #listed(): Promise<readonly string[]> {
    try {
      const names = await this.#send('system.listMethods', [])
      if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      throw new ServiceError(
        `the service does not list its methods (${error.message}); name them: types METHOD...`,
      )
    }
    throw new ServiceError('system.listMethods did not return names; name the methods: types METHOD...')
  }

  #send(method: string, params: readonly unknown[] | Readonly<Record<string, unknown>>): Promise<unknown> {
    return callJSONRPC(this.#url, this.#options, method, params)
  }
}
