/**
 * Services that are called by JSON-RPC, for `propylon rpc`.
 *
 * @module
 */

import { writeNames, writeServiceTypes } from '../service-types/generate.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import type { ConnectionOptions } from './connection.ts'
import { withoutUser } from './http.ts'
import { parseJSONArgument, parseNamedArguments } from './json-values.ts'
import { callJSONRPC, discover, RemoteError } from './jsonrpc-call.ts'
import { documentation, type Selection, type Service, ServiceError, unlessEmpty } from './service.ts'

/** Settings of a JSON-RPC service. */
export interface JSONRPCSettings {
  /** Whether arguments are `NAME=VALUE`. */
  readonly isNamed: boolean
  readonly cwd: string
  /** OpenRPC document, or null if there is none. Default: the result of `rpc.discover`. */
  readonly document?: ServiceDocument | null | undefined
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
    return document === null ? this.#listed() : document.procedures.map(({ name }) => name)
  }

  async help(methodName: string): Promise<string> {
    const document = await this.#document()
    if (document !== null) return documentation(document, methodName)
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
    const document = methods.length > 0 ? null : await this.#document()
    if (document !== null) return writeServiceTypes(document, options)
    return writeNames(methods.length > 0 ? methods : unlessEmpty(await this.#listed()), options)
  }

  /** Returns the OpenRPC document, or null if the server has none. */
  async #document(): Promise<ServiceDocument | null> {
    const { document } = this.#settings
    return document === undefined ? discover(this.#url, this.#options) : document
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
