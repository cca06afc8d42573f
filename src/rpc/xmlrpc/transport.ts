/**
 * Sends calls by POST, with `fetch`.
 *
 * @module
 */

import { encodeBase64 } from '../../base/base64.ts'
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { requireLimit } from '../../base/limit.ts'
import { memberOf, withCauses } from '../../base/thrown.ts'
import { XMLRPCProtocolError, XMLRPCTransportError } from './errors.ts'

/** A function with the call and the result of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of one call. */
export interface CallOptions {
  /** Headers to add to the request. They replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of a call, in milliseconds. Default 60,000; 0 or Infinity for no limit. */
  readonly timeout?: number
  /** Aborts the call, which then fails with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Options for sending calls. */
export interface TransportOptions extends CallOptions {
  /** Function that sends the requests, for instance to a unix socket. Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** Maximum length of a response body, in bytes. Default 32 MiB. */
  readonly maxResponseLength?: number
}

const DEFAULT_TIMEOUT = 60_000
const DEFAULT_MAX_RESPONSE = 32 * 1024 * 1024

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500

/** Media type of calls and of their responses. */
const MEDIA_TYPE = 'text/xml'

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
 * @throws URIError - the user name or the password has a percent sign that is not encoded.
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
  const credentials = encodeUtf8(decodeURIComponent(`${username}:${password}`))
  const authorization = hasUser ? `Basic ${encodeBase64(credentials)}` : undefined
  return { url: url.href, authorization }
}

/** Options of a transport that no call replaces. */
interface Settings extends Endpoint {
  readonly fetch: Fetch
  readonly maxResponseLength: number
}

/**
 * Returns a transport to a server.
 *
 * @throws TypeError - the URL is invalid, or its scheme is not http or https.
 * @throws RangeError - `maxResponseLength` is not a number, or below 0.
 */
export function transportTo(address: string | URL, options: TransportOptions): Transport {
  const { maxResponseLength = DEFAULT_MAX_RESPONSE } = options
  requireLimit('The option maxResponseLength', maxResponseLength)
  const send = options.fetch ?? ((url, init) => fetch(url, init))
  return new Transport({ ...endpointOf(address), fetch: send, maxResponseLength }, [options])
}

/** Sends texts to a server and receives bytes. */
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
   * abort a call.
   */
  with(options: CallOptions): Transport {
    return new Transport(this.#settings, [...this.#calls, options])
  }

  /**
   * Sends a text by POST and returns the response, whatever its status. Redirects are not followed, so that neither the
   * parameters nor the headers reach another server.
   *
   * @throws TypeError - the name or the value of a header is invalid.
   * @throws XMLRPCTransportError - there is no response within the time limit.
   * @throws XMLRPCProtocolError - the response is too long.
   * @throws the reason of a signal that is aborted.
   */
  async post(text: string): Promise<Reply> {
    const timeout = this.#calls.findLast((call) => call.timeout !== undefined)?.timeout ?? DEFAULT_TIMEOUT
    const timer = timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
    const callers = this.#calls.map((call) => call.signal).filter((signal) => signal !== undefined)
    const signal = AbortSignal.any(timer === undefined ? callers : [...callers, timer])
    const headers = this.#headers()
    try {
      return await this.#exchange(text, headers, signal)
    } catch (error) {
      if (error instanceof XMLRPCProtocolError) throw error
      for (const caller of callers) if (caller.aborted) throw caller.reason
      const why = timer?.aborted ? `no response within ${timeout} ms` : `the connection failed: ${causeText(error)}`
      throw new XMLRPCTransportError(`${this.url}: ${why}`, {}, { cause: error })
    }
  }

  /** Returns the error for a response with a status that says that the call failed. */
  statusError({ status, headers, body }: Reply): Error {
    const message = `${this.url}: the HTTP status is ${status}${redirectText(status, headers)}`
    return new XMLRPCTransportError(message, { status, body: beginningOf(body) })
  }

  /**
   * Returns the error for a response that is not one of the protocol.
   *
   * @param problem - says what it is not.
   */
  contentError({ body }: Reply, problem: string, cause: unknown): Error {
    const beginning = beginningOf(body)
    const message = `${this.url}: ${problem}. It begins with ${describeValue(beginning, 40)}`
    return new XMLRPCProtocolError(message, beginning, { cause })
  }

  #headers(): Headers {
    const { authorization } = this.#settings
    const headers = new Headers({ 'content-type': MEDIA_TYPE, accept: MEDIA_TYPE, 'user-agent': 'propylon' })
    if (authorization !== undefined) headers.set('authorization', authorization)
    for (const call of this.#calls) {
      for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    }
    return headers
  }

  async #exchange(text: string, headers: Headers, signal: AbortSignal): Promise<Reply> {
    const { url, fetch: send } = this.#settings
    // Not every fetch checks the signal before it sends.
    signal.throwIfAborted()
    const response = await send(url, { method: 'POST', body: encodeUtf8(text), headers, redirect: 'manual', signal })
    return { status: response.status, headers: response.headers, body: await this.#read(response.body) }
  }

  async #read(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
    const { maxResponseLength } = this.#settings
    const chunks: Uint8Array[] = []
    let length = 0
    const reader = stream?.getReader()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      length += next.value.length
      if (length > maxResponseLength) {
        await reader?.cancel()
        throw new XMLRPCProtocolError(`the response is longer than ${maxResponseLength} bytes`)
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
