/**
 * An application as a fetch handler.
 *
 * @module
 */
import { toApplication } from '../application.ts'
import { toBytes } from '../bytes.ts'
import { consoleErrors, makeEnviron } from '../environ.ts'
import {
  ClientDisconnected,
  type ErrorReporting,
  errorReporting,
  plainErrorPage,
  plainReporting,
} from '../errors.ts'
import { Exchange } from '../exchange.ts'
import { isHost } from '../host.ts'
import { emptyInput } from '../input.ts'
import { decodePath } from '../path.ts'
import { isPromise } from '../promise.ts'
import { environKey } from '../request-header-names.ts'
import type { ResponseHead } from '../response-head.ts'
import { isBodyless } from '../status.ts'
import { isDisconnect } from '../thrown.ts'
import type { Chunk, Environ, WSGIApplication, WSGICallable } from '../types.ts'
import { WebInput } from './input.ts'
import { urlParts } from './url-parts.ts'

/** A handler as Bun, Deno and Workers call it; what they pass beside the request differs. */
export type FetchHandler = (
  request: globalThis.Request,
  ...platform: unknown[]
) => Promise<globalThis.Response>

/**
 * Makes a fetch handler of an application: for Bun, Deno and Workers, and for tests.
 *
 * Errors of the application become pages by its `handleError`, or a plain 500 where it has none. The platform's further
 * arguments are at `environ['propylon.fetch'].platform`; the client's address is taken from them where they hold it.
 *
 * @throws TypeError when it is no application.
 *
 * @example
 * ```ts
 * export default { fetch: toFetch(app) }
 * ```
 */
export function toFetch(callable: WSGICallable): FetchHandler {
  const app = toApplication(callable)
  const reporting = errorReporting(callable)
  return async (request, ...platform) => {
    const environ = fetchEnviron(request, platform)
    if (environ === undefined) return refusal()
    try {
      const response = answer(app, environ, reporting, request)
      // What is there is not waited for: it would be sent a turn later.
      return isPromise(response) ? await response : response
    } catch (error) {
      return showPage(error, environ, reporting, request)
    }
  }
}

function refusal(): globalThis.Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return new Response('400 Bad Request\n', { status: 400, statusText: 'Bad Request', headers })
}

/** The environ of a web request; undefined when its path cannot be decoded or its host is malformed. */
function fetchEnviron(request: globalThis.Request, platform: unknown[]): Environ | undefined {
  const { origin, path, query } = urlParts(request.url)
  const pathInfo = decodePath(path)
  if (pathInfo === undefined) return undefined
  const environ = makeEnviron({
    method: request.method,
    scriptName: '',
    pathInfo,
    queryString: query,
    requestUri: query === '' ? path : `${path}?${query}`,
    serverName: origin.serverName,
    serverPort: origin.serverPort,
    protocol: 'HTTP/1.1',
    remoteAddr: remoteAddress(request, platform),
    scheme: origin.scheme,
    input: emptyInput,
    errors: consoleErrors,
    multiprocess: false,
  })
  // Repeated fields are joined already, and forEach() costs an eighth of what iterating does on Deno.
  request.headers.forEach((value, name) => {
    const key = environKey(name)
    if (key !== undefined) environ[key] = value
  })
  environ.HTTP_HOST ||= origin.host
  if (!isHost(environ.HTTP_HOST)) return undefined
  if (environ.REQUEST_METHOD !== 'GET' && environ.REQUEST_METHOD !== 'HEAD') addInput(environ, request)
  environ['propylon.fetch'] = { request, platform }
  return environ
}

function addInput(environ: Environ, request: globalThis.Request): void {
  const stated = environ.CONTENT_LENGTH ?? ''
  // Merely to ask for the stream makes one: where the headers tell that there is a body, nobody asks.
  if (/^\d+$/.test(stated)) environ['wsgi.input'] = new WebInput(request, Number(stated))
  else if (request.body !== null) {
    environ['wsgi.input'] = new WebInput(request, Number.POSITIVE_INFINITY)
    // A web request need not say how long its body is. To applications of HTTP/1.1 (Express among them) there is a body
    // only where a header says so.
    if (stated === '') environ.HTTP_TRANSFER_ENCODING ??= 'chunked'
  }
}

