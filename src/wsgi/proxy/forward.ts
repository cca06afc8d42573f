/**
 * Forwards requests to another server. node:http or fetch send them.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { checkNames } from '../../base/suggest.ts'
import { errorMessage, isDisconnect } from '../../base/thrown.ts'
import { trimEnd } from '../../base/trim.ts'
import { toApplication } from '../application.ts'
import { cancellationOf, environHeaders } from '../environ.ts'
import { reasonFor, reasonPhrase } from '../reason-phrase.ts'
import { refusal } from '../refusal.ts'
import { hostOf, rawPathInfo, rawScriptName } from '../request-url.ts'
import { isHopByHop, parseContentLength, statusLine } from '../response-head.ts'
import type { Body, Environ, HeaderPair, WSGIApplication, WSGICallable } from '../types.ts'

/** Options of `forwardTo`. */
export interface ForwardOptions {
  /**
   * Time for which the other server may do nothing until the head of its response has arrived, in milliseconds:
   * neither accept the connection, nor take bytes of the request, nor respond. The response is 504 then. Its body may
   * take any time. Default 30,000.
   */
  readonly timeout?: number
}

/** A request for another server. */
export interface ForwardedRequest {
  /** The server. */
  readonly url: URL
  readonly method: string
  /** Path and query, as the server receives them. */
  readonly target: string
  /** Header fields, without the framing of the body. */
  readonly fields: HeaderPair[]
  readonly body: AsyncIterable<Uint8Array> | undefined
  /** Number of bytes of the body; undefined if it is not known. */
  readonly length: number | undefined
  /** Aborted when the client disconnects, after the time-out, and when the response cannot be used. */
  readonly signal: AbortSignal
  readonly environ: Environ
}

/** The response of another server. */
export interface ForwardedResponse {
  readonly code: number
  readonly reason: string
  readonly fields: HeaderPair[]
  readonly pieces: AsyncIterator<Uint8Array>
  close(): void | Promise<void>
}

/** Sends a request. Rejects if the server cannot be used, and when the signal of the request is aborted. */
export type Send = (request: ForwardedRequest) => Promise<ForwardedResponse>

/** An error that has a status of its own. Any other error of the server is 502. */
export class ForwardError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Returns the application for `forwardTo`. */
export function forwarding(
  send: Send,
  target: string | URL | WSGICallable,
  options: ForwardOptions = {},
): WSGIApplication {
  checkNames('forwardTo()', options, 'timeout')
  const { timeout = 30_000 } = options
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > 2 ** 31 - 1) {
    const given = describeValue(timeout)
    throw new RangeError(`forwardTo() received the timeout ${given}. Give it milliseconds, from 1.`)
  }
  if (typeof target !== 'string' && !(target instanceof URL)) return toApplication(target)
  const url = serverAt(target)
  return async (environ, start_response) => {
    const { signal: client } = cancellationOf(environ)
    const { body: input, length } = await bodyOf(environ)
    const cut = new AbortController()
    const silence = silenceTimer(timeout, cut)
    try {
      const body = input && silence.between(input)
      const signal = AbortSignal.any([client, cut.signal])
      const response = await send({ ...requestFor(url, environ), body, length, signal })
      const { code, reason, fields } = response
      start_response(`${code} ${reasonPhrase(reason) || reasonFor(code)}`, endToEnd(fields))
      silence.end()
      // No server sends the head before the first piece, so a body that is broken from its beginning is 502, too.
      return responseBody(await response.pieces.next(), response, client)
    } catch (error) {
      const cause: unknown = cut.signal.aborted ? cut.signal.reason : error
      cut.abort()
      // The client has left, or requestTimeout has passed.
      if (client.aborted || isDisconnect(error)) throw error
      const code = cause instanceof ForwardError ? cause.code : 502
      const status = statusLine(code)
      const line = `forwardTo: ${environ.REQUEST_METHOD} ${rawPathInfo(environ)}: ${status}: ${url.origin}`
      environ['wsgi.errors'].write(`${line}: ${errorMessage(cause)}\n`)
      return await refusal(code)(environ, (line, fields) => start_response(line, fields, error))
    } finally {
      silence.end()
    }
  }
}

/**
 * Parses the URL of a server.
 *
 * @throws TypeError - it is not an http or https URL, or has a query, a fragment or credentials.
 */
function serverAt(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined
  const isBare = url !== undefined && url.search + url.hash + url.username + url.password === ''
  if (isBare && /^https?:$/.test(url.protocol)) return url
  throw new TypeError(
    `forwardTo() received ${describeValue(String(target))}. Give it the URL of a server, such as 'http://127.0.0.1:8000', or an application.`,
  )
}

/** Starts a timer that cuts a request when the server has done nothing for a time. */
function silenceTimer(milliseconds: number, cut: AbortController) {
  const reason = new ForwardError(504, `nothing happened for ${milliseconds} ms`)
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  const begin = () => {
    clearTimeout(timer)
    if (!hasEnded) timer = setTimeout(() => cut.abort(reason), milliseconds)
  }
  const end = () => {
    hasEnded = true
    clearTimeout(timer)
  }
  /**
   * Yields the pieces of a body. The time begins again with each piece, and stops while the client sends the next
   * one.
   */
  async function* between(pieces: AsyncIterable<Uint8Array>) {
    clearTimeout(timer)
    for await (const piece of pieces) {
      begin()
      yield piece
      clearTimeout(timer)
    }
    begin()
  }
  begin()
  return { end, between }
}

// ------------------------------------------------------------ the request

