/**
 * Sends the calls of RPC clients by POST, with `fetch`.
 *
 * @module
 */

import { encodeBase64 } from '../../base/base64.ts'
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { requireLimit } from '../../base/limit.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { memberOf, withCauses } from '../../base/thrown.ts'
import type { CallOptions, CookieStore, Fetch, TransportOptions } from './transport-options.ts'

const DEFAULT_TIMEOUT = 60_000
const DEFAULT_MAX_RESPONSE = 32 * 1024 * 1024

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500

/** The protocol of a client. */
export interface Protocol {
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

/** A server. */
interface Endpoint {
  /** URL without user name and password. */
  readonly url: string
  /** `Authorization` header for the user name and the password of the URL (RFC 7617). */
  readonly authorization: string | undefined
}

/**
 * Parses the URL of a server.
 *
 * @throws TypeError - it is invalid, or its scheme is not http or https.
 */
export function endpointOf(address: string | URL): Endpoint {
  const url = new URL(address)
  const { protocol, username, password } = url
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(
      `The URL has the scheme ${protocol} Use http: or https:. The option fetch can send the requests elsewhere.`,
    )
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  const hasUser = username !== '' || password !== ''
  const authorization = hasUser ? `Basic ${encodeBase64(bytesOf(`${username}:${password}`))}` : undefined
  return { url: url.href, authorization }
}

/** Decodes percent-encoded bytes. A percent sign without two digits is itself (URL Standard §1.3). */
function bytesOf(text: string): Uint8Array {
  // The pieces between are the escapes.
  const pieces = text.split(/%([\da-f]{2})/i)
  return concatBytes(pieces.map((piece, i) => (i % 2 === 0 ? encodeUtf8(piece) : byteOf(piece))))
}

function byteOf(hex: string): Uint8Array {
  return Uint8Array.of(Number.parseInt(hex, 16))
}

/** Options of a transport that no call replaces. */
interface Settings extends Endpoint {
  readonly fetch: Fetch
  readonly maxResponseLength: number
  readonly cookies: CookieStore | undefined
  readonly protocol: Protocol
}

/**
 * Returns a transport to a server.
 *
 * @throws TypeError - the URL is invalid, or its scheme is not http or https.
 * @throws RangeError - `maxResponseLength` is not a number, or below 0.
 * @throws Error - the option `cookies` requires a package that is not installed.
 */
export function transportTo(address: string | URL, options: TransportOptions, protocol: Protocol): Transport {
  const { maxResponseLength = DEFAULT_MAX_RESPONSE, cookies } = options
  requireLimit('The option maxResponseLength', maxResponseLength)
  const settings: Settings = {
    ...endpointOf(address),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    maxResponseLength,
    cookies: cookies === true ? newCookieJar() : cookies || undefined,
    protocol,
  }
  return new Transport(settings, [options])
}

function newCookieJar(): CookieStore {
  const { CookieJar } = optionalPackage('tough-cookie', 'The option cookies: true')
  return new CookieJar()
}

/** Sends texts to a server and receives bytes. The clients of all RPC protocols use it. */
export class Transport {
  readonly #settings: Settings
  /** Options of the calls, the options of `with` last. */
  readonly #calls: readonly CallOptions[]

  /** Use `transportTo`. */
  constructor(settings: Settings, calls: readonly CallOptions[]) {
    this.#settings = settings
    this.#calls = calls
  }

  /** URL of the server, without user name and password. */
  get url(): string {
    return this.#settings.url
  }

  /**
   * Returns a transport for calls with other options. Headers are added, the time limit is replaced, all signals
   * abort a call. Cookies are shared.
   */
  with(options: CallOptions): Transport {
    return new Transport(this.#settings, [...this.#calls, options])
  }

  /**
   * Sends a text by POST and returns the response, whatever its status. Redirects are not followed, so that neither the
   * parameters nor the headers reach another server.
   *
   * @throws TypeError - the name or the value of a header is invalid.
   * @throws Protocol.TransportError - there is no response within the time limit.
   * @throws Protocol.ProtocolError - the response is too long.
   * @throws the reason of a signal that is aborted.
   */
  async post(text: string): Promise<Reply> {
    const { TransportError, ProtocolError } = this.#settings.protocol
    const timeout = this.#calls.findLast((call) => call.timeout !== undefined)?.timeout ?? DEFAULT_TIMEOUT
    const timer = timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
    const callers = this.#calls.map((call) => call.signal).filter((signal) => signal !== undefined)
    const signal = AbortSignal.any(timer === undefined ? callers : [...callers, timer])
    const headers = this.#headers()
    try {
      return await this.#exchange(text, headers, signal)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      for (const caller of callers) if (caller.aborted) throw caller.reason
      const why = timer?.aborted ? `no response within ${timeout} ms` : `the connection failed: ${causeText(error)}`
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
  contentError({ body }: Reply, problem: string, cause: unknown): Error {
    const beginning = beginningOf(body)
    const message = `${this.url}: ${problem}. It begins with ${describeValue(beginning, 40)}`
    return new this.#settings.protocol.ProtocolError(message, beginning, { cause })
  }

  #headers(): Headers {
    const { authorization, protocol } = this.#settings
    const { type } = protocol
    const headers = new Headers({ 'content-type': type, accept: type, 'user-agent': 'propylon' })
    if (authorization !== undefined) headers.set('authorization', authorization)
    for (const call of this.#calls) {
      for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    }
    return headers
  }

  async #exchange(text: string, headers: Headers, signal: AbortSignal): Promise<Reply> {
    const { url, cookies: store, fetch: send } = this.#settings
    const cookies = (await store?.getCookieString(url)) ?? ''
    if (cookies !== '' && !headers.has('cookie')) headers.set('cookie', cookies)
    // The signal may have been aborted while a store was read. Not every fetch checks it.
    signal.throwIfAborted()
    const body = encodeUtf8(text)
    const response = await send(url, { method: 'POST', body, headers, redirect: 'manual', signal })
    if (store !== undefined) {
      for (const cookie of response.headers.getSetCookie()) await store.setCookie(cookie, url, { ignoreError: true })
    }
    return { status: response.status, headers: response.headers, body: await this.#read(response.body) }
  }

  async #read(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
    const { maxResponseLength, protocol } = this.#settings
    const chunks: Uint8Array[] = []
    let length = 0
    const reader = stream?.getReader()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      length += next.value.length
      if (length > maxResponseLength) {
        await reader?.cancel()
        throw new protocol.ProtocolError(`the response is longer than ${maxResponseLength} bytes`)
      }
      chunks.push(next.value)
    }
    return concatBytes(chunks)
  }
}

function beginningOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, EXCERPT))
}

/** Describes where a redirect leads, without user name and password; '' if the response is none. */
function redirectText(status: number, headers: Headers): string {
  // Browsers hide the status and the headers of a redirect.
  if (status === 0) return ', a redirect'
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  if (location === null) return ''
  return `, a redirect to ${location.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')}`
}

/**
 * Returns the messages of the innermost errors with their codes, because the error of `fetch()` itself says nothing.
 */
export function causeText(error: unknown): string {
  const causes = withCauses(error).filter(
    (cause): cause is Error => cause instanceof Error && !(cause instanceof AggregateError),
  )
  const coded = causes.filter((cause) => typeof memberOf(cause, 'code') === 'string')
  const texts = (coded.length > 0 ? coded : causes.slice(-1)).map((cause) => {
    const code = memberOf(cause, 'code')
    return code === undefined || cause.message.includes(String(code))
      ? cause.message
      : `${cause.message} (${String(code)})`
  })
  return [...new Set(texts)].join(', ') || String(error)
}
