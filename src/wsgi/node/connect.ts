/**
 * Converts Express-style handlers to applications and middleware.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { concatBytes, toBytes } from '../../base/bytes.ts'
import { isPromise } from '../../base/promise.ts'
import { memberOf } from '../../base/thrown.ts'
import { toApplication } from '../application.ts'
import { Exchange } from '../exchange.ts'
import { refusal } from '../refusal.ts'
import { isHopByHop, statusLine } from '../response-head.ts'
import type { Body, Chunk, Environ, HeaderPair, StartResponse, WSGIApplication, WSGICallable } from '../types.ts'
import { CONNECT_REQUEST_KEY, ConnectRequest, endUnread } from './connect-request.ts'
import { type ConnectHead, ConnectSocket } from './connect-socket.ts'
import { http } from './http-module.ts'

/** An application that is also middleware: called with another application, it returns one. */
export interface ConnectApplication {
  (environ: Environ, start_response: StartResponse): Promise<Body>
  (app: WSGIApplication): WSGIApplication
}

/**
 * Converts an Express-style handler to an application for any server of the gateway, or to middleware.
 *
 * The handler receives a request and a response of node:http, created from the environ: `req.url` is the path below
 * SCRIPT_NAME, `req.originalUrl` the whole path, both without needless percent-encoding. The response is streamed
 * with back-pressure. `close` is emitted when the client disconnects. Hop-by-hop headers and trailers are dropped.
 *
 * If the handler calls `next()`, the application behind it answers. Changes of the request (`req.url`, `req.method`,
 * `req.headers`) apply to it, and it writes to the response of the handler, so that whatever the handler has set or
 * wrapped (headers, `res.write`, `res.end`, …) applies to it too. Controllers read what the handler has added to the
 * request by {@link connectRequest}. A body that the handler has read can be read again, up to 4 MiB.
 *
 * `next(error)`, a throw and a rejected promise throw the error. An error with a `status` of 400 to 499 or 503, as
 * Express's body parsers and time-outs throw, is answered with its status and headers instead.
 *
 * @param app - answers if the handler calls `next()`. Without it, the result is an application that answers 404 then,
 *   and middleware that can be wrapped around another application.
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
export function fromConnect(handler: ConnectHandler): ConnectApplication
export function fromConnect(handler: ConnectHandler, app: WSGICallable): WSGIApplication
export function fromConnect(handler: ConnectHandler, app?: WSGICallable): ConnectApplication | WSGIApplication {
  if (typeof handler !== 'function') {
    throw new TypeError('fromConnect() requires a handler (req, res, next), such as an Express application.')
  }
  if (app !== undefined) return serving(handler, toApplication(app))
  const alone = serving(handler, refusal(404))
  // Two parameters: the registry of controllers takes a function without parameters for one that imports a module.
  function connected(environ: Environ, start_response: StartResponse): Promise<Body>
  function connected(app: WSGIApplication): WSGIApplication
  function connected(
    first: Environ | WSGIApplication,
    start_response?: StartResponse,
  ): WSGIApplication | Promise<Body> {
    if (isApplication(first)) return serving(handler, first)
    if (start_response !== undefined) return alone(first, start_response)
    throw new TypeError('fromConnect(handler) is called with an application, or with (environ, start_response).')
  }
  return connected
}

function serving(
  handler: ConnectHandler,
  app: WSGIApplication,
): (environ: Environ, start_response: StartResponse) => Promise<Body> {
  return async (environ, start_response) => {
    const call = new ConnectCall(environ, handler, app)
    try {
      const { status, headers } = await call.begin()
      const fields = headers.filter(([name]) => !isHopByHop(name))
      const write = start_response(statusLine(status), fields)
      if (call.isHeadAlone) write('')
    } catch (error) {
      await call.close()
      throw error
    }
    return call.body()
  }
}

function isApplication(value: Environ | WSGIApplication): value is WSGIApplication {
  return typeof value === 'function'
}

/** Members that Connect handlers commonly add to a request. */
export interface ConnectAdditions {
  readonly body?: unknown
  readonly cookies?: unknown
  readonly session?: unknown
  readonly user?: unknown
}

