/**
 * Converts Express-style handlers to applications.
 *
 * @module
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { toApplication } from '../application.ts'
import { environHeaders } from '../environ.ts'
import { encodePath, rawPathInfo } from '../request-url.ts'
import { isHopByHop, statusLine } from '../response-head.ts'
import { toError } from '../thrown.ts'
import type {
  Body,
  Chunk,
  Environ,
  HeaderPair,
  StartResponse,
  WSGIApplication,
  WSGICallable,
} from '../types.ts'
import { refusalFor } from './connect-error.ts'
import { joined, Wire, type WireHead } from './wire.ts'

/** A request handler of Connect or Express. An Express application is one as well. */
export type ConnectHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => unknown

/**
 * Converts an Express-style handler to an application for any server of the gateway.
 *
 * The handler receives a request and a response of node:http, created from the environ: `req.url` is the path below
 * SCRIPT_NAME, `req.originalUrl` the whole path. The response is streamed with back-pressure. `close` is emitted when the
 * client disconnects. Hop-by-hop headers and trailers are dropped.
 *
 * If the handler calls `next()`, the fallback answers, with the headers that the handler has set added unless it sets
 * them itself. `next(error)`, a throw and a rejected promise throw the error. An error with a `status` of 400 to 499, as
 * Express's body parsers throw, is answered with its status and headers instead.
 *
 * @param fallback - answers if the handler calls `next()`. Defaults to a plain 404.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { fromConnect, serve } from 'propylon/node'
 *
 * const legacy = express()
 * legacy.get('/users', (_req, res) => res.json(['ann']))
 *
 * await serve(fromConnect(legacy), { port: 8080 })
 * ```
 */
export function fromConnect(handler: ConnectHandler, fallback: WSGICallable = notFound): WSGIApplication {
  const otherwise = toApplication(fallback)
  return async (environ, start_response) => {
    const call = new ConnectCall(environ)
    const head = await call.run(handler).catch(refusalFor)
    if (typeof head === 'function') {
      call.close()
      return head(environ, start_response)
    }
    if (head === undefined) {
      const headers = call.headersSoFar()
      call.close()
      return otherwise(environ, withHeaders(start_response, headers))
    }
    start_response(
      statusLine(head.status),
      head.headers.filter(([name]) => !isHopByHop(name)),
    )
    return call.body()
  }
}

const notFound: WSGIApplication = (_environ, start_response) => {
  start_response('404 Not Found', [['Content-Type', 'text/plain; charset=utf-8']])
  return ['404 Not Found\n']
}

/** Returns a start_response that adds headers unless the application sets them. */
function withHeaders(start_response: StartResponse, added: readonly HeaderPair[]): StartResponse {
  if (added.length === 0) return start_response
  return (status, headers, ...excInfo) => {
    const own = new Set(headers.map(([name]) => name.toLowerCase()))
    const missing = added.filter(
      ([name]) => name.toLowerCase() === 'set-cookie' || !own.has(name.toLowerCase()),
    )
    return start_response(status, [...headers, ...missing], ...excInfo)
  }
}

/** One call of a handler. */
class ConnectCall {
  readonly #wire: Wire
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #head = Promise.withResolvers<WireHead | undefined>()
  #failure: { error: unknown } | undefined
  #finished = false

