/**
 * Sends the bytes of RPC clients by POST: to URLs, unix sockets and SCGI servers.
 *
 * @module
 */

import { encodeUtf8 } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { requireLimit } from '../../base/limit.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { causeText, isBadPort } from './causes.ts'
import { type Endpoint, endpointOf, type Service } from './endpoint.ts'
import { nodeFetch } from './node-http.ts'
import {
  keepsParameters,
  MAX_REDIRECTS,
  redirectedHeaders,
  redirectTarget,
  redirectText,
} from './redirects.ts'
import { ResponseLengthError, readBody } from './response-stream.ts'
import { closedWhileIdle, watchFetch } from './reused-connections.ts'
import { scgiFetch } from './scgi.ts'
import type { CallOptions, CookieStore, Fetch, TransportOptions } from './transport-options.ts'

const DEFAULT_TIMEOUT = 60_000
const DEFAULT_MAX_RESPONSE = 32 * 1024 * 1024

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500

/** The protocol of a client. */
export interface Protocol extends Service {
  /** Media type of calls and of their responses. */
  readonly type: string
  /** Error for a call that got no usable HTTP response. */
  readonly TransportError: ErrorClass<{ status?: number; body?: string }>
  /** Error for a response that is not one of the protocol. */
  readonly ProtocolError: ErrorClass<string>
}

type ErrorClass<Response> = new (message: string, response?: Response, options?: ErrorOptions) => Error

/** A response with its whole body. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

type Message = Pick<RequestInit, 'method' | 'body'>

/** Options of a transport that no call replaces. */
interface Settings {
  readonly fetch: Fetch | undefined
  readonly maxResponseLength: number
  readonly cookies: CookieStore | undefined
  readonly crossOriginRedirects: boolean
  readonly protocol: Protocol
}

/**
 * Returns a transport to a server.
 *
 * @throws TypeError - the URL is invalid, or the option `fetch` is set and the URL is not http or https.
 * @throws RangeError - `maxResponseLength` is not a number, or below 0.
 * @throws Error - the option `cookies` requires a package that is not installed.
 */
export function transportTo(address: string | URL, options: TransportOptions, protocol: Protocol): Transport {
  const endpoint = endpointOf(address, protocol)
  if (options.fetch !== undefined && endpoint.connection.kind !== 'http') {
    throw new TypeError(`The option fetch is for http: and https: URLs; ${endpoint.url} is another one.`)
  }
  const { maxResponseLength = DEFAULT_MAX_RESPONSE } = options
  requireLimit('The option maxResponseLength', maxResponseLength)
  const settings: Settings = {
    fetch: options.fetch,
    maxResponseLength,
    cookies: cookieStoreOf(options.cookies),
    crossOriginRedirects: options.crossOriginRedirects === true,
    protocol,
  }
  return new Transport(endpoint, settings, [options])
}

/** Sends texts to a server and receives bytes. The clients of all RPC protocols use it. */
export class Transport {
  readonly #endpoint: Endpoint
  readonly #settings: Settings
  /** Options of the calls, the options of `with` last. */
  readonly #calls: readonly CallOptions[]

  /** Use `transportTo`. */
  constructor(endpoint: Endpoint, settings: Settings, calls: readonly CallOptions[]) {
    this.#endpoint = endpoint
    this.#settings = settings
    this.#calls = calls
  }

  /** URL of the server, without user name and password. */
  get url(): string {
    return this.#endpoint.url
  }

  /**
   * Returns a transport for calls with other options. Headers are added, the time limit is replaced, all signals abort a
   * call. Cookies are shared.
   */
  with(options: CallOptions): Transport {
    return new Transport(this.#endpoint, this.#settings, [...this.#calls, options])
  }

  /** Sends a text by POST and returns the response. See {@link get}. */
  post(text: string): Promise<Reply> {
    return this.#call({ method: 'POST', body: encodeUtf8(text) })
  }

  /**
   * Requests a document and returns the response, whatever its status. A 307 or 308 is followed, to
   * another origin only with `crossOriginRedirects`. If the server closed an idle
   * connection just when the request was sent on it, it is sent once more.
   *
   * @throws TypeError - the name or the value of a header is invalid.
   * @throws Protocol.TransportError - there is no response within the time limit.
   * @throws Protocol.ProtocolError - the response is too long.
   * @throws the reason of a signal that is aborted.
   */
  get(): Promise<Reply> {
    return this.#call({ method: 'GET' })
  }

  async #call(request: Message): Promise<Reply> {
    const { TransportError, ProtocolError } = this.#settings.protocol
    const timeout = this.#calls.findLast((call) => call.timeout !== undefined)?.timeout ?? DEFAULT_TIMEOUT
    const timer = timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
    const callers = this.#calls.map((call) => call.signal).filter((signal) => signal !== undefined)
    const signals = timer === undefined ? callers : [...callers, timer]
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined
    const headers = this.#headers()
    if (request.body === undefined) headers.delete('content-type')
    try {
      return await this.#follow(request, headers, signal)
    } catch (error) {
      if (error instanceof ResponseLengthError) throw new ProtocolError(error.message)
      if (error instanceof TransportError) throw error
      for (const caller of callers) if (caller.aborted) throw caller.reason
      const why = timer?.aborted
        ? `no response within ${timeout} ms`
        : `the connection failed: ${causeText(error)}`
      throw new TransportError(`${this.url}: ${why}`, {}, { cause: error })
    }
  }