/**
 * Returns the request that the Connect handlers of a request have received, with what they have added to it. The type
 * of the additions is a parameter: `connectRequest<express.Request>(…)` with the types of Express.
 *
 * @param request - the request of a controller, or an environ.
 * @throws Error - no Connect handler has received the request.
 *
 * @example
 * ```ts
 * import session from 'express-session'
 * import { FrameworkApp, Mapper, WSGIController } from 'propylon'
 * import { connectRequest, fromConnect } from 'propylon/node'
 *
 * class VisitsController extends WSGIController {
 *   index() {
 *     const { session } = connectRequest<{ session: { visits?: number } }>(this.request)
 *     session.visits = (session.visits ?? 0) + 1
 *     return `${session.visits} visits`
 *   }
 * }
 *
 * export default new FrameworkApp({
 *   map: new Mapper().connect('/', { controller: 'visits', action: 'index' }),
 *   controllers: { visits: VisitsController },
 *   middleware: [
 *     fromConnect(session({ secret: 'a long random text', resave: false, saveUninitialized: false })),
 *   ],
 * })
 * ```
 */
export function connectRequest<Added = ConnectAdditions>(
  request: Environ | { readonly environ: Environ },
): IncomingMessage & Added {
  const environ: Environ = isRequest(request) ? request.environ : request
  const message = environ[CONNECT_REQUEST_KEY]
  if (message instanceof http.IncomingMessage) return message as IncomingMessage & Added
  throw new Error(
    'No Connect handler has received this request. Add one: new FrameworkApp({ …, middleware: [fromConnect(handler)] }).',
  )
}

function isRequest(value: Environ | { readonly environ: Environ }): value is { readonly environ: Environ } {
  return typeof value.environ === 'object' && value.environ !== null
}

// ------------------------------------------------------------ one call

/** An object with a handler as a method, whose parameters may be subtypes. */
export interface HandlerMethod {
  handle(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown
}

/**
 * A request handler of Connect or Express. An Express application is one as well.
 *
 * The type is taken from a method, whose parameters may be subtypes, so that handlers for the requests and responses of
 * Express are accepted.
 */
export type ConnectHandler = HandlerMethod['handle']

/** Status fields that are combined with the fields of a handler instead of replacing them. */
const COMBINED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])

/**
 * One call of a Connect handler. If it calls `next()`, the application behind it is run, and its response is written to
 * the response of the handler: whatever that has wrapped applies to it.
 */
class ConnectCall {
  readonly #environ: Environ
  readonly #handler: ConnectHandler
  readonly #app: WSGIApplication
  readonly #socket: ConnectSocket
  readonly #request: ConnectRequest
  readonly #res: ServerResponse
  readonly #head = Promise.withResolvers<ConnectHead>()
  // The response of the application behind the handler.
  #inner: Exchange | undefined
  #failure: { readonly error: unknown } | undefined
  #isRefused = false
  // Errors that closing the application's response has reported.
  readonly #reported: unknown[] = []
  #isFinished = false
  #isClosed = false
  #closing: Promise<void> | undefined
  // Wakes the writer that waits for the client.
  #resume: (() => void) | undefined

