/**
 * `XMLRPCClient`: calls XML-RPC servers.
 *
 * @module
 */

import { checkNames } from '../../base/suggest.ts'
import { type DecodeOptions, decodeResponse, faultFrom } from './decode.ts'
import { type EncodeOptions, encodeCall } from './encode.ts'
import { Fault, XMLRPCDecodeError, XMLRPCProtocolError } from './errors.ts'
import { type CallOptions, type Transport, type TransportOptions, transportTo } from './transport.ts'
import type { Encodable, Value } from './values.ts'

/** Options for sending, encoding and decoding. `allowNil` is for parameters; nil in responses is always decoded. */
export interface XMLRPCClientOptions
  extends TransportOptions,
    EncodeOptions,
    Pick<DecodeOptions, 'doubles' | 'booleanWords' | 'maxElements' | 'maxTextLength'> {}

/** One call of a batch: the method's name and its parameters. */
export type BatchCall =
  | readonly [methodName: string, ...params: Encodable[]]
  | { readonly methodName: string; readonly params?: readonly Encodable[] }

/** Methods of every client, besides the methods of the server. */
export interface XMLRPCClientMethods {
  /** URL of the server, without user name and password. */
  readonly url: string
  /**
   * Calls a method by its name.
   *
   * @throws Fault - the response is a fault.
   * @throws XMLRPCTransportError - there is no response, or its HTTP status is not 200.
   * @throws XMLRPCProtocolError - the response is not XML-RPC.
   * @throws XMLRPCEncodeError - a parameter has no XML-RPC form.
   */
  call(methodName: string, ...params: Encodable[]): Promise<Value>
  /** Sends several calls in one request (`system.multicall`). Returns a result or a `Fault` for each, in order. */
  multicall(calls: readonly BatchCall[]): Promise<(Value | Fault)[]>
  /** Returns the names of the server's methods (`system.listMethods`). */
  listMethods(): Promise<string[]>
  /** Returns the signatures of a method (`system.methodSignature`), or null if it declares none. */
  methodSignature(methodName: string): Promise<string[][] | null>
  /** Returns the documentation of a method (`system.methodHelp`). */
  methodHelp(methodName: string): Promise<string>
}

/** The method `with` of a client, which keeps the type of the client. */
export interface WithOptions<Api extends object> {
  /**
   * Returns a client for calls with other options. Headers are added to the headers of this client, the time limit
   * replaces its own, and the signals of both abort a call. Cookies are shared.
   */
  with(options: CallOptions): XMLRPCClient<Api>
}

/**
 * Methods of a server as a client has them: each returns a promise. A method that already returns a promise keeps its
 * overloads.
 */
export type Remote<Api> = {
  readonly [Name in Exclude<keyof Api, 'then' | 'toJSON'>]: Api[Name] extends (
    ...parameters: infer Parameters
  ) => infer Result
    ? (Result extends Promise<unknown> ? Api[Name] : (...parameters: Parameters) => Promise<Result>) & Remote<Api[Name]>
    : Remote<Api[Name]>
}

/** Methods of a server without a description: every name is a method and a namespace. */
export interface AnyApi {
  [name: string]: AnyMethod
}

/** A method of a server without a description. */
export type AnyMethod = AnyApi & ((...params: Encodable[]) => Promise<Value>)

/** A client: its own methods and the methods of the server. */
export type XMLRPCClient<Api extends object = AnyApi> = XMLRPCClientMethods &
  WithOptions<Api> &
  Omit<Remote<Api>, keyof XMLRPCClientMethods | 'with'>

class Client implements XMLRPCClientMethods {
  readonly url: string
  readonly #transport: Transport
  readonly #options: XMLRPCClientOptions

  constructor(transport: Transport, options: XMLRPCClientOptions) {
    this.#transport = transport
    this.url = transport.url
    this.#options = options
  }