  constructor(environ: Environ) {
    this.#wire = new Wire((head) => this.#head.resolve(head), {
      remoteAddress: environ.REMOTE_ADDR ?? '',
      encrypted: environ['wsgi.url_scheme'] === 'https',
    })
    this.#req = makeRequest(environ, this.#wire)
    this.#res = this.#makeResponse()
  }

  /** Calls the handler. Resolves to the head that it sends, or to undefined if it calls `next()`. */
  run(handler: ConnectHandler): Promise<WireHead | undefined> {
    const next = (error?: unknown) => {
      // Express calls next('route') and next('router') to leave a route without an error.
      if (error === undefined || error === null || error === 'route' || error === 'router')
        this.#head.resolve(undefined)
      else this.#fail(error)
    }
    const call = async () => {
      await handler(this.#req, this.#res, next)
    }
    call().catch((error: unknown) => this.#fail(error))
    return this.#head.promise
  }

  /** Returns the headers that the handler has set, for the response of the fallback. */
  headersSoFar(): HeaderPair[] {
    const headers: HeaderPair[] = []
    for (const [name, value] of Object.entries(this.#res.getHeaders())) {
      if (isHopByHop(name) || name === 'content-length' || value === undefined) continue
      for (const one of Array.isArray(value) ? value : [value]) headers.push([name, String(one)])
    }
    return headers
  }

  /** Returns the body: an array if the handler has ended the response, otherwise a stream. */
  async body(): Promise<Body> {
    if (this.#res.writableEnded && this.#wire.writableLength === 0) {
      // Everything has been written. `finish` follows in the next tick.
      while (!this.#finished && !this.#wire.destroyed) await this.#ready()
      if (this.#finished) {
        this.close()
        return joined(this.#wire.takeAll())
      }
    }
    const iterator: AsyncIterator<Chunk> = { next: () => this.#next() }
    return { [Symbol.asyncIterator]: () => iterator, close: () => this.close() }
  }

  /** Ends the call, complete or not. Request and response emit `close`. */
  close(): void {
    if (this.#finished) endUnread(this.#req)
    else this.#req.destroy()
    this.#wire.destroy()
  }

  #ready(): Promise<void> {
    return new Promise((resolve) => this.#wire.whenReady(resolve))
  }

  async #next(): Promise<IteratorResult<Chunk>> {
    for (;;) {
      const value = this.#wire.takeChunk()
      if (value !== undefined) return { done: false, value }
      if (this.#failure !== undefined) throw this.#failure.error
      if (this.#finished) return { done: true, value: undefined }
      if (this.#wire.destroyed) throw new Error('The handler destroyed its response before it was complete.')
      await this.#ready()
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#head.reject(error)
    this.#wire.notify()
  }

  #makeResponse(): ServerResponse {
    const res = new ServerResponse(this.#req)
    const wire = this.#wire
    res.sendDate = false
    // Own properties, because Express replaces the prototype. The server frames the body, so this response does not.
    Object.defineProperty(res, 'chunkedEncoding', { get: () => false, set: () => undefined })
    Object.defineProperty(res, 'writableNeedDrain', {
      get: () => !res.writableEnded && wire.writableNeedDrain,
    })
    res.assignSocket(wire)
    wire.on('drain', () => {
      if (!res.writableEnded) res.emit('drain')
    })
    res.on('finish', () => {
      this.#finished = true
      wire.notify()
    })
    // With node:http, res.destroy(error) affects the client only.
    wire.on('error', (error) => this.#fail(error))
    wire.on('close', () => {
      // The handler destroyed the response, or the client disconnected, before the head was sent.
      this.#head.reject(new Error('The handler destroyed its response before it had begun.'))
    })
    return res
  }
}

/** Creates a request of node:http from an environ. Its body is read from wsgi.input on demand. */
function makeRequest(environ: Environ, wire: Wire): IncomingMessage {
  const req = new IncomingMessage(wire)
  const path = rawPathInfo(environ) || '/'
  const query = environ.QUERY_STRING === '' ? '' : `?${environ.QUERY_STRING}`
  const mountedAt = encodePath(environ.SCRIPT_NAME)
  const headers = environHeaders(environ)
  req.method = environ.REQUEST_METHOD
  req.url = path + query
  req.httpVersion = '1.1'
  req.httpVersionMajor = 1
  req.httpVersionMinor = 1
  req.rawHeaders = headers.flat()
  req.headers = Object.fromEntries(headers)
  req.headersDistinct = Object.fromEntries(headers.map(([name, value]) => [name, [value]]))
  // Connect and Express set these properties for mounted handlers.
  Object.assign(req, { originalUrl: mountedAt + path + query, baseUrl: mountedAt })
  let reading: AsyncIterator<Uint8Array> | undefined
  // An own property, because Express replaces the prototype.
  req._read = (size) => {
    // Sets the flag that node:http sets at the first read and requires for further reads.
    IncomingMessage.prototype._read.call(req, size)
    reading ??= environ['wsgi.input'][Symbol.asyncIterator]()
    reading.next().then(
      ({ done, value }) => {
        if (req.destroyed || req.complete) return
        if (done) req.complete = true
        req.push(done ? null : value)
      },
      (error: unknown) => req.destroy(toError(error)),
    )
  }
  return req
}

/** Discards an unread request body after the response is complete, as node:http does. */
function endUnread(req: IncomingMessage): void {
  if (req.complete || req.readableDidRead) return
  req.complete = true
  req.push(null)
  req.resume()
}
