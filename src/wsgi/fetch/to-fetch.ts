/**
 * An application as a fetch handler.
 *
 * @module
 */

import { toBytes } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { isPromise } from '../../base/promise.ts'
import { checkNames } from '../../base/suggest.ts'
import { isDisconnect } from '../../base/thrown.ts'
import {
  ClientDisconnected,
  type ErrorReporting,
  errorReporting,
  plainErrorPage,
  plainReporting,
  servedApplication,
} from '../error-reporting.ts'
import { Exchange } from '../exchange.ts'
import { applyForwarded, proxyHeadersOf } from '../proxy/proxy-headers.ts'
import { reasonFor } from '../reason-phrase.ts'
import { answersMalformed, MALFORMED_KEY, refusal } from '../refusal.ts'
import { mountAt, mountPoint } from '../request-url.ts'
import { contentTypeOf, fieldPairs, type ResponseHead, SWITCHING_PROTOCOLS } from '../response-head.ts'
import type { Chunk, Environ, WSGIApplication, WSGICallable } from '../types.ts'
import { FetchCall, whenLeft } from './fetch-call.ts'
import { fetchEnviron } from './fetch-environ.ts'
import { beginUpgrade, offerUpgrade } from './fetch-upgrade.ts'

/** A fetch handler as Bun, Deno and Workers call it. Their further arguments differ. */
export type FetchHandler = (request: globalThis.Request, ...platform: unknown[]) => Promise<globalThis.Response>

/** Options of {@link toFetch}. */
export interface FetchOptions {
  /**
   * Whether the platform is a proxy whose forwarding headers are used, for REMOTE_ADDR the right-most address.
   * Default false: clients can send these headers too.
   */
  readonly trustProxy?: boolean
  /** Family of forwarding headers that the platform writes, as for `serve()`. */
  readonly proxyHeaders?: 'x-forwarded' | 'forwarded'
  /** Path at which the application is mounted, as for `serve()`. */
  readonly scriptName?: string
}

/**
 * Converts an application to a fetch handler, for Bun, Deno, Workers and tests.
 *
 * Errors of the application become the page of its `handleError`, or a plain 500. The platform's further arguments
 * are in `environ['propylon.fetch'].platform`; the client's address is read from them if possible.
 *
 * The memory for request bodies is not bounded as in `serve()` (`maxBufferedBytes`): the platform receives them.
 *
 * @throws TypeError - `callable` is not an application, or an option is malformed.
 *
 * @example
 * ```ts
 * import { toFetch } from 'propylon/fetch'
 * import type { WSGIApplication } from 'propylon/wsgi'
 *
 * const app: WSGIApplication = (environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return [`Hello, ${environ.PATH_INFO.slice(1)}!`]
 * }
 *
 * export default { fetch: toFetch(app) }
 * ```
 */
export function toFetch(callable: WSGICallable, options: FetchOptions = {}): FetchHandler {
  checkNames('toFetch()', options, 'trustProxy proxyHeaders scriptName')
  const scriptName = mountPoint(options.scriptName)
  const trustsPlatform = requireFlag(options.trustProxy)
  const platformProxy = { trusts: trustsNobody, headers: proxyHeadersOf(options.proxyHeaders) }
  const reporting = errorReporting(callable)
  const app = servedApplication(callable, reporting)
  const acceptsMalformed = answersMalformed(callable)
  return async (request, ...platform) => {
    const call = new FetchCall(request, platform)
    const environ = fetchEnviron(call)
    if (scriptName !== '') mountAt(environ, scriptName)
    if (trustsPlatform) applyForwarded(environ, platformProxy)
    if (environ.HTTP_UPGRADE !== undefined) offerUpgrade(call, environ)
    try {
      const isRefused = environ[MALFORMED_KEY] !== undefined && !acceptsMalformed
      const response = answer(isRefused ? refusal(400) : app, environ, reporting, call)
      // Awaiting a response that is ready would delay it by a turn of the event loop.
      return isPromise(response) ? await response : response
    } catch (error) {
      return showPage(error, environ, reporting, call)
    }
  }
}

/** No address in a header is trusted: only the platform itself is. */
const trustsNobody = () => false

/** @throws TypeError - the value is not a boolean. */
function requireFlag(trustProxy: unknown): boolean {
  if (typeof trustProxy === 'boolean') return trustProxy
  if (trustProxy === undefined) return false
  throw new TypeError(
    `toFetch: trustProxy is ${describeValue(trustProxy)}. A fetch handler does not know its peer: pass true to trust the platform.`,
  )
}

async function showPage(
  error: unknown,
  environ: Environ,
  reporting: ErrorReporting,
  call: FetchCall,
): Promise<globalThis.Response> {
  // A disconnected client receives no page, and a disconnect is not logged.
  if (isDisconnect(error)) return new Response(null, { status: 499 })
  try {
    const page = await reporting.handleError(error, environ)
    return await answer(page, environ, reporting, call)
  } catch (another) {
    plainReporting.reportError(another, environ)
    return answer(plainErrorPage, environ, plainReporting, call)
  }
}

