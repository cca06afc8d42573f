/**
 * Sends forwarded requests by fetch, in any runtime.
 *
 * @module
 */
import { isRead } from '../../base/methods.ts'
import { streamBody } from '../body.ts'
import { inputStream } from '../input.ts'
import type { WSGIApplication, WSGICallable } from '../types.ts'
import { type ForwardedRequest, type ForwardOptions, forwarding, type Send } from './forward.ts'

/**
 * Returns an application that forwards each request to another server, for the option `fallback` of FrameworkApp. As
 * `forwardTo` of `propylon/node`, with what fetch allows:
 *
 * - Bodies up to 1 MiB are sent with their length, longer ones as streams.
 * - The server is asked for responses without compression, because fetch would decompress them.
 * - Node, Deno and Workers send the host of the URL instead of Host. X-Forwarded-Host has the client's host.
 *
 * @param target - the URL of the server, whose path is put before the path of each request, or an application.
 * @throws TypeError - the URL is not an http or https URL, or has a query, a fragment or credentials.
 * @throws RangeError - the time-out is not a positive number of milliseconds.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { forwardTo } from 'propylon/fetch'
 *
 * const app = new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   fallback: forwardTo('https://old.example.com'),
 * })
 * export default { fetch: app.fetch }
 * ```
 */
export function forwardTo(target: string | URL | WSGICallable, options?: ForwardOptions): WSGIApplication {
  return forwarding(send, target, options)
}

const send: Send = async (request) => {
  const { url, method, target, signal } = request
  const headers = new Headers(request.fields)
  headers.set('accept-encoding', 'identity')
  const init: RequestInit = { method, headers, redirect: 'manual', signal, ...(await bodyOf(request)) }
  const response = await fetch(url.origin + target, init).catch((error: unknown) => {
    // "fetch failed" has its reason as the cause.
    throw error instanceof TypeError ? (error.cause ?? error) : error
  })
  const { status: code, statusText: reason } = response
  // Deno decompresses nothing if the request has Accept-Encoding. Decompressed bodies have another length.
  const isDecoded = response.headers.has('content-encoding') && !('Deno' in globalThis)
  const isStale = (name: string) => isDecoded && /^content-(?:encoding|length)$/.test(name)
  const fields = [...response.headers].filter(([name]) => !isStale(name))
  // A list would have the length 0, which is not the length of the page that a HEAD is about.
  const body = streamBody(response.body ?? new Blob([]).stream())
  return { code, reason, fields, pieces: body[Symbol.asyncIterator](), close: () => body.close() }
}

/** Maximum number of bytes of a body that is sent with its length. */
const MAX_WHOLE = 1_048_576

/** Returns the members of the body for fetch, which allows none for GET and HEAD. */
async function bodyOf({ method, body, length }: ForwardedRequest): Promise<RequestInit> {
  if (body === undefined || length === 0 || isRead(method)) return {}
  const input = inputStream(body)
  if (length !== undefined && length <= MAX_WHOLE) return { body: new Uint8Array(await input.read()) }
  // A stream requires `duplex` (Fetch, RequestInit).
  return { body: input.stream, ...{ duplex: 'half' } }
}
