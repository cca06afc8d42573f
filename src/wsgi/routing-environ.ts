/**
 * Environs without header fields, which are read when the application may see them.
 *
 * Reading all fields costs Bun and Deno more than the response to a small request, and most actions need none. Code that
 * dispatches a request therefore has a {@link RoutingEnviron}. It must call {@link fillEnviron} to obtain the
 * {@link Environ} that applications, middleware and hooks receive: without the call it does not compile.
 *
 * @module
 */
import type { Body, Environ, ServerConnection, StartResponse, WSGIApplication } from './types.ts'

/** Key of the method of a connection that reads the header fields. */
export const FILL: unique symbol = Symbol('propylon.fill')

/**
 * The keys of an environ that can be read before its header fields are. HTTP_HOST is always there, because it is checked
 * before anything is dispatched.
 */
export interface RoutingEnviron
  extends Pick<
    Environ,
    | 'REQUEST_METHOD'
    | 'SCRIPT_NAME'
    | 'PATH_INFO'
    | 'QUERY_STRING'
    | 'REQUEST_URI'
    | 'SERVER_NAME'
    | 'SERVER_PORT'
    | 'wsgi.url_scheme'
    | 'wsgiorg.routing_args'
    | 'propylon.action'
    | 'propylon.malformed'
    | 'propylon.route'
  > {
  HTTP_HOST?: string | undefined
  'propylon.connection'?: FillingConnection
  [key: `propylon.${string}`]: unknown
}

/** The server's side of a request whose header fields may not have been read. */
interface FillingConnection extends ServerConnection {
  /** Adds the header fields to the environ of the request. Only the first call has an effect. */
  [FILL]?(): void
}

/** An application that reads only the keys of a {@link RoutingEnviron}, and fills it for all others. */
export type RoutingApplication = (
  environ: RoutingEnviron,
  start_response: StartResponse,
) => Body | Promise<Body>

/** Adds the header fields and the client's address to an environ that lacks them. Returns the same object. */
export function fillEnviron(environ: RoutingEnviron): Environ {
  environ['propylon.connection']?.[FILL]?.()
  // Servers create whole environs. Only the header fields can be missing, and they have been added.
  return environ as Environ
}

const routing = new WeakMap<WSGIApplication, RoutingApplication>()

/** Allows servers to call an application without the header fields. Returns the same function. */
export function acceptRouting(app: RoutingApplication): WSGIApplication {
  routing.set(app, app)
  return app
}

/** Returns an application that fills the environ for `app`, or `app` itself if {@link acceptRouting} was called for it. */
export function fillingFor(app: WSGIApplication): RoutingApplication {
  return routing.get(app) ?? ((environ, start_response) => app(fillEnviron(environ), start_response))
}