  /** Returns the error for a response with a status that says that the call failed. */
  statusError({ status, headers, body }: Reply): Error {
    const message = `${this.url}: the HTTP status is ${status}${redirectText(status, headers)}`
    return new this.#settings.protocol.TransportError(message, { status, body: beginningOf(body) })
  }

  /**
   * Returns the error for a response that is not one of the protocol.
   *
   * @param problem - says what it is not.
   */
  contentError({ body }: Reply, problem: string, hint: string, cause: unknown): Error {
    const beginning = beginningOf(body)
    const message = `${this.url}: ${problem}. It begins with ${describeValue(beginning, 40)}${hint}`
    return new this.#settings.protocol.ProtocolError(message, beginning, { cause })
  }

  #headers(): Headers {
    const { type } = this.#settings.protocol
    const headers = new Headers({ 'content-type': type, accept: type, 'user-agent': 'propylon' })
    const { authorization } = this.#endpoint
    if (authorization !== undefined) headers.set('authorization', authorization)
    for (const call of this.#calls) {
      for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    }
    return headers
  }

  async #follow(request: Message, first: Headers, signal: AbortSignal | undefined): Promise<Reply> {
    let url = this.#endpoint.target
    let headers = first
    for (let redirects = 0; ; redirects++) {
      const reply = await this.#exchange(url, request, headers, signal)
      const target =
        this.#endpoint.connection.kind === 'http' && redirects < MAX_REDIRECTS
          ? redirectTarget(reply.status, reply.headers, url)
          : undefined
      if (target === undefined) return reply
      if (!this.#settings.crossOriginRedirects && !keepsParameters(url, target)) {
        if (request.body === undefined) return reply
        throw new this.#settings.protocol.TransportError(
          `${this.url}: the HTTP status is ${reply.status}, a redirect to another origin, ${new URL(target).origin}. The call was not repeated there, because its parameters may be secret. Call that server by its URL, or set crossOriginRedirects: true.`,
        )
      }
      headers = redirectedHeaders(headers, url, target)
      url = target
    }
  }

  async #exchange(
    url: string,
    request: Message,
    callHeaders: Headers,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    const headers = new Headers(callHeaders)
    const { cookies: store, maxResponseLength } = this.#settings
    const cookies = (await store?.getCookieString(url)) ?? ''
    if (cookies !== '' && !headers.has('cookie')) headers.set('cookie', cookies)
    const init: RequestInit = { ...request, headers, redirect: 'manual', ...(signal && { signal }) }
    // The signal may have been aborted while a store was read. Not every fetch checks it.
    signal?.throwIfAborted()
    const response = await this.#send(url, init)
    const { status, headers: received } = response
    if (store !== undefined) await keepCookies(store, received, url)
    return { status, headers: received, body: await readBody(response.body, maxResponseLength) }
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const send = this.#sender()
    try {
      return await send(url, init)
    } catch (error) {
      if (init.signal?.aborted) throw error
      if (closedWhileIdle(error)) return await send(url, init)
      // Some services have a port that browsers block, such as Kamailio's 5060.
      if (this.#settings.fetch === undefined && isBadPort(error)) return await nodeFetch()(url, init)
      throw error
    }
  }

  #sender(): Fetch {
    const { connection } = this.#endpoint
    switch (connection.kind) {
      case 'unix':
        return nodeFetch(connection.path)
      case 'scgi':
        return scgiFetch(connection.address)
      case 'http':
        watchFetch()
        return this.#settings.fetch ?? fetch
    }
  }
}

function beginningOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, EXCERPT))
}

/**
 * Returns the store of an option `cookies`, or undefined for none.
 *
 * @throws Error - a new jar is required and tough-cookie is not installed.
 */
function cookieStoreOf(option: TransportOptions['cookies']): CookieStore | undefined {
  if (option === undefined || option === false) return undefined
  if (option !== true) return option
  const { CookieJar } = optionalPackage('tough-cookie', 'The option cookies: true')
  return new CookieJar()
}

/** Stores the cookies of a response. Ignores those that browsers ignore. */
async function keepCookies(store: CookieStore, headers: Headers, url: string): Promise<void> {
  for (const cookie of headers.getSetCookie()) await store.setCookie(cookie, url, { ignoreError: true })
}
