import { encodeBase64 } from '../wsgi/base64.ts'
import { concatBytes } from '../wsgi/bytes.ts'
import { describeValue } from '../wsgi/describe.ts'
import { type DecodeOptions, decodeResponse } from './decode.ts'
import { XMLRPCDecodeError, XMLRPCProtocolError, XMLRPCTransportError } from './errors.ts'
import { Fault } from './fault.ts'
import type { Value } from './types.ts'

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500
const DEFAULT_TIMEOUT = 60_000
const DEFAULT_MAX_RESPONSE = 32 * 1024 * 1024

/** A function with the call and the result of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How calls are sent. */
export interface TransportOptions {
  /** Headers to add to each request. They replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time limit of a call, in milliseconds. Default 60,000; 0 or Infinity for no limit. */
  readonly timeout?: number
  /** Aborts every call of the client, which then fails with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Function that sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** Maximum length of a response body, in bytes. Default 32 MiB. */
  readonly maxResponseLength?: number
}

/** A server's URL without user name and password, and the `Authorization` header for them. */
export interface Endpoint {
  readonly url: string
  readonly authorization: string | undefined
}

/**
 * Moves user name and password from a URL to an `Authorization: Basic` header (RFC 7617).
 *
 * @throws TypeError - the URL is invalid, or its scheme is not http or https.
 */
export function endpointOf(address: string | URL): Endpoint {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`The URL of an XML-RPC server has the scheme ${url.protocol} Use http: or https:.`)
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  if (username === '' && password === '') return { url: url.href, authorization: undefined }
  const bytes = percentDecode(`${username}:${password}`)
  return { url: url.href, authorization: `Basic ${encodeBase64(bytes)}` }
}

/** Decodes percent-encoded bytes. A percent sign without two digits is itself (URL Standard §1.3). */
function percentDecode(text: string): Uint8Array {
  const bytes: number[] = []
  for (const piece of text.split(/(%[\da-f]{2})/i)) {
    if (/^%[\da-f]{2}$/i.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 16))
    else bytes.push(...new TextEncoder().encode(piece))
  }
  return Uint8Array.from(bytes)
}

/**
 * Sends a call and decodes its response.
 *
 * @throws Fault - the response is a fault, whatever its HTTP status.
 * @throws XMLRPCTransportError - there is no response, or its status is not 200.
 * @throws XMLRPCProtocolError - the response is not XML-RPC or too long.
 */
export async function sendCall(
  endpoint: Endpoint,
  body: string,
  options: TransportOptions,
  decoding: DecodeOptions,
): Promise<Value> {
  const timer = timerOf(options)
  const signals = [options.signal, timer].filter((signal) => signal !== undefined)
  const headers = new Headers({ 'content-type': 'text/xml', accept: 'text/xml', 'user-agent': 'propylon' })
  if (endpoint.authorization !== undefined) headers.set('authorization', endpoint.authorization)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  const init: RequestInit = {
    method: 'POST',
    headers,
    body: new TextEncoder().encode(body),
    redirect: 'manual',
  }
  if (signals.length > 0) init.signal = AbortSignal.any(signals)
  const send: Fetch = options.fetch ?? fetch
  let response: Response
  let bytes: Uint8Array
  try {
    response = await send(endpoint.url, init)
    bytes = await readBody(response, options.maxResponseLength ?? DEFAULT_MAX_RESPONSE)
  } catch (error) {
    if (error instanceof XMLRPCProtocolError) throw error
    if (options.signal?.aborted) throw options.signal.reason
    const why = timer?.aborted
      ? `no response within ${options.timeout ?? DEFAULT_TIMEOUT} ms`
      : 'the connection failed'
    throw new XMLRPCTransportError(`${endpoint.url}: ${why}`, {}, { cause: error })
  }
  return decodeBody(endpoint, response, bytes, decoding)
}

function decodeBody(
  endpoint: Endpoint,
  response: Response,
  bytes: Uint8Array,
  decoding: DecodeOptions,
): Value {
  const type = response.headers.get('content-type') ?? ''
  const charset = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";, \t]+)\1/i.exec(type)?.[2]
  const { status } = response
  const body = new TextDecoder().decode(bytes.subarray(0, EXCERPT))
  try {
    const value = decodeResponse(bytes, { maxLength: bytes.length, ...decoding, charset })
    if (status === 200) return value
  } catch (error) {
    // Some servers send faults with another status than 200, which the specification requires.
    if (error instanceof Fault && (status === 200 || /xml/i.test(type))) throw error
    if (!(error instanceof XMLRPCDecodeError || error instanceof Fault)) throw error
    if (status === 200) {
      const message = `${endpoint.url}: the response is not XML-RPC: ${error.message}. It begins with ${describeValue(body, 40)}`
      throw new XMLRPCProtocolError(message, body, { cause: error })
    }
  }
  const location = status >= 300 && status < 400 ? response.headers.get('location') : null
  const redirect = location === null ? '' : `, a redirect to ${withoutUser(location)}`
  throw new XMLRPCTransportError(`${endpoint.url}: the HTTP status is ${status}${redirect}`, { status, body })
}

/** @throws XMLRPCProtocolError - the body is longer than `max` bytes. */
async function readBody(response: Response, max: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk: Uint8Array = value
    length += chunk.length
    if (length > max) {
      await reader.cancel()
      throw new XMLRPCProtocolError(`the response is longer than ${max} bytes`)
    }
    chunks.push(chunk)
  }
  return concatBytes(chunks)
}

function timerOf({ timeout = DEFAULT_TIMEOUT }: TransportOptions): AbortSignal | undefined {
  return timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
}

function withoutUser(location: string): string {
  return location.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