/** Runs the application. Returns a promise only if the application is asynchronous. */
function answer(
  app: WSGIApplication,
  environ: Environ,
  reporting: ErrorReporting,
  call: FetchCall,
): globalThis.Response | Promise<globalThis.Response> {
  const exchange = new Exchange(environ, reporting)
  const started = exchange.run(app)
  // Listening for a disconnect costs more than a small response, so only asynchronous responses do.
  if (started !== undefined || exchange.whole === undefined || exchange.head.code === SWITCHING_PROTOCOLS) {
    return answerLater(exchange, started, call, environ)
  }
  let response: globalThis.Response
  try {
    response = wholeResponse(exchange.head, exchange.whole, call)
  } catch (error) {
    exchange.close()
    throw error
  }
  const closing = exchange.close()
  if (isPromise(closing)) return closing.then(() => completed(call, response))
  return completed(call, response)
}

/** Returns a response that goes to the platform. Callbacks of close() still see whether the client has left. */
function completed(call: FetchCall, response: globalThis.Response): globalThis.Response {
  call.complete()
  return response
}

async function answerLater(
  exchange: Exchange,
  started: Promise<void> | undefined,
  call: FetchCall,
  environ: Environ,
): Promise<globalThis.Response> {
  // Bun forgets the address when the client leaves, or the response has been sent.
  void environ.REMOTE_ADDR
  // Workers forbid a timer that several requests share.
  const stop = whenLeft(call.request, () => exchange.close(), call.isServed)
  try {
    await started
    if (exchange.closed) throw new ClientDisconnected()
    const { head, whole } = exchange
    const connection = environ['propylon.upgrade']?.connection
    if (head.code === SWITCHING_PROTOCOLS && connection !== undefined) {
      stop()
      await exchange.close()
      call.complete()
      return await beginUpgrade(call, connection, head)
    }
    if (whole === undefined) {
      call.hasBegun = true
      return new Response(toStream(exchange, call, stop), responseInit(head, call))
    }
    const response = wholeResponse(head, whole, call)
    stop()
    const closing = exchange.close()
    if (closing !== undefined) await closing
    return completed(call, response)
  } catch (error) {
    stop()
    await exchange.close()
    throw error
  }
}

/**
 * Returns the head of a response. Servers of Bun and Deno send reasons of their own, and reading one costs Deno a
 * twentieth of a 404.
 *
 * @param omitted - name of a header field to leave out.
 */
function responseInit({ code, reason, fields }: ResponseHead, { isServed }: FetchCall, omitted?: string): ResponseInit {
  const headers = webHeaders(fields, omitted)
  if (isServed && reason === reasonFor(code)) return { status: code, headers }
  return { status: code, statusText: reason, headers }
}

/**
 * Converts header fields for a Response: to a plain object, which is fastest, or to Headers if a field is repeated.
 *
 * @param omitted - name of a field to leave out.
 */
function webHeaders(fields: readonly string[], omitted?: string): Record<string, string> | Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    if (name === omitted) continue
    // A repeated field, or a field with the name of a member of Object.prototype.
    if (name in headers) return new Headers(fieldPairs(fields))
    headers[name] = fields[at + 1] ?? ''
  }
  return headers
}

function wholeResponse(head: ResponseHead, whole: Chunk, call: FetchCall): globalThis.Response {
  if (whole.length === 0) return new Response(emptyBody(head), responseInit(head, call))
  // Servers of Bun and Deno count the bytes of a body.
  const init = responseInit(head, call, call.isServed ? 'Content-Length' : undefined)
  // A Response adds a Content-Type to text if there is none.
  if (typeof whole === 'string' && contentTypeOf(head.fields) !== undefined) return new Response(whole, init)
  return new Response(arrayBytes(toBytes(whole)), init)
}

/**
 * Returns the body of a response that has no bytes. If the length that GET would have is unknown, it is a stream: for
 * null Bun and Deno add `Content-Length: 0` (RFC 9110 §8.6). Servers do not send its bytes.
 */
function emptyBody(head: ResponseHead): ReadableStream<Uint8Array> | null {
  if (head.bodyless || head.length >= 0) return null
  return new ReadableStream({ pull: (controller) => controller.close() }, { highWaterMark: 0 })
}

/** Copies bytes from shared memory, which Response does not accept. */
function arrayBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes)
}

function toStream(exchange: Exchange, call: FetchCall, stop: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await exchange.next()
          if (chunk !== undefined) {
            controller.enqueue(toBytes(chunk))
            return
          }
          // The client disconnected while the chunk was pending, so the stream is incomplete.
          if (exchange.closed) controller.error(new DOMException('The request was aborted.', 'AbortError'))
          else {
            call.complete()
            controller.close()
          }
        } catch (error) {
          exchange.report(error)
          controller.error(error)
        }
        stop()
        await exchange.close()
      },
      async cancel() {
        stop()
        call.lose()
        await exchange.close()
      },
    },
    { highWaterMark: 0 },
  )
}