/** The client's address: Deno passes it as `info.remoteAddr.hostname`, Bun's server tells it for the request. */
function remoteAddress(request: globalThis.Request, platform: unknown[]): string {
  const [info] = platform
  if (typeof info !== 'object' || info === null) return ''
  if ('remoteAddr' in info) return textMember(info.remoteAddr, 'hostname')
  if ('requestIP' in info && typeof info.requestIP === 'function') {
    return textMember(info.requestIP(request), 'address')
  }
  return ''
}

function textMember(object: unknown, key: string): string {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined
  return typeof value === 'string' ? value : ''
}

async function showPage(
  error: unknown,
  environ: Environ,
  reporting: ErrorReporting,
  request: globalThis.Request,
): Promise<globalThis.Response> {
  // A client that has left sees no page, and its leaving is nothing to be logged.
  if (isDisconnect(error)) return new Response(null, { status: 499 })
  try {
    return await answer(await reporting.handleError(error, environ), environ, reporting, request)
  } catch (another) {
    plainReporting.reportError(another, environ)
    return answer(plainErrorPage, environ, plainReporting, request)
  }
}

/** Runs the application. The response is no promise where the application waits for nothing. */
function answer(
  app: WSGIApplication,
  environ: Environ,
  reporting: ErrorReporting,
  request: globalThis.Request,
): globalThis.Response | Promise<globalThis.Response> {
  const exchange = new Exchange(environ, reporting)
  const started = exchange.run(app)
  // Listening for the client's leaving costs more than to answer: only a response that takes time is worth it.
  if (isPromise(started) || exchange.whole === undefined)
    return answerLater(exchange, started, request.signal)
  let response: globalThis.Response
  try {
    response = wholeResponse(exchange.head, exchange.whole)
  } catch (error) {
    exchange.close()
    throw error
  }
  const closing = exchange.close()
  return isPromise(closing) ? closing.then(() => response) : response
}

async function answerLater(
  exchange: Exchange,
  started: Exchange | Promise<Exchange>,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const leave = () => exchange.close()
  signal.addEventListener('abort', leave)
  const forget = () => signal.removeEventListener('abort', leave)
  try {
    await started
    if (exchange.closed) throw new ClientDisconnected()
    const { head, whole } = exchange
    if (whole === undefined) return new Response(toStream(exchange, forget), responseInit(head))
    const response = wholeResponse(head, whole)
    forget()
    await exchange.close()
    return response
  } catch (error) {
    forget()
    await exchange.close()
    throw error
  }
}

function responseInit({ code, reason, fields }: ResponseHead): ResponseInit {
  return { status: code, statusText: reason, headers: webHeaders(fields) }
}

/** Header fields for a Response. A plain object is what it takes fastest; what that cannot hold goes into a list. */
function webHeaders(fields: readonly string[]): Record<string, string> | Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    // A field that is repeated, or that is called as a member of every object is.
    if (name in headers) return repeatedHeaders(fields)
    headers[name] = fields[at + 1] ?? ''
  }
  return headers
}

function repeatedHeaders(fields: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < fields.length; at += 2) headers.append(fields[at] ?? '', fields[at + 1] ?? '')
  return headers
}

function wholeResponse(head: ResponseHead, whole: Chunk): globalThis.Response {
  const init = responseInit(head)
  if (whole.length === 0 || isBodyless(head.code)) return new Response(null, init)
  // As text, it would get a Content-Type where the application has not given it one.
  if (typeof whole === 'string' && hasContentType(head.fields)) return new Response(whole, init)
  return new Response(arrayBytes(toBytes(whole)), init)
}

function hasContentType(fields: readonly string[]): boolean {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    if (name === 'Content-Type' || (name.length === 12 && name.toLowerCase() === 'content-type')) return true
  }
  return false
}

/** Response takes bytes over an ArrayBuffer, and not over shared memory. */
function arrayBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes)
}

function toStream(exchange: Exchange, done: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await exchange.next()
          if (chunk !== undefined) {
            controller.enqueue(toBytes(chunk))
            return
          }
          // The client has left while the chunk was on its way: the stream is not complete.
          if (exchange.closed) controller.error(new DOMException('The request was aborted.', 'AbortError'))
          else controller.close()
        } catch (error) {
          exchange.report(error)
          controller.error(error)
        }
        done()
        await exchange.close()
      },
      async cancel() {
        done()
        await exchange.close()
      },
    },
    { highWaterMark: 0 },
  )
}
