/**
 * The options of `FrameworkApp`.
 *
 * @module
 */

import type { Logger } from '../controllers/application.ts'
import type { CrossSiteRule } from '../http/cross-site.ts'
import type { SessionOptions } from '../http/sessions/session-options.ts'
import type { Templates } from '../http/templating/eta.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RouteMap } from '../routing/register.ts'
import type { Environ, Middleware, WSGICallable } from '../wsgi/types.ts'
import type { ErrorPages } from './error-pages/exception-pages.ts'
import type { LanguageOptions } from './language-options.ts'
import type { ControllerRecord } from './loaded-controller.ts'
import type { MCPOptions } from './mcp/service.ts'
import type { OpenAPIOptions } from './openapi/document.ts'
import type { ProblemsOption } from './problems.ts'
import type { PublicFilesOption } from './public-files.ts'
import type { SocketRecord } from './sockets/socket-hooks.ts'

/** Options of `FrameworkApp`. */
export interface FrameworkAppOptions extends LanguageOptions {
  /** The routes. Applications cannot share a mapper. */
  readonly map: Mapper<unknown> | RouteMap
  /** A directory of controllers (`file:` URL or path), or a record of them by name. */
  readonly controllers: URL | string | ControllerRecord
  /** A directory of templates, a record of them, or a template engine. */
  readonly templates?: Templates
  /**
   * A directory of files that are served as they are: `public/app.css` at `/static/app.css`, and also at
   * `/app.css` unless a route matches. `{ directory, prefix: '/assets' }` sets the prefix. Requires a file system.
   */
  readonly public?: PublicFilesOption
  /** Whether to send error details to trusted hosts, and to reread templates. Default `false`. */
  readonly debug?: boolean
  /**
   * Hosts that the application serves: `'example.com'`, `'.example.org'` for a domain and its subdomains,
   * `'10.0.0.1'`, or `'*'` for any. Other hosts are 400. Default: every well-formed host. Debug mode sends error
   * details to local hosts and to hosts that this option lists by name.
   */
  readonly hosts?: readonly string[]
  /**
   * Receives errors and warnings: `console`, the default, or a logger of pino or winston. The Error and the id of the
   * request are in `LogDetails`.
   */
  readonly logger?: Logger
  /**
   * Called with every unexpected error after it was logged, for a service that collects errors. `environ` is
   * undefined for a promise that was rejected without a handler.
   */
  readonly onError?: (error: unknown, environ: Environ | undefined) => unknown
  /**
   * Returns true for an unexpected error of a server that cannot be used at present, such as the database: the
   * response is 503 with `Retry-After`. `isUnavailable` recognizes such errors of connections, PostgreSQL, SQLite
   * and Redis. Default: no error.
   */
  readonly unavailable?: (error: unknown) => boolean
  /**
   * Templates of error pages for browsers, by status: `{ 404: 'errors/404' }`. `it` has `status`, `statusLine`,
   * `title`, `explanation`, `detail`, and what the templates of actions have.
   */
  readonly errorPages?: ErrorPages
  /**
   * The form of errors for programs: `{ invalid: 422, schema, body: ({ title, errors }) => ({ … }) }`. Default:
   * problem details (RFC 9457) or text.
   */
  readonly problems?: ProblemsOption
  /**
   * Serves an OpenAPI 3.1 document of the actions in `static results`, at `/openapi.json`: `{ title: 'Books',
   * version: '1.0.0' }`. Default: none.
   */
  readonly openapi?: OpenAPIOptions
  /**
   * Serves the Model Context Protocol at `/mcp`, with the tools, resources and prompts that classes declare.
   * Default: none.
   */
  readonly mcp?: MCPOptions
  /** Enables `controller.session`: in a signed cookie, or with a `store` of `propylon/sessions`. */
  readonly session?: SessionOptions
  /**
   * The check of unsafe requests that a browser sends for a page of another site (by `Sec-Fetch-Site`, or else by
   * `Origin`). `'refuse'`, the default, responds with 403 before the body is read, unless the request has no
   * cookies and an `Authorization` with a token. A list of origins allows those, and `'allow'` turns the check
   * off. A controller allows its actions with `static crossSite = 'allow'`, or single ones with `{ action: 'allow'
   * }`; forms that other sites send to these cannot override the method.
   */
  readonly crossSite?: CrossSiteRule
  /**
   * WebSockets by path: `{ '/chat/{room}': ChatSocket }`, a class, of which each connection has an instance, or an
   * object of hooks. Requires the package crossws, and `serve()`, Bun or Deno.
   */
  readonly sockets?: SocketRecord
  /**
   * Time that a request may take, in milliseconds. `request.signal` is aborted then, and the response is 503 if
   * nothing has been sent. Event streams have no limit. Default: any time.
   */
  readonly requestTimeout?: number
  /**
   * Serves the requests that no route takes, and those for a controller or an action that does not exist:
   * `forwardTo('http://127.0.0.1:8000')`, or another application. It checks requests of other sites itself.
   * Default: they are 404 and 405.
   */
  readonly fallback?: WSGICallable
  /** Middleware around the application. The first is the outermost. */
  readonly middleware?: readonly Middleware[]
}

/** @throws TypeError - the value is not a mapper. */
export function requireMapper(map: object): Mapper<unknown> {
  if (isMapper(map)) return map
  throw new TypeError(
    `FrameworkApp received ${map === undefined ? 'no map' : 'a map that is not a Mapper'}. Pass the routes: new FrameworkApp({ map: new Mapper(), … })`,
  )
}

/** Returns true for a mapper, also one of another copy of this package. Its type may be {@link RouteMap}. */
export function isMapper(map: object | undefined): map is Mapper<unknown> {
  return map !== undefined && 'resolve' in map && typeof map.resolve === 'function'
}