  with(options: CallOptions): Client {
    return new Client(this.#transport.with(options), this.#options)
  }

  async call(methodName: string, ...params: Encodable[]): Promise<Value> {
    const options = this.#options
    const body = encodeCall(methodName, params, options)
    // maxResponseLength limits the response; the caller chose the server.
    const limits = { maxElements: Number.POSITIVE_INFINITY, maxTextLength: Number.POSITIVE_INFINITY }
    return sendCall(this.#transport, body, { ...limits, ...options, allowNil: true })
  }

  async multicall(calls: readonly BatchCall[]): Promise<(Value | Fault)[]> {
    const batch = calls.map((call) => {
      if (!isTuple(call)) return { methodName: call.methodName, params: call.params ?? [] }
      const [methodName, ...params] = call
      return { methodName, params }
    })
    const results = await this.call('system.multicall', batch)
    if (!Array.isArray(results) || results.length !== calls.length) {
      throw new XMLRPCProtocolError(`system.multicall did not return an array of ${calls.length} results`)
    }
    return results.map(resultOf)
  }

  async listMethods(): Promise<string[]> {
    const names = await this.call('system.listMethods')
    if (isStrings(names)) return names
    throw new XMLRPCProtocolError('system.listMethods did not return an array of strings')
  }

  async methodSignature(methodName: string): Promise<string[][] | null> {
    const signatures = await this.call('system.methodSignature', methodName)
    // Without a signature servers return something other than an array ('undef'), or an empty one.
    if (!Array.isArray(signatures) || signatures.length === 0) return null
    if (signatures.every(isStrings)) return signatures
    if (isStrings(signatures)) return [signatures]
    throw new XMLRPCProtocolError('system.methodSignature did not return an array of signatures')
  }

  async methodHelp(methodName: string): Promise<string> {
    const help = await this.call('system.methodHelp', methodName)
    if (typeof help === 'string') return help
    throw new XMLRPCProtocolError('system.methodHelp did not return a string')
  }
}

/** Constructor of clients. The type parameter describes the methods of the server. */
export interface XMLRPCClientConstructor {
  new <Api extends object = AnyApi>(url: string | URL, options?: XMLRPCClientOptions): XMLRPCClient<Api>
  readonly prototype: XMLRPCClientMethods
}

/**
 * Calls an XML-RPC server. Methods of the server are methods of the client; a dot in a name is a property
 * access. `call` calls any method by its name. User name and password in the URL are sent as `Authorization: Basic` and
 * removed from `url` and all messages.
 *
 * The type parameter describes the server. Without it every name is a method.
 *
 * Redirects are not followed. The option `fetch` reaches a server that listens at a unix socket.
 *
 * @throws TypeError - the URL is invalid or has another scheme.
 * @example
 * ```ts
 * import { XMLRPCClient } from 'propylon/xmlrpc'
 *
 * interface Api {
 *   test: { battingOrder(position: number): string }
 * }
 * const client = new XMLRPCClient<Api>('http://127.0.0.1:5000/demo')
 * await client.test.battingOrder(4) // 'Georgia'
 * await client.call('test.battingOrder', 4) // 'Georgia'
 * await client.multicall([['test.battingOrder', 1], ['test.battingOrder', 2]])
 * await client.with({ headers: { 'x-request-id': '7' }, timeout: 5_000 }).test.battingOrder(4)
 * ```
 */
export const XMLRPCClient = new Proxy(Client, {
  construct(_client, [url, options = {}]: [string | URL, XMLRPCClientOptions?]) {
    checkNames('XMLRPCClient', options, OPTION_NAMES)
    return remoteClient(new Client(transportTo(url, options), options))
  },
  // The methods of the server are created on access, which the type checker cannot follow.
}) as unknown as XMLRPCClientConstructor

const OPTION_NAMES =
  'headers timeout signal fetch maxResponseLength allowNil i8 maxDepth doubles booleanWords maxElements maxTextLength'

/** Members of a client, which hide methods of the server with the same name. */
const MEMBERS: ReadonlySet<string> = new Set(['url', ...Object.getOwnPropertyNames(Client.prototype)])

// `await`, JSON.stringify() and template literals read these properties, which must not call the server.
const NEVER_REMOTE: ReadonlySet<string> = new Set(['then', 'toJSON'])
const TEXT: ReadonlySet<string> = new Set(['toString', 'valueOf'])

/** Returns a client of which every property that is not its own is a method of the server. */
function remoteClient(own: Client): Client {
  return new Proxy(own, { get: (_own, key) => memberOf(own, key) })
}

function memberOf(own: Client, key: string | symbol): unknown {
  if (typeof key === 'symbol' || NEVER_REMOTE.has(key)) return undefined
  if (key === 'constructor') return XMLRPCClient
  if (key === 'with') return (options: CallOptions) => remoteClient(own.with(options))
  if (MEMBERS.has(key)) {
    const member: unknown = Reflect.get(own, key, own)
    return typeof member === 'function' ? member.bind(own) : member
  }
  if (TEXT.has(key)) return () => `XMLRPCClient ${own.url}`
  return remoteMethod(own, key)
}

/** Returns a function that calls a method of the server. Its properties are functions that call `name.…`. */
function remoteMethod(own: Client, name: string): object {
  const method = (...params: Encodable[]) => own.call(name, ...params)
  return new Proxy(method, {
    get(_target, part) {
      if (typeof part === 'symbol' || NEVER_REMOTE.has(part)) return undefined
      if (TEXT.has(part)) return () => `[remote method ${name}]`
      return remoteMethod(own, `${name}.${part}`)
    },
  })
}

function isTuple(call: BatchCall): call is readonly [string, ...Encodable[]] {
  return Array.isArray(call)
}

function resultOf(entry: Value): Value | Fault {
  if (Array.isArray(entry) && entry.length === 1) return entry[0] as Value
  if (typeof entry !== 'object' || entry === null || !('faultCode' in entry)) {
    // supervisord and RPC::XML return values without the array that the others put round each.
    return entry
  }
  const fault = faultFrom(entry)
  if (fault !== undefined) return fault
  throw new XMLRPCProtocolError('system.multicall returned a fault without a code and a text')
}

function isStrings(value: Value): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/**
 * Sends a call and decodes its response.
 *
 * @throws Fault - the response is a fault, whatever its HTTP status.
 * @throws XMLRPCTransportError - there is no response, or its status is not 200.
 * @throws XMLRPCProtocolError - the response is not XML-RPC or too long.
 */
async function sendCall(transport: Transport, body: string, decoding: DecodeOptions): Promise<Value> {
  const reply = await transport.post(body)
  const { status, headers, body: bytes } = reply
  const type = headers.get('content-type') ?? ''
  const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]+)/i.exec(type)?.[1]
  try {
    const value = decodeResponse(bytes, { maxLength: bytes.length, ...decoding, charset })
    if (status === 200) return value
  } catch (error) {
    // Some servers send faults with another status than 200, which the specification requires.
    if (error instanceof Fault && (status === 200 || /xml/i.test(type))) throw error
    if (!(error instanceof XMLRPCDecodeError || error instanceof Fault)) throw error
    if (status === 200) {
      throw transport.contentError(reply, `the response is not XML-RPC: ${error.message}`, error)
    }
  }
  throw transport.statusError(reply)
}
