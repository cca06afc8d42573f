/**
 * Sends forwarded requests by node:http, which sends Host and passes compressed bodies on as they are.
 *
 * @module
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { builtin } from '../../base/builtin.ts'
import { BODYLESS_METHODS } from '../../base/methods.ts'
import { fieldPairs } from '../response-head.ts'
import type { WSGIApplication, WSGICallable } from '../types.ts'
import { ForwardError, type ForwardedRequest, type ForwardOptions, forwarding, type Send } from './forward.ts'

/**
 * Returns an application that forwards each request to another server, for the option `fallback` of FrameworkApp.
 *
 * Method, path, Host, cookies and all other fields are sent unchanged, except the fields of the connection.
 * X-Forwarded-For, -Proto,
 * -Host and -Prefix are set, and what the client sent in their place is dropped. Bodies are streamed in both
 * directions. Redirects, cookies and compressed bodies of the response stay as they are. When the client disconnects,
 * the request is aborted. Each request has a connection of its own, so that no request can reach the next one's
 * response.
 *
 * A body without Content-Length is read up to 1 MiB, and sent with its length. A longer one is sent in chunks if the
 * last response was of HTTP/1.1, and is 411 otherwise.
 *
 * The response is 502 if the server cannot be reached or does not answer in HTTP, 504 after the time-out, and 508 if
 * the server forwards to itself. The reason is written to `wsgi.errors`. WebSockets are not forwarded.
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
export function forwardTo(target: string | URL | WSGICallable, options?: ForwardOptions): WSGIApplication {
  // Whether the last response of the server was of HTTP/1.1, which has chunks (RFC 9112 §6.1).
  let hasChunks = false
  const send: Send = async (request) => {
    if (request.body !== undefined && request.length === undefined && !hasChunks)
      throw new ForwardError(411, 'the server may not understand a body in chunks')
    const message = await responseTo(clientRequest(request), request)
    hasChunks = message.httpVersion === '1.1'
    return responseOf(message)
  }
  return forwarding(send, target, options)
}

function clientRequest(request: ForwardedRequest): ClientRequest {
  const { url, method, target: path, body, length, signal } = request
  const headers = [...request.fields.flat(), 'connection', 'close']
  if (length !== undefined) headers.push('content-length', String(length))
  else if (body !== undefined) headers.push('transfer-encoding', 'chunked')
  else if (!BODYLESS_METHODS.has(method)) headers.push('content-length', '0')
  // Without an agent, each request has a connection of its own. A URL would normalize the path.
  const options = { method, path, headers, agent: false, signal, insecureHTTPParser: false }
  if (url.protocol === 'http:') return builtin('node:http').request(url, options)
  // Node would expect a certificate for the Host field, which is the host of the client. Addresses have none.
  const servername = /^\[|^[\d.]+$/.test(url.hostname) ? '' : url.hostname
  return builtin('node:https').request(url, { ...options, servername })
}

/** Sends the body of a request, and resolves to the response. */
function responseTo(request: ClientRequest, { body, environ }: ForwardedRequest): Promise<IncomingMessage> {
  request.on('information', ({ statusCode, headers: { link } }) => {
    if (statusCode === 103 && typeof link === 'string') environ['propylon.connection']?.earlyHints?.([link])
  })
  const source = builtin('node:stream').Readable.from(body ?? [])
  source.on('error', (error) => request.destroy(error))
  // The response is complete, or the client has left.
  request.on('close', () => source.destroy())
  source.pipe(request)
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // Node destroys a request without an error if the server switches protocols.
    request.on('close', () => reject(new Error('the server has closed the connection without a response')))
  })
}

function responseOf(message: IncomingMessage) {
  const { statusCode: code = 0, statusMessage: reason = '', rawHeaders: raw } = message
  const { 'transfer-encoding': coding = 'chunked' } = message.headers
  // A response that is not read may fail.
  message.on('error', () => {})
  if (coding.toLowerCase() !== 'chunked') throw new Error(`the transfer coding ${coding} is not known`)
  const pieces = message.iterator({ destroyOnReturn: false })
  return { code, reason, fields: fieldPairs(raw), pieces, close: () => void message.destroy() }
}
