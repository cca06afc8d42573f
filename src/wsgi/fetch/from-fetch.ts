/**
 * A fetch handler as an application.
 *
 * @module
 */
import { isRead } from '../../base/methods.ts'
import { StreamBody } from '../body.ts'
import { cancellationOf, environHeaders } from '../environ.ts'
import { ClientDisconnected } from '../error-reporting.ts'
import { refusal } from '../refusal.ts'
import { urlOf } from '../request-url.ts'
import { isHopByHop, statusLine } from '../response-head.ts'
import type { Environ, HeaderPair, WSGIApplication } from '../types.ts'

// Methods that a web Request does not accept (Fetch §4.6).
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/**
 * Converts a fetch handler to a WSGI application.
 *
 * The handler receives the whole URL, including SCRIPT_NAME, and the body as a stream. Its response is streamed. When
 * the client disconnects, the response's stream is cancelled. The request has the `signal` of the gateway's request:
 * it is aborted at a disconnect, after `requestTimeout`, and when a shutdown cuts the request.
 *
 * @example
 * ```ts
 * const app = fromFetch((request) => new Response(`You asked for ${new URL(request.url).pathname}`))
 * ```
 */
export function fromFetch(
  handler: (request: globalThis.Request) => globalThis.Response | Promise<globalThis.Response>,
): WSGIApplication {
  return async (environ, start_response) => {
    if (FORBIDDEN_METHODS.has(environ.REQUEST_METHOD.toUpperCase())) return refusal(501)(environ, start_response)
    const cancellation = cancellationOf(environ)
    const response = await handler(toRequest(environ, cancellation.signal))
    if (response.status < 200)
      throw new RangeError(`The fetch handler returned a response with status ${response.status}. Return 200 to 599.`)
    const headers: HeaderPair[] = []
    for (const [name, value] of response.headers) if (!isHopByHop(name)) headers.push([name, value])
    start_response(
      statusLine(response.statusText === '' ? response.status : `${response.status} ${response.statusText}`),
      headers,
    )
    return response.body === null
      ? []
      : new StreamBody(response.body, () => cancellation.abort(new ClientDisconnected()))
  }
}

function toRequest(environ: Environ, signal: AbortSignal): globalThis.Request {
  const method = environ.REQUEST_METHOD
  const headers = new Headers()
  for (const [name, value] of environHeaders(environ)) if (!isHopByHop(name)) headers.append(name, value)
  const init: RequestInit = { method, headers, signal }
  const isEmpty = environ.CONTENT_LENGTH === '0'
  if (isRead(method) || isEmpty) return new Request(urlOf(environ), init)
  // A stream requires `duplex` (Fetch, RequestInit).
  return new Request(urlOf(environ), { ...init, body: environ['wsgi.input'].stream, duplex: 'half' })
}
