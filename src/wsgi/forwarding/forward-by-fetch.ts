/** Forwards requests to another server by fetch. */
import { concatBytes } from '../../base/bytes.ts'
import { isRead } from '../../base/methods.ts'
import { reasonFor, reasonPhrase } from '../reason-phrase.ts'
import { StreamBody } from '../stream-body.ts'
import type { WSGIApplication, WSGICallable } from '../types.ts'
import { receivedFields } from './fields.ts'
import {
  type ForwardedRequest,
  type ForwardOptions,
  forwarding,
  type Send,
  UpstreamTimeout,
} from './forward.ts'
import type { ForwardedBody } from './forwarded-body.ts'

/**
 * Returns an application that forwards each request to another server, for the option `fallback` of FrameworkApp. As `forwardTo`
 * of `propylon/node`, with what fetch allows:
 *
 * - Bodies up to 1 MiB are sent with their length, longer ones as streams.
 * - The server is asked for responses without compression, because fetch would decompress them.
 * - Node, Deno and Workers send the host of the URL instead of Host. X-Forwarded-Host has the client's host.
 * - `timeout` includes the time to send the body.
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
export function forwardTo(
  target: string | URL | WSGICallable,
  options: ForwardOptions = {},
): WSGIApplication {
  return forwarding(target, options, send)
}

const send: Send = async (upstream, request) => {
  const { method, target, body, signal, timeout } = request
  const ended = new AbortController()
  const onAbort = (): void => ended.abort(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(
    () => ended.abort(new UpstreamTimeout(`no response within ${timeout} ms`)),
    timeout,
  )
  const stop = (): void => {
    ended.abort()
    signal.removeEventListener('abort', onAbort)
  }
  try {
    const init = { method, headers: headersOf(request), redirect: 'manual', signal: ended.signal } as const
    const response = await fetch(upstream.origin + target, { ...init, ...(await bodyOf(method, body)) })
    // A list would have the length 0, which is not the length of the page that a HEAD is about.
    const stream = response.body ?? new Blob([]).stream()
    return {
      status: `${response.status} ${reasonPhrase(response.statusText) || reasonFor(response.status)}`,
      fields: receivedFields(fieldsOf(response)),
      body: new StreamBody(stream, stop),
    }
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason
    // "fetch failed" has its reason as the cause.
    throw error instanceof TypeError ? (error.cause ?? error) : error
  } finally {
    clearTimeout(timer)
  }
}

function headersOf({ fields }: ForwardedRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of fields) headers.append(name, value)
  headers.set('accept-encoding', 'identity')
  return headers
}

/** Returns the names and values of a response. Decompressed bodies have another length. */
function fieldsOf({ headers }: globalThis.Response): string[] {
  // Deno decompresses nothing if the request has Accept-Encoding.
  const isDecoded = headers.has('content-encoding') && !('Deno' in globalThis)
  return [...headers].flatMap(([name, value]) =>
    isDecoded && (name === 'content-encoding' || name === 'content-length') ? [] : [name, value],
  )
}

/** Returns the members of the body for fetch, which allows none for GET and HEAD. */
async function bodyOf(method: string, body: ForwardedBody | undefined): Promise<RequestInit> {
  if (body === undefined || body.length === 0 || isRead(method)) return {}
  const { length, pieces } = body
  if (length !== undefined && length <= MAX_WHOLE) {
    const all: Uint8Array[] = []
    for await (const piece of pieces) all.push(piece)
    return { body: new Uint8Array(concatBytes(all)) }
  }
  const iterator = pieces[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  // A stream requires `duplex` (Fetch, RequestInit).
  return { body: stream, ...{ duplex: 'half' } }
}

/** Maximum number of bytes of a body that is sent with its length. */
const MAX_WHOLE = 1_048_576
