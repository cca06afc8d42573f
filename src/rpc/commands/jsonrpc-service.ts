/**
 * Services that are called by JSON-RPC, for `propylon rpc`.
 *
 * @module
 */

import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { isRecord } from '../../base/record.ts'
import { JSON_RPC } from '../jsonrpc/jsonrpc-client.ts'
import { exchange } from '../jsonrpc/jsonrpc-exchange.ts'
import { toVersion2 } from '../jsonrpc/lenient-response.ts'
import { messageText, type RPCRequest, requestOf } from '../jsonrpc/request.ts'
import { readResponse } from '../jsonrpc/response.ts'
import { writeNames, writeServiceTypes } from '../service-types/generate.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import { readServiceDocument } from '../service-types/service-document.ts'
import { type Transport, transportTo } from '../transport/transport.ts'
import { parseJSONArgument, parseNamedArguments } from './argument-values.ts'
import type { ConnectionOptions } from './connection.ts'
import { exactInteger } from './http.ts'
import { documentation, errorText, OddCodeError, type Service, ServiceError, unlessEmpty } from './service.ts'

/** Settings of a JSON-RPC service. */
interface Settings {
  /** Whether arguments are `NAME=VALUE`. */
  readonly isNamed: boolean
  readonly cwd: string
  /** OpenRPC document, or null if there is none. Default: the result of `rpc.discover`. */
  readonly document?: ServiceDocument | null | undefined
}

/** Returns a service that is called by JSON-RPC 2.0 (https://www.jsonrpc.org/specification). */
export function jsonrpcService(
  url: string,
  options: ConnectionOptions,
  { isNamed, cwd, document: known }: Settings,
): Service {
  const transport = transportTo(url, options, JSON_RPC)
  const documentOf = async () => (known === undefined ? discover(transport) : known)

  const listed = async (): Promise<readonly string[]> => {
    try {
      const names = await send(transport, 'system.listMethods', [])
      if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
    } catch (error) {
      if (!(error instanceof JSONRPCError)) throw error
      throw new ServiceError(
        `the service does not list its methods (${errorText(error)}); name them: types METHOD...`,
      )
    }
    throw new ServiceError('system.listMethods did not return names; name the methods: types METHOD...')
  }

  return {
    async list() {
      const document = await documentOf()
      return document === null ? listed() : document.procedures.map(({ name }) => name)
    },
    async help(methodName) {
      const document = await documentOf()
      if (document !== null) return documentation(document, methodName)
      const help = await send(transport, 'system.methodHelp', [methodName])
      return typeof help === 'string' ? help : ''
    },
    async call(methodName, words) {
      const params = isNamed
        ? await parseNamedArguments(words, cwd)
        : await Promise.all(words.map((word) => parseJSONArgument(word, cwd)))
      return send(transport, methodName, params)
    },
    async types({ methods, only }) {
      const source = { source: transport.url, only }
      const document = methods.length > 0 ? null : await documentOf()
      if (document !== null) return writeServiceTypes(document, source)
      return writeNames(methods.length > 0 ? methods : unlessEmpty(await listed()), source)
    },
  }
}

/** Maximum nesting of a response. */
const MAX_DEPTH = 1000

/**
 * Calls a method. Reads responses of earlier versions, whatever their ids, and keeps integers beyond the safe ones.
 *
 * @throws JSONRPCError - the server returned an error.
 */
async function send(transport: Transport, method: string, params: RPCRequest['params']): Promise<unknown> {
  const message = messageText({ ...requestOf(method, params), id: 1 })
  let sent: unknown
  const prepare = (response: unknown) => {
    sent = response
    return toVersion2(response, 1)
  }
  const reading = { maxDepth: MAX_DEPTH, reviver: exactInteger, prepare }
  const { outcome } = await exchange(transport, message, reading, readResponse)
  if (outcome.kind === 'error') throw withSentCode(outcome.error, sent)
  return outcome.value
}

/** Returns the error of a response with the code that the response has, if reading it has replaced this code. */
function withSentCode(error: JSONRPCError, response: unknown): JSONRPCError {
  const sent = isRecord(response) ? response.error : undefined
  const code = isRecord(sent) ? sent.code : undefined
  return code === error.code || code === String(error.code) ? error : new OddCodeError(error, code)
}

/** Returns the OpenRPC document of a service (`rpc.discover`), or null if it has none. */
export async function discover(transport: Transport): Promise<ServiceDocument | null> {
  try {
    return readServiceDocument(await send(transport, 'rpc.discover', []))
  } catch (error) {
    // Servers have various codes for a method that they do not know, and some return something else.
    if (error instanceof JSONRPCError || error instanceof TypeError) return null
    throw error
  }
}
