/**
 * Sends the bytes of RPC clients by POST: to URLs, unix sockets and SCGI servers.
 *
 * @module
 */

import { causeText, isBadPort } from './causes.ts'
import { ConnectionError, ResponseLengthError } from './connection-error.ts'
import { cookieStoreOf, keepCookies } from './cookies.ts'
import { type Endpoint, endpointOf, type Service } from './endpoint.ts'
import { nodeFetch } from './node-http.ts'
import { keepsParameters, MAX_REDIRECTS, redirectedHeaders, redirectTarget } from './redirects.ts'
import { readBody } from './response-stream.ts'
import { closedWhileIdle, watchFetch } from './reused-connections.ts'
import { scgiFetch } from './scgi.ts'
import type { CallOptions, CookieStore, Fetch, TransportOptions } from './transport-options.ts'

const DEFAULT_TIMEOUT = 60_000
const DEFAULT_MAX_RESPONSE = 32 * 1024 * 1024

/** A response with its whole body. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Options of a transport that no call replaces. */
interface Settings {
  readonly fetch: Fetch | undefined
  readonly maxResponseLength: number
  readonly cookies: CookieStore | undefined
  readonly crossOriginRedirects: boolean
}

/**
 * Returns a transport to a server.
 *
 * @throws TypeError - the URL is invalid, or the option `fetch` is set and the URL is not http or https.
 * @throws Error - the option `cookies` requires a package that is not installed.
 */
export function transportTo(address: string | URL, options: TransportOptions, service: Service): Transport {
  const endpoint = endpointOf(address, service)
  if (options.fetch !== undefined && endpoint.connection.kind !== 'http') {
    throw new TypeError(`The option fetch is for http: and https: URLs; ${endpoint.url} is another one.`)
  }
  const settings: Settings = {
    fetch: options.fetch,
    maxResponseLength: options.maxResponseLength ?? DEFAULT_MAX_RESPONSE,
    cookies: cookieStoreOf(options.cookies),
    crossOriginRedirects: options.crossOriginRedirects === true,
  }
  return new Transport(endpoint, settings, [options])
}

/** Sends bytes to a server by POST and receives bytes. The clients of all RPC protocols use it. */
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

  /**
   * Sends a body and returns the response, whatever its status. A 307 or 308 is followed, to
   * another origin only with `crossOriginRedirects`. If the server closed an idle
   * connection just when the request was sent on it, it is sent once more.
   *
   * @param type - the media type of the body and of the expected response.
   * @throws TypeError - the name or the value of a header is invalid.
   * @throws ConnectionError - there is no response within the time limit.
   * @throws ResponseLengthError - the response is too long.
   * @throws the reason of a signal that is aborted.
   */
  async post(body: Uint8Array, type: string): Promise<Reply> {
    const timeout = this.#calls.findLast((call) => call.timeout !== undefined)?.timeout ?? DEFAULT_TIMEOUT
    const timer = timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
    const callers = this.#calls.map((call) => call.signal).filter((signal) => signal !== undefined)
    const signals = timer === undefined ? callers : [...callers, timer]
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined
    const headers = this.#headers(type)
    try {
      return await this.#follow(body, headers, signal)
    } catch (error) {
      if (error instanceof ResponseLengthError || error instanceof ConnectionError) throw error
      for (const caller of callers) if (caller.aborted) throw caller.reason
      const why = timer?.aborted
        ? `no response within ${timeout} ms`
        : `the connection failed: ${causeText(error)}`
      throw new ConnectionError(`${this.url}: ${why}`, { cause: error })
    }
  }

  #headers(type: string): Headers {
    const headers = new Headers({ 'content-type': type, accept: type, 'user-agent': 'propylon' })
    const { authorization } = this.#endpoint
    if (authorization !== undefined) headers.set('authorization', authorization)
    for (const call of this.#calls) {
      for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    }
    return headers
  }

  async #follow(body: Uint8Array, first: Headers, signal: AbortSignal | undefined): Promise<Reply> {
    let url = this.#endpoint.target
    let headers = first
    for (let redirects = 0; ; redirects++) {
      const reply = await this.#exchange(url, body, headers, signal)
      const target =
        this.#endpoint.connection.kind === 'http' && redirects < MAX_REDIRECTS
          ? redirectTarget(reply.status, reply.headers, url)
          : undefined
      if (target === undefined) return reply
      if (!this.#settings.crossOriginRedirects && !keepsParameters(url, target)) {
        throw new ConnectionError(
          `${this.url}: the HTTP status is ${reply.status}, a redirect to another origin, ${new URL(target).origin}. The call was not repeated there, because its parameters may be secret. Call that server by its URL, or set crossOriginRedirects: true.`,
        )
      }
      headers = redirectedHeaders(headers, url, target)
      url = target
    }
  }

  async #exchange(
    url: string,
    body: Uint8Array,
    callHeaders: Headers,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    const headers = new Headers(callHeaders)
    const { cookies: store, maxResponseLength } = this.#settings
    const cookies = (await store?.getCookieString(url)) ?? ''
    if (cookies !== '' && !headers.has('cookie')) headers.set('cookie', cookies)
    const init: RequestInit = { method: 'POST', headers, body, redirect: 'manual', ...(signal && { signal }) }
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
