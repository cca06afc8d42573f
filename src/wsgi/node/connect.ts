/**
 * Express-style handlers as applications.
 *
 * @module
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { toApplication } from '../application.ts'
import { environHeaders } from '../environ.ts'
import { encodePath, rawPathInfo } from '../path.ts'
import { isHopByHop } from '../response-head.ts'
import { statusLine } from '../status.ts'
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

/** A request handler as Connect and Express have it; an Express application is one too. */
export type ConnectHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => unknown

/**
 * Makes an application of an Express-style handler, so that it can be mounted, wrapped and served like any other, on
 * any server of the gateway.
 *
 * The handler gets a request and a response of node:http that are fed by the environ: `req.url` is the path below
 * SCRIPT_NAME, `req.originalUrl` the whole. Its body is streamed as it writes, and it is held back when the client is
 * slow; `close` is emitted when the client leaves. Hop-by-hop headers and trailers are left out.
 *
 * When the handler calls `next()`, the fallback answers, and the headers that the handler has set by then are added to
 * its response, unless it sets them itself. `next(error)`, a throw and a rejected promise throw the error, except one
 * that blames the request as such handlers do (`status` 400 to 499, as of Express's body parsers): that is answered with
 * its status and headers, as by Express itself.
 *
 * @param fallback - answers when the handler does not; a plain 404 when absent.
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

/** A start_response that adds headers, unless they are there. */
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

  /** Calls the handler. Resolves to the head that it sends, or to undefined when it calls `next()`. */
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

  /** What the handler has set with setHeader(), for somebody else's response. */
  headersSoFar(): HeaderPair[] {
    const headers: HeaderPair[] = []
    for (const [name, value] of Object.entries(this.#res.getHeaders())) {
      if (isHopByHop(name) || name === 'content-length' || value === undefined) continue
      for (const one of Array.isArray(value) ? value : [value]) headers.push([name, String(one)])
    }
    return headers
  }

  /** The body: an array where the handler has ended already, else a stream. */
  async body(): Promise<Body> {
    if (this.#res.writableEnded && this.#wire.writableLength === 0) {
      // All has been written; `finish` is a tick away.
      while (!this.#finished && !this.#wire.destroyed) await this.#ready()
      if (this.#finished) {
        this.close()
        return joined(this.#wire.takeAll())
      }
    }
    const iterator: AsyncIterator<Chunk> = { next: () => this.#next() }
    return { [Symbol.asyncIterator]: () => iterator, close: () => this.close() }
  }

  /** Ends the call, complete or not: the response emits `close`, and so does the request. */
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
    // Own properties, since Express replaces the prototype. The body is not to be framed: that is the server's part.
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
    // res.destroy(error) of node:http harms nobody but the client.
    wire.on('error', (error) => this.#fail(error))
    wire.on('close', () => {
      // The handler has destroyed the response, or the client has left, before there was a head.
      this.#head.reject(new Error('The handler destroyed its response before it had begun.'))
    })
    return res
  }
}

/** A request of node:http that takes its head from the environ, and its body from wsgi.input once somebody reads. */
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
  // What Connect and Express tell their handlers of where they are mounted.
  Object.assign(req, { originalUrl: mountedAt + path + query, baseUrl: mountedAt })
  let reading: AsyncIterator<Uint8Array> | undefined
  // An own property, since Express replaces the prototype.
  req._read = (size) => {
    // What node:http notes at the first read, without which it would not read on.
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

/** As node:http does when a response is complete and nobody has read the request: it is read to its end unseen. */
function endUnread(req: IncomingMessage): void {
  if (req.complete || req.readableDidRead) return
  req.complete = true
  req.push(null)
  req.resume()
}
