import type { DecodeOptions } from './decode.ts'
import { type EncodeOptions, encodeCall } from './encode.ts'
import { XMLRPCProtocolError } from './errors.ts'
import { Fault } from './fault.ts'
import { type AnyApi, isReachable, type Remote, remoteMethod } from './remote.ts'
import { type Endpoint, endpointOf, exchange, type TransportOptions } from './transport.ts'
import type { Encodable, Value } from './types.ts'

/** How a client calls, writes and reads. `allowNil` concerns what it sends; nil in answers is always read. */
export interface XMLRPCClientOptions
  extends TransportOptions,
    EncodeOptions,
    Pick<DecodeOptions, 'doubles' | 'booleanWords' | 'maxElements' | 'maxTextLength'> {}

/** One call of a batch: the method's name and its parameters. */
export type BatchCall =
  | readonly [methodName: string, ...params: Encodable[]]
  | { readonly methodName: string; readonly params?: readonly Encodable[] }

/** What every client has, beside the server's methods. */
export interface XMLRPCClientMethods {
  /** The server's address, without user and password. */
  readonly url: string
  /**
   * Calls a method by its name, whatever the name is.
   *
   * @throws Fault when the server answers one.
   * @throws XMLRPCTransportError when there is no answer, or an HTTP status other than 200.
   * @throws XMLRPCProtocolError when the answer is not XML-RPC.
   * @throws XMLRPCEncodeError when a parameter cannot be sent.
   */
  call(methodName: string, ...params: Encodable[]): Promise<Value>
  /** Sends several calls in one, by `system.multicall`: a result or a `Fault` for each, in order. */
  multicall(calls: readonly BatchCall[]): Promise<(Value | Fault)[]>
  /** The names of the server's methods (`system.listMethods`). */
  listMethods(): Promise<string[]>
  /** A method's signatures (`system.methodSignature`); null when the server states none. */
  methodSignature(methodName: string): Promise<string[][] | null>
  /** A method's documentation (`system.methodHelp`). */
  methodHelp(methodName: string): Promise<string>
}

/** A client: its own methods, and the server's. */
export type XMLRPCClient<Api extends object = AnyApi> = XMLRPCClientMethods &
  Omit<Remote<Api>, keyof XMLRPCClientMethods>

class Client implements XMLRPCClientMethods {
  readonly url: string
  readonly #endpoint: Endpoint
  readonly #options: XMLRPCClientOptions

  constructor(address: string | URL, options: XMLRPCClientOptions) {
    this.#endpoint = endpointOf(address)
    this.url = this.#endpoint.url
    this.#options = options
  }

  async call(methodName: string, ...params: Encodable[]): Promise<Value> {
    const options = this.#options
    const body = encodeCall(methodName, params, options)
    return exchange(this.#endpoint, body, options, {
      doubles: options.doubles ?? 'plain',
      booleanWords: options.booleanWords ?? false,
      // The answer's length is limited as it is read; beside that a client need not fear the server it chose.
      maxDepth: options.maxDepth ?? 64,
      maxElements: options.maxElements ?? Number.POSITIVE_INFINITY,
      maxTextLength: options.maxTextLength ?? Number.POSITIVE_INFINITY,
    })
  }

  async multicall(calls: readonly BatchCall[]): Promise<(Value | Fault)[]> {
    const batch = calls.map((call) => {
      if (!isTuple(call)) return { methodName: call.methodName, params: call.params ?? [] }
      const [methodName, ...params] = call
      return { methodName, params }
    })
    const results = await this.call('system.multicall', batch)
    if (!Array.isArray(results) || results.length !== calls.length) {
      throw new XMLRPCProtocolError(`system.multicall answered no array of ${calls.length} results`)
    }
    return results.map(resultOf)
  }

  async listMethods(): Promise<string[]> {
    const names = await this.call('system.listMethods')
    if (isStrings(names)) return names
    throw new XMLRPCProtocolError('system.listMethods answered no array of strings')
  }

  async methodSignature(methodName: string): Promise<string[][] | null> {
    const signatures = await this.call('system.methodSignature', methodName)
    // Without a signature the answer is anything but an array ("undef"), or an empty one.
    if (!Array.isArray(signatures) || signatures.length === 0) return null
    if (signatures.every(isStrings)) return signatures
    if (isStrings(signatures)) return [signatures]
    throw new XMLRPCProtocolError('system.methodSignature answered no array of signatures')
  }

  async methodHelp(methodName: string): Promise<string> {
    const help = await this.call('system.methodHelp', methodName)
    if (typeof help === 'string') return help
    throw new XMLRPCProtocolError('system.methodHelp answered no string')
  }
}

