/**
 * Transports from a client to an application. The tests of behaviour run over all of them.
 *
 * Every application runs under lint(). The request rejects if the application violates a rule of the gateway, or throws
 * after the head has been sent. An error before the head becomes a page of the application.
 */
import http from 'node:http'
import { toFetch } from 'propylon/fetch'
import { serve } from 'propylon/node'
import {
  createEnviron,
  type Environ,
  type HeaderPair,
  LintError,
  lint,
  run,
  toApplication,
  type WSGIApplication,
  type WSGICallable,
} from 'propylon/wsgi'
import { concatBytes, encodeUtf8 } from '../../src/base/bytes.ts'
import { errorReporting, plainErrorPage } from '../../src/wsgi/error-reporting.ts'

/** A request, independent of the transport. */
export interface RequestSpec {
  /** Defaults to `GET`. */
  method?: string
  /** The request target: a percent-encoded path with or without a query. Defaults to `/`. */
  path?: string
  /** Header fields. Host defaults to `localhost`. */
  headers?: readonly HeaderPair[]
  /** The body. Strings and bytes are sent with Content-Length, iterables without it (chunked over a socket). */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
}

/** A response, normalized for all transports. */
export interface Answer {
  status: number
  reason: string
  /** Header fields without Date and hop-by-hop fields, with names in lower case and sorted. */
  headers: HeaderPair[]
  body: Uint8Array
  text: string
  /** Returns the value of a header, or undefined. */
  header(name: string): string | undefined
  /** Returns all values of a header, in order. */
  headerAll(name: string): string[]
}

export interface Transport {
  name: 'direct' | 'fetch' | 'socket'
  request(app: WSGICallable, init?: RequestSpec): Promise<Answer>
}

export const transports: readonly Transport[] = [
  { name: 'direct', request: (app, init = {}) => watched(app, (linted) => direct(linted, init)) },
  { name: 'fetch', request: (app, init = {}) => watched(app, (linted) => overFetch(linted, init)) },
  { name: 'socket', request: (app, init = {}) => watched(app, (linted) => overSocket(linted, init)) },
]

/** Wraps an application in lint() and records the errors that servers only log. */
interface Watched {
  readonly wsgi: WSGIApplication
  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication>
  reportError(error: unknown, environ: Environ): void
}

async function watched(app: WSGICallable, request: (linted: Watched) => Promise<Answer>): Promise<Answer> {
  const errors: unknown[] = []
  const own = errorReporting(app)
  const isPlain = typeof app === 'function'
  const linted: Watched = {
    wsgi: lint(toApplication(app)),
    async handleError(error, environ) {
      if (error instanceof LintError) errors.push(error)
      // Do not print the stack of a plain application into the test output.
      return lint(isPlain ? plainErrorPage : await own.handleError(error, environ))
    },
    reportError(error) {
      errors.push(error)
    },
  }
  let answer: Answer
  try {
    answer = await request(linted)
  } catch (error) {
    throw errors[0] ?? error
  }
  if (errors.length > 0) throw errors[0]
  return answer
}

async function direct(app: Watched, init: RequestSpec): Promise<Answer> {
  const environ = createEnviron({
    method: init.method ?? 'GET',
    url: init.path ?? '/',
    headers: withHost(init),
    body: init.body ?? null,
  })
  let result: Awaited<ReturnType<typeof run>>
  try {
    result = await run(app, environ)
  } catch (error) {
    result = await run(await app.handleError(error, environ), environ)
  }
  return makeAnswer(result.status.slice(0, 3), result.status.slice(4), result.headers, await result.bytes())
}

async function overFetch(app: Watched, init: RequestSpec): Promise<Answer> {
  const { body } = init
  const headers = new Headers()
  for (const [name, value] of withHost(init)) headers.append(name, value)
  if (typeof body === 'string' || body instanceof Uint8Array) {
    headers.set('content-length', String(typeof body === 'string' ? encodeUtf8(body).byteLength : body.byteLength))
  }
  const request = new Request(`http://localhost${init.path ?? '/'}`, {
    method: init.method ?? 'GET',
    headers,
    ...(body === undefined ? {} : { body: fetchBody(body), duplex: 'half' }),
  })
  const response = await toFetch(app)(request)
  return makeAnswer(
    response.status,
    response.statusText,
    [...response.headers],
    new Uint8Array(await response.arrayBuffer()),
  )
}

function fetchBody(
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
): string | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : ReadableStream.from(body)
}

async function overSocket(app: Watched, init: RequestSpec): Promise<Answer> {
  const server = await serve(app)
  try {
    return await socketRequest(server.port, init)
  } finally {
    await server.close()
  }
}

/** Sends a request to a port of this machine. */
export function socketRequest(port: number, init: RequestSpec): Promise<Answer> {
  const { body } = init
  return new Promise((resolve, reject) => {
    const bytes = typeof body === 'string' ? encodeUtf8(body) : body
    const headers: string[] = withHost(init).flat()
    if (bytes instanceof Uint8Array && !headers.some((name) => name.toLowerCase() === 'content-length')) {
      headers.push('Content-Length', String(bytes.byteLength))
    } else if (bytes !== undefined && !(bytes instanceof Uint8Array)) headers.push('Transfer-Encoding', 'chunked')
    const request = http.request({
      port,
      method: init.method ?? 'GET',
      path: init.path ?? '/',
      agent: false,
      headers,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      readAll(response).then((content) => {
        const pairs: HeaderPair[] = []
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          pairs.push([response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? ''])
        }
        resolve(makeAnswer(response.statusCode ?? 0, response.statusMessage ?? '', pairs, content))
      }, reject)
    })
    if (bytes === undefined || bytes instanceof Uint8Array) request.end(bytes)
    else sendAll(bytes, request).catch(reject)
  })
}

async function sendAll(body: AsyncIterable<Uint8Array>, request: http.ClientRequest): Promise<void> {
  for await (const chunk of body) request.write(chunk)
  request.end()
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return concatBytes(chunks)
}

function withHost(init: RequestSpec): HeaderPair[] {
  const headers = [...(init.headers ?? [])]
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) headers.unshift(['Host', 'localhost'])
  return headers
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

function makeAnswer(status: number | string, reason: string, pairs: HeaderPair[], body: Uint8Array): Answer {
  const headers = pairs
    .map(([name, value]): HeaderPair => [name.toLowerCase(), value])
    .filter(([name]) => !CONNECTION_HEADERS.has(name))
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
  const headerAll = (name: string) => headers.filter(([own]) => own === name.toLowerCase()).map(([, value]) => value)
  return {
    status: Number(status),
    reason,
    headers,
    body,
    text: new TextDecoder().decode(body),
    header: (name) => headerAll(name)[0],
    headerAll,
  }
}
