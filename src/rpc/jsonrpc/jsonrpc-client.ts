/**
 * `JSONRPCClient`: calls JSON-RPC 2.0 servers.
 *
 * @module
 */

import type { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { checkNames } from '../../base/suggest.ts'
import { type Remote, remoteClass } from '../transport/remote.ts'
import { type Protocol, type Transport, transportTo } from '../transport/transport.ts'
import { type CallOptions, TRANSPORT_NAMES, type TransportOptions } from '../transport/transport-options.ts'
import { JSONRPCProtocolError, JSONRPCTransportError } from './client-errors.ts'
import {
  exchange,
  isSuccess,
  type JSONResult,
  messageText,
  type NamedParams,
  outcomeOf,
  outcomesOf,
  requestOf,
} from './messages.ts'

/** Options of {@link JSONRPCClient}. */
export interface JSONRPCClientOptions extends TransportOptions {
  /** Maximum nesting of arrays and objects in a response. Default 64. */
  readonly maxDepth?: number
}

/** One call of a batch: the method's name and its parameters, by position or by name. */
export type JSONRPCBatchCall =
  | readonly [methodName: string, ...params: unknown[]]
  | { readonly methodName: string; readonly params?: readonly unknown[] | NamedParams }

/** Methods of every client, besides the methods of the server. */
export interface JSONRPCClientMethods {
  /** URL of the server, without user name and password. */
  readonly url: string
  /**
   * Calls a method by its name, with parameters by position. Dates, bytes and bigints are converted as
   * `RPCController` converts them.
   *
   * @throws JSONRPCError - the server returned an error.
   * @throws JSONRPCTransportError - there is no response, or its HTTP status is an error.
   * @throws JSONRPCProtocolError - the response is not JSON-RPC 2.0 or belongs to another call.
   * @throws TypeError - a parameter has no JSON form.
   */
  call(methodName: string, ...params: unknown[]): Promise<JSONResult>
  /** Calls a method with parameters by name. Throws the same errors as `call`. */
  callNamed(methodName: string, params: NamedParams): Promise<JSONResult>
  /** Sends a notification: a call that the server does not answer, not even if it fails. */
  notify(methodName: string, ...params: unknown[]): Promise<void>
  /**
   * Sends several calls in one request. Returns a result or a `JSONRPCError` for each, in order.
   *
   * @throws JSONRPCError - the server refuses the batch as a whole.
   */
  batch(calls: readonly JSONRPCBatchCall[]): Promise<(JSONResult | JSONRPCError)[]>
}

/** The method `with` of a client, which keeps the type of the client. */
export interface WithOptions<Api extends object> {
  /**
   * Returns a client for calls with other options. Headers are added to the headers of this client, the time limit
   * replaces its own, and the signals of both abort a call. Cookies are shared.
   */
  with(options: CallOptions): JSONRPCClient<Api>
}

/** Methods of a server without a description: every name is a method and a namespace. */
export interface AnyJSONApi {
  [name: string]: AnyJSONMethod
}

/** A method of a server without a description. */
export type AnyJSONMethod = AnyJSONApi & ((...params: unknown[]) => Promise<JSONResult>)

/** A client: its own methods and the methods of the server. */
export type JSONRPCClient<Api extends object = AnyJSONApi> = JSONRPCClientMethods &
  WithOptions<Api> &
  Omit<Remote<Api>, keyof JSONRPCClientMethods | 'with'>

/** JSON-RPC, as transports send it. */
const JSON_RPC: Protocol = {
  type: 'application/json',
  TransportError: JSONRPCTransportError,
  ProtocolError: JSONRPCProtocolError,
}

class Client implements JSONRPCClientMethods {
  readonly url: string
  readonly #transport: Transport
  readonly #options: JSONRPCClientOptions
  readonly #maxDepth: number
  #lastId = 0

  constructor(transport: Transport, options: JSONRPCClientOptions) {
    this.#transport = transport
    this.url = transport.url
    this.#options = options
    this.#maxDepth = options.maxDepth ?? 64
  }

  with(options: CallOptions): Client {
    return new Client(this.#transport.with(options), this.#options)
  }

  async call(methodName: string, ...params: unknown[]): Promise<JSONResult> {
    return this.#request(methodName, params)
  }

  async callNamed(methodName: string, params: NamedParams): Promise<JSONResult> {
    return this.#request(methodName, params)
  }

  async notify(methodName: string, ...params: unknown[]): Promise<void> {
    const reply = await this.#transport.post(messageText(requestOf(methodName, params)))
    // Servers send no response, so its body is not read.
    if (!isSuccess(reply)) throw this.#transport.statusError(reply)
  }

  async batch(calls: readonly JSONRPCBatchCall[]): Promise<(JSONResult | JSONRPCError)[]> {
    // An empty batch is an invalid request (JSON-RPC 2.0 §6).
    if (calls.length === 0) return []
    const ids: number[] = []
    const requests = calls.map((call) => {
      const id = this.#nextId()
      ids.push(id)
      if (!isTuple(call)) return { ...requestOf(call.methodName, call.params ?? []), id }
      const [methodName, ...params] = call
      return { ...requestOf(methodName, params), id }
    })
    const outcomes = await exchange(this.#transport, requests, this.#maxDepth, (response) => outcomesOf(response, ids))
    return outcomes.map((outcome) => (outcome.kind === 'result' ? outcome.value : outcome.error))
  }

  async #request(methodName: string, params: readonly unknown[] | NamedParams): Promise<JSONResult> {
    const id = this.#nextId()
    const request = { ...requestOf(methodName, params), id }
    const outcome = await exchange(this.#transport, request, this.#maxDepth, (response) => outcomeOf(response, id))
    if (outcome.kind === 'error') throw outcome.error
    return outcome.value
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

/** Constructor of clients. The type parameter describes the methods of the server. */
export interface JSONRPCClientConstructor {
  new <Api extends object = AnyJSONApi>(url: string | URL, options?: JSONRPCClientOptions): JSONRPCClient<Api>
  readonly prototype: JSONRPCClientMethods
}

/**
 * Calls a JSON-RPC 2.0 server. Methods of the server are methods of the client; a dot in a name is a property access.
 * `call` calls any method by its name. User name and password in the URL are sent as `Authorization: Basic` and removed
 * from `url` and all messages.
 *
 * The type parameter describes the server. Without it every name is a method.
 *
 * Redirects are not followed. The option `fetch` reaches a server that listens at a unix socket.
 *
 * @throws TypeError - the URL is invalid or has another scheme.
 * @throws Error - the option `cookies` is true and the package tough-cookie is not installed.
 * @example
 * ```ts
 * import { JSONRPCClient } from 'propylon/rpc'
 *
 * interface Api {
 *   stock: { find(query: string, limit?: number): string[] }
 * }
 * const client = new JSONRPCClient<Api>('http://127.0.0.1:5000/stock')
 * await client.stock.find('lamp')
 * await client.call('stock.find', 'lamp', 10)
 * await client.callNamed('stock.find', { query: 'lamp', limit: 10 })
 * await client.batch([['stock.find', 'lamp'], ['stock.find', 'table']])
 * ```
 */
export const JSONRPCClient = remoteClass(
  Client,
  'JSONRPCClient',
  (url, options: JSONRPCClientOptions) => {
    checkNames('JSONRPCClient', options, `${TRANSPORT_NAMES} maxDepth`)
    return transportTo(url, options, JSON_RPC)
  },
  // The methods of the server are created on access, which the type checker cannot follow.
) as JSONRPCClientConstructor

function isTuple(call: JSONRPCBatchCall): call is readonly [string, ...unknown[]] {
  return Array.isArray(call)
}