/** Fields that are replaced, so that a client cannot forge them, and fields for this server. */
const REPLACED = /^(?:host|content-length|expect|forwarded|http2-settings|via|x-real-ip|x-forwarded-.*)$/

function requestFor(url: URL, environ: Environ): Omit<ForwardedRequest, 'body' | 'length' | 'signal'> {
  const { HTTP_VIA: via = '', REMOTE_ADDR: address, HTTP_X_REAL_IP: realAddress } = environ
  const base = trimEnd(url.pathname, '/')
  const pseudonym = `propylon-${fingerprint(url.origin + base)}`
  if (via.split(',').some((hop) => hop.trim().split(/[ \t]+/)[1] === pseudonym))
    throw new ForwardError(508, 'it forwards its requests to itself')
  const host = environ.HTTP_HOST || hostOf(environ)
  const kept = endToEnd(environHeaders(environ)).filter(([name]) => !REPLACED.test(name))
  // RFC 9110 §7.6.3.
  const hop = `${environ.SERVER_PROTOCOL.replace(/^HTTP\//, '')} ${pseudonym}`
  const added: [name: string, value: string | undefined][] = [
    ['x-forwarded-for', address],
    ['x-real-ip', realAddress === undefined ? undefined : address],
    ['x-forwarded-proto', environ['wsgi.url_scheme']],
    ['x-forwarded-host', host],
    ['x-forwarded-prefix', rawScriptName(environ)],
    ['via', via === '' ? hop : `${via}, ${hop}`],
  ]
  const fields: HeaderPair[] = [['host', host], ...kept]
  for (const [name, value] of added) if (value) fields.push([name, value])
  const { REQUEST_METHOD: method, QUERY_STRING: query, REQUEST_URI: uri = '' } = environ
  // `/page?` and `/page` are two URLs.
  const search = query !== '' || uri.endsWith('?') ? `?${query}` : ''
  const target = (base + rawPathInfo(environ) || '/') + search
  return { url, method, target, fields, environ }
}

/**
 * Returns a short hash (FNV-1a). Requests of attackers that have the value of another server are refused only to
 * them.
 */
function fingerprint(text: string): string {
  const step = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193)
  return (new TextEncoder().encode(text).reduce(step, 0x811c9dc5) >>> 0).toString(16)
}

/**
 * Maximum number of bytes of a body without Content-Length that are read before it is sent, because servers of
 * HTTP/1.0, such as WSGI servers, do not understand chunks.
 */
const MAX_COLLECTED = 1_048_576

/**
 * Returns the body of a request. One without Content-Length is read up to its first MiB. If it ends there, its length
 * is known.
 *
 * @throws the error of the input, if the client disconnects.
 */
async function bodyOf(environ: Environ): Promise<Pick<ForwardedRequest, 'body' | 'length'>> {
  const { CONTENT_LENGTH: stated = '', HTTP_TRANSFER_ENCODING: coding, 'wsgi.input': input } = environ
  if (coding === undefined && stated === '') return { body: undefined, length: undefined }
  const length = parseContentLength(stated)
  // A transfer coding has precedence over Content-Length (RFC 9112 §6.3).
  if (coding === undefined && length >= 0) return { body: exactly(length, input), length }
  const start: Uint8Array[] = []
  for (let room = MAX_COLLECTED + 1; room > 0; ) {
    const piece = await input.read(room)
    if (piece.length === 0) return { body: joined(start, []), length: MAX_COLLECTED + 1 - room }
    start.push(piece)
    room -= piece.length
  }
  return { body: joined(start, input), length: undefined }
}

/**
 * Yields the bytes of a body, and throws if their number is another one: the next request would begin with the rest.
 */
async function* exactly(length: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let missing = length
  for await (const piece of pieces) {
    missing -= piece.length
    if (missing >= 0) yield piece
    if (missing <= 0) break
  }
  if (missing !== 0) throw new RangeError(`The body of the request does not have ${length} bytes.`)
}

async function* joined(start: Uint8Array[], rest: AsyncIterable<Uint8Array> | Uint8Array[]) {
  yield* start
  yield* rest
}

/** Returns the fields that do not concern the connection (RFC 9110 §7.6.1). */
function endToEnd(fields: readonly HeaderPair[]): HeaderPair[] {
  const dropped = new Set<string>()
  for (const [name, value] of fields)
    if (/^connection$/i.test(name)) for (const each of value.split(',')) dropped.add(each.trim().toLowerCase())
  // The framing of the body. A transfer coding has precedence over Content-Length (RFC 9112 §6.3).
  if (fields.some(([name]) => /^transfer-encoding$/i.test(name))) dropped.add('content-length')
  else dropped.delete('content-length')
  return fields.filter(([name]) => !isHopByHop(name) && !dropped.has(name.toLowerCase()))
}

/**
 * Returns the body of a response, whose first piece has arrived. It has no `return()`, which would wait for the next
 * piece of a silent stream.
 */
function responseBody(
  first: IteratorResult<Uint8Array, unknown>,
  { pieces, close }: ForwardedResponse,
  client: AbortSignal,
): Body {
  const fail = (cause: unknown): never => {
    client.throwIfAborted()
    throw new Error('The server to which the request was forwarded broke off its response.', { cause })
  }
  let ahead: typeof first | undefined = first
  const next = async () => {
    const piece = ahead ?? (await pieces.next().catch(fail))
    ahead = undefined
    return piece
  }
  return { [Symbol.asyncIterator]: () => ({ next }), close }
}
