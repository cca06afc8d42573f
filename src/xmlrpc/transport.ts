import { encodeBase64 } from './base64.ts'
import { type DecodeOptions, decodeResponse } from './decode.ts'
import { quote, XMLRPCDecodeError, XMLRPCProtocolError, XMLRPCTransportError } from './errors.ts'
import { Fault } from './fault.ts'
import type { Value } from './types.ts'

const EXCERPT = 500
const DEFAULT_TIMEOUT = 60_000

/** What of `fetch` is needed; the platform's own, or one with a proxy, a cache or a test behind it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How calls travel. */
export interface TransportOptions {
  /** Headers to add to each request, or to send in place of the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds until a call is given up. Default 60,000; 0 or Infinity means never. */
  readonly timeout?: number
  /** Ends every call of the client when it is aborted; the call fails with the signal's reason. */
  readonly signal?: AbortSignal
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** How long an answer may be, in bytes. Default 32 MiB. */
  readonly maxResponseLength?: number
}

/** An endpoint's address, without the user and password that may have stood in it. */
export interface Endpoint {
  readonly url: string
  readonly authorization: string | undefined
}

/** Takes user and password out of a URL and makes `Authorization: Basic` of them (RFC 7617). */
export function endpointOf(address: string | URL): Endpoint {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`XML-RPC goes over http: and https:, not ${url.protocol}`)
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  if (username === '' && password === '') return { url: url.href, authorization: undefined }
  const bytes = percentDecoded(`${username}:${password}`)
  return { url: url.href, authorization: `Basic ${encodeBase64(bytes)}` }
}

/** The bytes that a part of a URL means. A percent sign without two digits is itself (URL Standard §1.3). */
function percentDecoded(text: string): Uint8Array {
  const bytes: number[] = []
  for (const piece of text.split(/(%[\da-f]{2})/i)) {
    if (/^%[\da-f]{2}$/i.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 16))
    else bytes.push(...new TextEncoder().encode(piece))
  }
  return Uint8Array.from(bytes)
}

/**
 * Sends one call and reads its answer.
 *
 * @throws Fault when the server answers one, whatever the HTTP status.
 * @throws XMLRPCTransportError when there is no answer, or its status is not 200.
 * @throws XMLRPCProtocolError when the answer is not XML-RPC or too long.
 */
export async function exchange(
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
    bytes = await bodyOf(response, options.maxResponseLength ?? 32 * 1024 * 1024)
  } catch (error) {
    if (error instanceof XMLRPCProtocolError) throw error
    if (options.signal?.aborted) throw options.signal.reason
    const why = timer?.aborted
      ? `no answer within ${options.timeout ?? DEFAULT_TIMEOUT} ms`
      : 'the connection failed'
    throw new XMLRPCTransportError(`${endpoint.url}: ${why}`, {}, { cause: error })
  }
  return answerOf(endpoint, response, bytes, decoding)
}

function answerOf(endpoint: Endpoint, response: Response, bytes: Uint8Array, decoding: DecodeOptions): Value {
  const type = response.headers.get('content-type') ?? ''
  const charset = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";, \t]+)\1/i.exec(type)?.[2]
  const read = () => decodeResponse(bytes, { maxLength: bytes.length, ...decoding, charset })
  const { status } = response
  if (status !== 200) {
    // Some servers send their faults with another status than the specification's 200.
    if (/xml/i.test(type)) throwFaultIn(read)
    const where = response.headers.get('location')
    const to =
      where === null || status < 300 || status > 399 ? '' : `, which sends calls to ${withoutUser(where)}`
    throw new XMLRPCTransportError(`${endpoint.url}: the HTTP status is ${status}${to}`, {
      status,
      body: excerpt(bytes),
    })
  }
  try {
    return read()
  } catch (error) {
    if (!(error instanceof XMLRPCDecodeError)) throw error
    const body = excerpt(bytes)
    const message = `${endpoint.url}: the answer is not XML-RPC but ${quote(body)}: ${error.message}`
    throw new XMLRPCProtocolError(message, body, { cause: error })
  }
}

function throwFaultIn(read: () => Value): void {
  try {
    read()
  } catch (error) {
    if (error instanceof Fault || !(error instanceof XMLRPCDecodeError)) throw error
  }
}

/** The body, read no further than it may be long. */
async function bodyOf(response: Response, most: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk: Uint8Array = value
    length += chunk.length
    if (length > most) {
      await reader.cancel()
      throw new XMLRPCProtocolError(`the answer is longer than ${most} bytes`)
    }
    chunks.push(chunk)
  }
  if (chunks.length === 1) return chunks[0] as Uint8Array
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function timerOf({ timeout = DEFAULT_TIMEOUT }: TransportOptions): AbortSignal | undefined {
  return timeout > 0 && timeout < 2 ** 31 ? AbortSignal.timeout(Math.ceil(timeout)) : undefined
}

function excerpt(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT))
}

function withoutUser(location: string): string {
  return location.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
