/**
 * An application as a fetch handler.
 *
 * @module
 */
import { toApplication } from '../application.ts'
import { toBytes } from '../bytes.ts'
import { addHeader, consoleErrors, makeEnviron } from '../environ.ts'
import {
  ClientDisconnected,
  type ErrorReporting,
  errorReporting,
  isDisconnect,
  plainErrorPage,
  plainReporting,
} from '../errors.ts'
import { emptyInput, inputStream } from '../input.ts'
import { decodePath } from '../path.ts'
import { Exchange } from '../start.ts'
import { isBodyless } from '../status.ts'
import type { Environ, WSGIApplication, WSGICallable } from '../types.ts'

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
    const { signal } = request
    try {
      return await answer(app, environ, reporting, signal)
    } catch (error) {
      return await showPage(error, environ, reporting, signal)
    }
  }
}

function refusal(): globalThis.Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return new Response('400 Bad Request\n', { status: 400, statusText: 'Bad Request', headers })
}

/** The environ of a web request; undefined when its path cannot be decoded. */
function fetchEnviron(request: globalThis.Request, platform: unknown[]): Environ | undefined {
  const url = new URL(request.url)
  const pathInfo = decodePath(url.pathname)
  if (pathInfo === undefined) return undefined
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const environ = makeEnviron({
    method: request.method,
    scriptName: '',
    pathInfo,
    queryString: url.search.slice(1),
    requestUri: url.pathname + url.search,
    serverName: url.hostname,
    serverPort: url.port || (scheme === 'https' ? '443' : '80'),
    protocol: 'HTTP/1.1',
    remoteAddr: remoteAddress(request, platform),
    scheme,
    input: emptyInput,
    errors: consoleErrors,
    multiprocess: false,
  })
  for (const [name, value] of request.headers) addHeader(environ, name, value)
  environ.HTTP_HOST ??= url.host
  if (request.method !== 'GET' && request.method !== 'HEAD' && request.body !== null) {
    environ['wsgi.input'] = inputStream(request.body)
    // A web request need not say how long its body is. To applications of HTTP/1.1 (Express among them) there is a body
    // only where a header says so.
    if (environ.CONTENT_LENGTH === '') environ.HTTP_TRANSFER_ENCODING ??= 'chunked'
  }
  environ['propylon.fetch'] = { request, platform }
  return environ
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
  signal: AbortSignal,
): Promise<globalThis.Response> {
  // A client that has left sees no page, and its leaving is nothing to be logged.
  if (isDisconnect(error)) return new Response(null, { status: 499 })
  try {
    return await answer(await reporting.handleError(error, environ), environ, reporting, signal)
  } catch (another) {
    plainReporting.reportError(another, environ)
    return answer(plainErrorPage, environ, plainReporting, signal)
  }
}

async function answer(
  app: WSGIApplication,
  environ: Environ,
  reporting: ErrorReporting,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const exchange = new Exchange(environ, reporting)
  const leave = () => exchange.close()
  signal.addEventListener('abort', leave)
  const forget = () => signal.removeEventListener('abort', leave)
  try {
    await exchange.run(app)
    if (exchange.closed) throw new ClientDisconnected()
    const response = toResponse(exchange, forget)
    if (exchange.whole !== undefined) {
      forget()
      await exchange.close()
    }
    return response
  } catch (error) {
    forget()
    await exchange.close()
    throw error
  }
}

function toResponse(exchange: Exchange, done: () => void): globalThis.Response {
  const { head, whole } = exchange
  const headers = new Headers()
  for (let at = 0; at < head.fields.length; at += 2)
    headers.append(head.fields[at] ?? '', head.fields[at + 1] ?? '')
  const init = { status: head.code, statusText: head.reason, headers }
  if (whole === undefined) return new Response(toStream(exchange, done), init)
  // As text, it would get a Content-Type that the application has not given it.
  return new Response(whole.length === 0 || isBodyless(head.code) ? null : arrayBytes(toBytes(whole)), init)
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
