/**
 * Converts Express-style handlers to applications and middleware.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { toApplication, withoutTransparent } from '../application.ts'
import { refusal } from '../refusal.ts'
import { isHopByHop, statusLine } from '../response-head.ts'
import type { Body, Environ, StartResponse, WSGIApplication, WSGICallable } from '../types.ts'
import { ConnectCall, type ConnectHandler } from './connect-call.ts'
import { CONNECT_REQUEST_KEY } from './connect-request.ts'
import type { ConnectHead } from './connect-socket.ts'
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
 * Handlers that follow each other in a list of middleware share one response, as in Connect.
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
  if (app !== undefined) return wrapped(handler, app)
  const alone = serving({ handlers: [handler], app: refusal(404) })
  // Two parameters: the registry of controllers takes a function without parameters for one that imports a module.
  function connected(environ: Environ, start_response: StartResponse): Promise<Body>
  function connected(app: WSGIApplication): WSGIApplication
  function connected(first: Environ | WSGIApplication, start_response?: StartResponse) {
    if (isApplication(first)) return wrapped(handler, first)
    if (start_response !== undefined) return alone(first, start_response)
    throw new TypeError('fromConnect(handler) is called with an application, or with (environ, start_response).')
  }
  return connected
}

/** Handlers that run one after the other, and the application behind them. */
interface Chain {
  readonly handlers: readonly ConnectHandler[]
  readonly app: WSGIApplication
}

/** The handlers of applications that can be joined with those around them. */
const chains = new WeakMap<WSGIApplication, Chain>()

function wrapped(handler: ConnectHandler, callable: WSGICallable): WSGIApplication {
  const behind = toApplication(callable)
  const inner = chains.get(withoutTransparent(behind)) ?? { handlers: [], app: behind }
  const chain: Chain = { handlers: [handler, ...inner.handlers], app: inner.app }
  const app = serving(chain)
  chains.set(app, chain)
  return app
}

function serving({ handlers, app }: Chain): (environ: Environ, start_response: StartResponse) => Promise<Body> {
  return async (environ, start_response) => {
    const call = new ConnectCall(environ, handlers, app)
    let head: ConnectHead
    try {
      head = await call.begin()
    } catch (error) {
      await call.close()
      throw error
    }
    try {
      const write = start_response(
        statusLine(head.status),
        head.headers.filter(([name]) => !isHopByHop(name)),
      )
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