  constructor(environ: Environ, handler: ConnectHandler, app: WSGIApplication) {
    this.#environ = environ
    this.#handler = handler
    this.#app = app
    this.#socket = new ConnectSocket((head) => this.#head.resolve(head), {
      remoteAddress: environ.REMOTE_ADDR ?? '',
      encrypted: environ['wsgi.url_scheme'] === 'https',
    })
    this.#request = new ConnectRequest(environ, this.#socket)
    this.#res = this.#makeResponse()
  }

  /**
   * Calls the handler.
   *
   * @returns the head of the response.
   * @throws the error of a handler or of the application, if it occurs before the head.
   */
  begin(): Promise<ConnectHead> {
    this.#environ['propylon.connection']?.onLost((reason) => {
      this.#head.reject(reason)
      // Errors reject the promise that the server receives.
      this.close().catch(() => undefined)
    })
    if (!this.#isClosed) this.#callHandler()
    return this.#head.promise
  }

  /** Whether the head has been written and no byte of the body, as by `res.flushHeaders()`. */
  get isHeadAlone(): boolean {
    return !this.#res.writableEnded && !this.#socket.hasChunks
  }

  /** Returns the body: an array if the response has ended, otherwise a stream. */
  async body(): Promise<Body> {
    if (this.#res.writableEnded && this.#socket.writableLength === 0) {
      // Everything has been written. `finish` follows in the next tick.
      while (!this.#isFinished && !this.#socket.destroyed) await this.#ready()
      if (this.#isFinished) {
        await this.close()
        return [concatBytes(this.#socket.takeAll().map(toBytes))]
      }
    }
    const iterator: AsyncIterator<Chunk> = { next: () => this.#next() }
    return { [Symbol.asyncIterator]: () => iterator, close: () => this.close() }
  }

  /** Ends the call, complete or not. Request and response emit `close`. */
  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#closing = this.#close()
    }
    // A listener of the events below may call this again.
    return this.#closing ?? Promise.resolve()
  }

  async #close(): Promise<void> {
    const closing = this.#inner?.close()
    this.#socket.destroy()
    if (this.#request.isOwn) {
      if (this.#isFinished) endUnread(this.#request.message)
      // With node:http a request whose client disconnects has this error, for those who listen.
      else this.#request.message.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    }
    this.#resume?.()
    await closing
    for (const error of this.#reported.splice(0)) throw error
  }

  // ------------------------------------------------------------ the handler

  #callHandler(): void {
    const handler = this.#handler
    let isPassed = false
    const next = (error?: unknown) => {
      // Express calls next('route') and next('router') to leave a route without an error.
      if (error !== undefined && error !== null && error !== 'route' && error !== 'router') {
        this.#refuse(error)
      } else if (!isPassed) {
        isPassed = true
        this.#passOn()
      }
    }
    try {
      const result = handler(this.#request.message, this.#res, next)
      if (isPromise(result)) Promise.resolve(result).catch((error: unknown) => this.#refuse(error))
    } catch (error) {
      this.#refuse(error)
    }
  }

  /**
   * Ends the call with the error of a handler. If it refuses the request, the response is written to the handler's
   * response, so that a log around the handler has its status.
   */
  #refuse(error: unknown): void {
    const refusal = this.#isAnswered ? undefined : refusalFor(error)
    if (refusal === undefined || this.#isRefused) this.#fail(error)
    else {
      this.#isRefused = true
      this.#run(refusal)
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#head.reject(error)
    this.#socket.notify()
  }

  // ------------------------------------------------------------ the application behind the handler

  #passOn(): void {
    try {
      this.#request.applyChanges()
    } catch (error) {
      this.#refuse(error)
      return
    }
    this.#run(this.#app)
  }

  #run(app: WSGIApplication): void {
    const exchange = new Exchange(this.#environ, {
      handleError(error) {
        throw error
      },
      reportError: (error) => this.#reported.push(error),
    })
    this.#inner = exchange
    const fail = (error: unknown) => this.#fail(error)
    try {
      const started = exchange.run(app)
      if (started === undefined) this.#send(exchange).catch(fail)
      else started.then(() => this.#send(exchange)).catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** Writes the response of the application to the handler's response. */
  async #send(exchange: Exchange): Promise<void> {
    const res = this.#res
    if (this.#isAnswered) return exchange.close()
    const { head, whole } = exchange
    res.statusCode = head.code
    res.statusMessage = head.reason
    this.#setHeaders(head.fields)
    if (whole !== undefined) res.end(whole)
    else {
      for (;;) {
        const chunk = await exchange.next()
        // The handler may have ended the response, for instance after a time-out.
        if (chunk === undefined || this.#isClosed || res.writableEnded) break
        const isTaken = res.write(chunk)
        // compression() adds it. Otherwise chunks would stay in its buffer.
        if ('flush' in res && typeof res.flush === 'function') res.flush()
        if (!isTaken) await this.#drained()
      }
      if (!this.#isClosed && !res.writableEnded) res.end()
    }
    await exchange.close()
  }

  /** Whether the handler has answered although it has called `next()`, or the client has disconnected. */
  get #isAnswered(): boolean {
    return this.#isClosed || this.#failure !== undefined || this.#res.headersSent || this.#res.writableEnded
  }

  /** Sets header fields. They replace the fields of the handler, except for cookies and Vary. */
  #setHeaders(fields: readonly string[]): void {
    const res = this.#res
    const values = new Map<string, { name: string; values: string[] }>()
    for (let at = 0; at < fields.length; at += 2) {
      const name = fields[at] ?? ''
      const key = name.toLowerCase()
      const field = values.get(key) ?? { name, values: COMBINED.has(key) ? presentValues(res, key) : [] }
      field.values.push(fields[at + 1] ?? '')
      values.set(key, field)
    }
    for (const [key, { name, values: list }] of values) {
      if (key === 'vary') res.setHeader(name, combinedVary(list))
      else res.setHeader(name, list.length === 1 ? (list[0] ?? '') : list)
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
      this.#res.once('drain', resolve)
    })
  }

  // ------------------------------------------------------------ the response

  #ready(): Promise<void> {
    return new Promise((resolve) => this.#socket.whenReady(resolve))
  }

  async #next(): Promise<IteratorResult<Chunk>> {
    for (;;) {
      const value = this.#socket.takeChunk()
      if (value !== undefined) return { done: false, value }
      if (this.#isFinished || this.#isClosed) return { done: true, value: undefined }
      if (this.#failure !== undefined) throw this.#failure.error
      if (this.#socket.destroyed) throw new Error('The handler destroyed its response before it was complete.')
      await this.#ready()
    }
  }

  #makeResponse(): ServerResponse {
    const req = this.#request.message
    const res = new http.ServerResponse(req)
    const socket = this.#socket
    res.sendDate = false
    // Own properties, because Express replaces the prototype. The server frames the body, so this response does not.
    // Until the head is written, node:http refuses a Trailer field without it; trailers are dropped.
    Object.defineProperty(res, 'chunkedEncoding', { get: () => !res.headersSent, set: () => undefined })
    Object.defineProperty(res, 'writableNeedDrain', { get: () => !res.writableEnded && socket.writableNeedDrain })
    // As in Express. Handlers around the application may have set `locals`.
    const outer: unknown = Reflect.get(req, 'res')
    if (typeof outer === 'object' && outer !== null && 'locals' in outer) {
      Object.assign(res, { locals: outer.locals })
    }
    Object.assign(req, { res })
    res.assignSocket(socket)
    socket.on('drain', () => {
      if (!res.writableEnded) res.emit('drain')
    })
    res.on('finish', () => {
      this.#isFinished = true
      if (!socket.hasHead) this.#fail(informationalStatus(res.statusCode))
      socket.notify()
    })
    // With node:http, res.destroy(error) affects the client only.
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      // The handler destroyed the response, or the client disconnected, before the head was sent.
      this.#head.reject(new Error('The handler destroyed its response before it had begun.'))
    })
    return res
  }
}

function informationalStatus(status: number): Error {
  return new Error(
    `A Connect handler ended its response with status ${status}, which no final response has. Answer upgrades with the event 'upgrade' of the server: (await serve(app)).server.on('upgrade', …).`,
  )
}

function presentValues(res: ServerResponse, name: string): string[] {
  return [res.getHeader(name) ?? []].flat().map(String)
}

/** Returns the names in several Vary fields, each once. */
function combinedVary(values: readonly string[]): string {
  const names = new Map<string, string>()
  for (const name of values.join(',').match(/[^\s,]+/g) ?? []) {
    const key = name.toLowerCase()
    if (!names.has(key)) names.set(key, name)
  }
  return [...names.values()].join(', ')
}

// ------------------------------------------------------------ errors that refuse a request

/**
 * Returns the response to an error with which a handler refuses a request: `status` (or `statusCode`) 400 to 499, as
 * body parsers throw it, or 503, as time-outs do, and optional `headers`. The response contains no detail of the error.
 *
 * @returns undefined if it has another status or none, or is an application (has a `wsgi` member).
 */
function refusalFor(error: unknown): WSGIApplication | undefined {
  const status = memberOf(error, 'status')
  const code = isRefusal(status) ? status : memberOf(error, 'statusCode')
  if (!isRefusal(code) || memberOf(error, 'wsgi') !== undefined) return undefined
  const headers = memberOf(error, 'headers')
  return refusal(code, pairsOf(headers))
}

function isRefusal(code: unknown): code is number {
  return code === 503 || (Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 499)
}

function pairsOf(headers: unknown): HeaderPair[] {
  if (typeof headers !== 'object' || headers === null) return []
  return Object.entries(headers)
    .filter(([name]) => !/^content-/i.test(name) || /^content-range$/i.test(name))
    .map(([name, value]): HeaderPair => [name, String(value)])
}