/** The names of a client's own methods, which hide the server's of the same name: those are reached by `call`. */
export const OWN_METHODS: ReadonlySet<string> = new Set([
  'url',
  'call',
  'multicall',
  'listMethods',
  'methodSignature',
  'methodHelp',
])

/** What `XMLRPCClient` is: a constructor whose type parameter describes the server's methods. */
export interface XMLRPCClientConstructor {
  new <Api extends object = AnyApi>(url: string | URL, options?: XMLRPCClientOptions): XMLRPCClient<Api>
  readonly prototype: XMLRPCClientMethods
}

/**
 * Calls an XML-RPC server, on every platform that has `fetch`. The server's methods are the client's, dots
 * being namespaces; `call` reaches those whose names are no property names, or are the client's own. User and
 * password in the URL are sent as `Authorization: Basic`, and occur nowhere else.
 *
 * The type parameter describes the server, as `generateTypes` writes it; without it every name is a method.
 *
 * @throws TypeError when the URL is none, or not http: or https:.
 * @example
 * ```ts
 * interface Api {
 *   test: { battingOrder(position: number): string }
 * }
 * const client = new XMLRPCClient<Api>('http://127.0.0.1:5000/demo')
 * await client.test.battingOrder(4) // 'Georgia'
 * await client.call('test.battingOrder', 4) // the same
 * await client.multicall([['test.battingOrder', 1], ['test.battingOrder', 2]])
 * ```
 */
export const XMLRPCClient: XMLRPCClientConstructor = remoteClass()

function remoteClass(): XMLRPCClientConstructor {
  // The methods that the type promises are made by the proxy as they are asked for, which no type can follow.
  return new Proxy(Client, {
    construct(target, [url, options = {}]: [string | URL, XMLRPCClientOptions?]) {
      const client = new target(url, options)
      return new Proxy(client, { get: (_client, name) => memberOf(client, name) })
    },
  }) as unknown as XMLRPCClientConstructor
}

function memberOf(client: Client, name: string | symbol): unknown {
  if (typeof name === 'symbol') return undefined
  if (OWN_METHODS.has(name)) {
    const own: unknown = Reflect.get(client, name, client)
    return typeof own === 'function' ? own.bind(client) : own
  }
  if (name === 'constructor') return XMLRPCClient
  if (name === 'toString' || name === 'valueOf') return () => `XMLRPCClient ${client.url}`
  if (!isReachable(name)) return undefined
  return remoteMethod(name, (method, params) => client.call(method, ...params))
}

function isTuple(call: BatchCall): call is readonly [string, ...Encodable[]] {
  return Array.isArray(call)
}

function isStrings(value: Value): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function resultOf(entry: Value): Value | Fault {
  if (Array.isArray(entry) && entry.length === 1) return entry[0] as Value
  if (typeof entry !== 'object' || entry === null || !('faultCode' in entry)) {
    // Most answer each value in an array of its own; supervisord and RPC::XML answer it bare.
    return entry
  }
  const { faultCode, faultString } = entry
  if (typeof faultCode === 'number' && typeof faultString === 'string')
    return new Fault(faultCode, faultString)
  throw new XMLRPCProtocolError('a result of system.multicall is a fault without a code and a text')
}
