/** Forwards requests to another server by node:http. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { builtin } from '../../base/builtin.ts'
import { BODYLESS_METHODS } from '../../base/methods.ts'
import { receivedFields } from '../forwarding/fields.ts'
import {
  type ForwardedRequest,
  type ForwardedResponse,
  type ForwardOptions,
  forwarding,
  LengthRequired,
  type Send,
  UpstreamTimeout,
} from '../forwarding/forward.ts'
import type { Upstream } from '../forwarding/upstream.ts'
import { reasonFor, reasonPhrase } from '../reason-phrase.ts'
import type { Chunk, WSGIApplication, WSGICallable } from '../types.ts'
import { http } from './http-module.ts'

/**
 * Returns an application that forwards each request to another server, for the option `fallback` of FrameworkApp.
 *
 * Method, path, Host, cookies and all other fields are sent unchanged, except the fields of the connection. X-Forwarded-For, -Proto,
 * -Host and -Prefix are set, and what the client sent in their place is dropped. Bodies are streamed in both directions. Redirects,
 * cookies and compressed bodies of the response stay as they are. When the client disconnects, the request is aborted. Each request has
 * a connection of its own, so that no request can reach the next one's response.
 *
 * A body without Content-Length is read up to 1 MiB, and sent with its length. A longer one is sent in chunks if the
 * last response was of HTTP/1.1, and is 411 otherwise.
 *
 * The response is 502 if the server cannot be reached or does not answer in HTTP, 504 after the time-out, and 508 if the server
 * forwards to itself. The reason is written to `wsgi.errors`. WebSockets are not forwarded.
 *
 * @param target - the URL of the server, whose path is put before the path of each request, or an application.
 * @throws TypeError - the URL is not an http or https URL, or has a query, a fragment or credentials.
 * @throws RangeError - the time-out is not a positive number of milliseconds.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { forwardTo } from 'propylon/node'
 *
 * const app = new FrameworkApp({
 *   map: new Mapper().resource('book', 'books'),
 *   controllers: new URL('./controllers/', import.meta.url),
 *   fallback: forwardTo('http://127.0.0.1:8000'),
 * })
 * ```
 */
export function forwardTo(
  target: string | URL | WSGICallable,
  options: ForwardOptions = {},
): WSGIApplication {
  // Whether the last response of the server was of HTTP/1.1, which has chunks (RFC 9112 §6.1).
  let hasChunks = false
  const send: Send = async (upstream, request) => {
    if (request.body !== undefined && request.body.length === undefined && !hasChunks)
      throw new LengthRequired()
    const call = new ForwardedCall(clientRequest(upstream, request), request.timeout)
    const message = await call.send(request)
    hasChunks = message.httpVersion === '1.1'
    return responseOf(message, request.signal)
  }
  return forwarding(target, options, send)
}

/** One request to the server. */
class ForwardedCall {
  readonly #request: ClientRequest
  readonly #timeout: number
  #timer: NodeJS.Timeout | undefined
  #hasResponse = false

  constructor(request: ClientRequest, timeout: number) {
    this.#request = request
    this.#timeout = timeout
  }

  /** Sends the request. */
  send({ body, signal, environ }: ForwardedRequest): Promise<IncomingMessage> {
    const request = this.#request
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', (message) => {
        this.#hasResponse = true
        this.#wait(false)
        resolve(message)
      })
      request.on('error', reject)
      // Node destroys a request without an error if the server switches protocols.
      request.on('close', () => {
        this.#wait(false)
        reject(new Error('the server has closed the connection without a response'))
      })
    })
    request.on('information', ({ statusCode, headers: { link } }) => {
      if (statusCode === 103 && typeof link === 'string') environ['propylon.connection']?.earlyHints?.([link])
    })
    const abort = (): void => void request.destroy(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    request.on('close', () => signal.removeEventListener('abort', abort))
    this.#sendBody(body?.pieces).catch((error) => request.destroy(error))
    return response
  }

  async #sendBody(pieces: AsyncIterable<Uint8Array> | undefined): Promise<void> {
    const request = this.#request
    for await (const piece of pieces ?? []) {
      // The response is complete, or the client has left.
      if (request.destroyed) return
      this.#wait(true)
      if (!request.write(piece)) await drained(request)
      this.#wait(false)
    }
    request.end()
    this.#wait(true)
  }

  /** Begins or ends the time for which the server may do nothing. */
  #wait(begins: boolean): void {
    clearTimeout(this.#timer)
    if (!begins || this.#request.destroyed || this.#hasResponse) return
    this.#timer = setTimeout(() => {
      this.#request.destroy(new UpstreamTimeout(`nothing happened for ${this.#timeout} ms`))
    }, this.#timeout)
  }
}

function clientRequest(upstream: Upstream, request: ForwardedRequest): ClientRequest {
  const { protocol, hostname, port } = upstream
  const { method, target: path } = request
  const headers = fieldsOf(request)
  // Without an agent, each request has a connection of its own.
  const options = { hostname, port, method, path, headers, agent: false, insecureHTTPParser: false }
  if (protocol === 'http:') return http.request(options)
  // Node would expect a certificate for the Host field, which is the host of the client.
  return builtin('node:https').request({ ...options, servername: isIP(hostname) === 0 ? hostname : '' })
}

function fieldsOf({ method, fields, body }: ForwardedRequest): string[] {
  const framing: string[] = []
  if (body !== undefined) {
    framing.push(
      ...(body.length === undefined
        ? ['transfer-encoding', 'chunked']
        : ['content-length', String(body.length)]),
    )
  } else if (!BODYLESS_METHODS.has(method)) framing.push('content-length', '0')
  return [...fields.flat(), 'connection', 'close', ...framing]
}

/** Waits until more can be written, or until nothing will be. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      request.off('drain', done)
      request.off('close', done)
      resolve()
    }
    request.on('drain', done)
    request.on('close', done)
  })
}

function responseOf(message: IncomingMessage, signal: AbortSignal): ForwardedResponse {
  const { statusCode = 0, statusMessage = '', rawHeaders } = message
  const coding = message.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    message.destroy()
    throw new Error(`the transfer coding ${coding} is not known`)
  }
  return {
    status: `${statusCode} ${reasonPhrase(statusMessage) || reasonFor(statusCode)}`,
    fields: receivedFields(rawHeaders),
    body: new MessageBody(message, signal),
  }
}

/** The body of a response. It has no `return()`, which would wait for the next piece of a silent stream. */
class MessageBody implements AsyncIterable<Chunk> {
  readonly #message: IncomingMessage
  readonly #signal: AbortSignal

  constructor(message: IncomingMessage, signal: AbortSignal) {
    this.#message = message
    this.#signal = signal
    // A response to HEAD is not read.
    message.on('error', () => {})
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    const pieces = this.#message.iterator({ destroyOnReturn: false })
    const signal = this.#signal
    return {
      async next() {
        try {
          return await pieces.next()
        } catch (cause) {
          signal.throwIfAborted()
          throw new Error(
            'The server to which the request was forwarded has closed the connection within its response.',
            { cause },
          )
        }
      },
    }
  }

  close(): void {
    this.#message.destroy()
  }
}
