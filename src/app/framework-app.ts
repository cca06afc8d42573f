import type { Application, Logger } from '../controllers/application.ts'
import { ActionNotFound } from '../controllers/errors.ts'
import type { CrossSiteRule } from '../http/cross-site.ts'
import {
  HTTPBadRequest,
  type HTTPException,
  HTTPInternalServerError,
  HTTPNotFound,
} from '../http/exceptions.ts'
import type { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import { type Session, SessionCookies, type SessionOptions } from '../http/session.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes } from '../routing/types.ts'
import type { UrlGenerator } from '../routing/url.ts'
import type { TemplateEngine } from '../templating/engine.ts'
import { type Templates, templateEngine } from '../templating/eta.ts'
import { type ErrorReporting, unhandledRejectionText } from '../wsgi/errors.ts'
import { toFetch } from '../wsgi/fetch/index.ts'
import { hostOf, isHost } from '../wsgi/host.ts'
import { errorText, isDisconnect, isInstance } from '../wsgi/thrown.ts'
import type { Body, Environ, Middleware, StartResponse, WSGIApplication, WSGIObject } from '../wsgi/types.ts'
import { consoleLogger } from './console-logger.ts'
import { parameterFindings, routeFindings } from './diagnosis.ts'
import { Dispatcher } from './dispatcher.ts'
import { debugErrorPage } from './error-pages/debug-error.ts'
import { type ErrorPages, exceptionResponse } from './error-pages/own-pages.ts'
import { ControllerNotFound } from './errors.ts'
import { Hosts } from './hosts.ts'
import { safeLogger } from './logger.ts'
import { type ControllerRecord, ControllerRegistry } from './registry.ts'

/** What an application is made of. */
export interface FrameworkAppOptions {
  /** The routes. An application has a mapper of its own. */
  readonly map: Mapper<unknown>
  /** A directory of controllers (`file:` URL or path), or a record of them by name. */
  readonly controllers: URL | string | ControllerRecord
  /** A directory of templates, a record of them, or a template engine. */
  readonly templates?: Templates
  /** Shows developers their errors, and rereads templates. False when absent: nothing is revealed. */
  readonly debug?: boolean
  /**
   * The hosts that the application serves: `'example.com'`, `'.example.org'` for a domain and its subdomains, an address
   * such as `'10.0.0.1'` or `'[::1]'`, or `'*'` for any. Port and case are ignored. Another host is 400. Without the
   * option, every well-formed host is served.
   *
   * In debug mode, error pages are shown on `localhost`, `*.localhost`, `*.test`, loopback addresses and the hosts that
   * this option names; on other hosts, the pages are those of production.
   */
  readonly hosts?: readonly string[]
  /** Where errors are logged; `console` when absent. */
  readonly logger?: Logger
  /** Templates of the application's own error pages by status, for browsers: `{ 404: 'errors/404' }`. */
  readonly errorPages?: ErrorPages
  /** Turns `controller.session` on. */
  readonly session?: SessionOptions
  /**
   * How to treat an unsafe request (not GET, HEAD, OPTIONS or TRACE) that a browser sends for a page of another site:
   * one with `Sec-Fetch-Site: cross-site` or `same-site`, or without that header and with an `Origin` of another host.
   * `'refuse'`, the default, answers 403 before the body is read. A list of origins (`['https://app.example']`) allows
   * those. `'allow'` turns the check off. A controller allows single actions with
   * `static crossSite = { action: 'allow' }`; forms sent to these from other sites cannot override the method.
   */
  readonly crossSite?: CrossSiteRule
  /** Wrapped around the application, the first outermost. */
  readonly middleware?: readonly Middleware[]
}

/**
 * The application object: receives requests and dispatches them to controllers.
 *
 * It has three faces: {@link wsgi} for servers, middleware and tests; {@link fetch} for runtimes that speak
 * `Request` and `Response`; and `serve(app)` of `propylon/node`.
 *
 * @throws Error when the controllers' directory cannot be read.
 * @throws TypeError when an entry of `hosts` is malformed, or one of `crossSite` is not an origin.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper, WSGIController } from 'propylon'
 *
 * class HelloController extends WSGIController {
 *   index() {
 *     return 'Hello World'
 *   }
 * }
 *
 * const map = new Mapper().connect('/{controller}', { action: 'index' })
 * export default new FrameworkApp({ map, controllers: { hello: HelloController } })
 * ```
 */
export class FrameworkApp implements Application, WSGIObject, ErrorReporting {
  readonly mapper: Mapper<unknown>
  readonly debug: boolean
  /** Passes messages to the logger of the options. Its methods never throw: see {@link safeLogger}. */
  readonly logger: Logger
  readonly templates: TemplateEngine
  readonly controllers: ControllerRegistry
  /** The application for servers and middleware, bound. Unexpected errors escape it. */
  readonly wsgi: WSGIApplication
  /** The application as a fetch handler, bound. Errors become pages. */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>
  readonly #sessions: SessionCookies | undefined
  readonly #errorPages: ErrorPages
  readonly #hosts: Hosts
  readonly #dispatcher: Dispatcher

  constructor(options: FrameworkAppOptions) {
    this.mapper = options.map
    this.debug = options.debug ?? false
    this.logger = safeLogger(options.logger ?? consoleLogger)
    this.#hosts = new Hosts(options.hosts)
    this.templates = templateEngine(options.templates ?? {}, { debug: this.debug })
    this.#sessions = options.session === undefined ? undefined : new SessionCookies(options.session)
    this.#errorPages = options.errorPages ?? {}
    this.controllers = new ControllerRegistry(options.controllers)
    this.mapper.controllerScan = () => this.#rescan()
    this.controllers.scan()
    if (this.debug) this.#diagnose()
    this.#dispatcher = new Dispatcher(this, this.controllers, options.crossSite ?? 'refuse')
    const app = (options.middleware ?? []).reduceRight(
      (inner, middleware) => middleware(inner),
      this.#dispatcher.dispatch,
    )
    this.wsgi = (environ, start_response) => {
      const { HTTP_HOST: host } = environ
      if (host === undefined || host === '' || this.#hosts.serves(host)) return app(environ, start_response)
      return this.#refuseHost(host, environ, start_response)
    }
    this.fetch = toFetch(this)
  }

  /** Looks for controllers anew on the next request. `serve()` calls it on SIGHUP. */
  onHangup(): void {
    this.mapper._created_regs = false
  }

  /** A directory that cannot be read for a moment, as while a new one takes its place, costs no controller. */
  #rescan(): Iterable<string> {
    try {
      return this.controllers.scan()
    } catch (error) {
      this.logger.error(`The controllers stay as they are, since they cannot be scanned\n${errorText(error)}`)
      return this.controllers.names
    }
  }

  #diagnose(): void {
    for (const finding of routeFindings(this.mapper)) this.logger.warn(finding)
    this.controllers.onLoad = (name, controller) => {
      for (const finding of parameterFindings(this.mapper, name, controller)) this.logger.warn(finding)
    }
  }

  /** Before routes, controllers and middleware see the request: they build URLs and cache keys from its host. */
  #refuseHost(host: string, environ: Environ, start_response: StartResponse): Body {
    let detail = 'The Host field is malformed.'
    if (isHost(host)) {
      this.logger.warn(
        `${requestLine(environ)} was refused: the host "${host}" is not in hosts. To serve it: ${this.#hosts.optionWith(host)}`,
      )
      detail = this.debug
        ? `This application does not serve the host "${host}". To serve it, add it to hosts: ${this.#hosts.optionWith(host)}`
        : 'This application does not serve the requested host.'
    }
    return this.exceptionResponse(new HTTPBadRequest(detail), environ).send(environ, start_response)
  }

  /** Logs an error that escaped and answers the page to show: in debug mode the error itself. */
  handleError(error: unknown, environ: Environ): WSGIApplication {
    this.reportError(error, environ)
    if (this.showsDebugPage(environ)) {
      return debugErrorPage(error, environ, this.#dispatcher.routed(environ))
    }
    const isMissing = isInstance(error, ActionNotFound) || isInstance(error, ControllerNotFound)
    const exception = isMissing ? new HTTPNotFound() : new HTTPInternalServerError()
    return this.exceptionResponse(exception, environ).wsgi
  }

  /** Whether a page that shows source may be sent for a request. Logs why not if only the host prevents it. */
  showsDebugPage(environ: Environ): boolean {
    if (!this.debug) return false
    if (this.trustsHost(environ)) return true
    const host = hostOf(environ)
    this.logger.warn(
      `${requestLine(environ)} gets the page of production: the host "${host}" is not local, and another site may have its name point here. ` +
        `To see debug pages on it, name it: ${this.#hosts.optionWith(host)}`,
    )
    return false
  }

  /** Whether the host of a request may see source and reload pages: a local one, or one that `hosts` names. */
  trustsHost(environ: Environ): boolean {
    return this.#hosts.trusts(environ)
  }

  /** The response that a client gets for an HTTP exception: the application's own page where it has one. */
  exceptionResponse(exception: HTTPException, environ: Environ): Response {
    return exceptionResponse(exception, environ, this.#errorPages, this)
  }

  /** Logs an error: the request's method and path (without its query), and the stack with its causes. */
  reportError(error: unknown, environ: Environ): void {
    if (isDisconnect(error)) return
    this.logger.error(`${requestLine(environ)}\n${errorText(error)}`)
  }

  /** Logs the reason of a promise that was rejected without a handler. */
  reportUnhandledRejection(reason: unknown): void {
    this.logger.error(unhandledRejectionText(reason))
  }

  /** Whether requests have sessions: whether there is a secret to sign them with. */
  get keepsSessions(): boolean {
    return this.#sessions !== undefined
  }

  /** The session of a request. */
  openSession(request: Request): Session {
    if (this.#sessions === undefined) {
      throw new Error('Sessions need a secret: new FrameworkApp({ …, session: { secret } })')
    }
    return this.#sessions.open(request)
  }

  /** Sends the session along with a response when it has changed, or was read and its cookie is to be renewed. */
  saveSession(session: Session, response: Response): void {
    this.#sessions?.save(session, response)
  }

  /** The generator of URLs as a request sees them. */
  urlGenerator(environ: Environ): UrlGenerator<RegisteredRoutes> {
    return this.mapper.generator({
      scriptName: environ.SCRIPT_NAME,
      host: hostOf(environ),
      scheme: environ['wsgi.url_scheme'],
      match: environ['wsgiorg.routing_args']?.[1],
      query: environ.QUERY_STRING,
    })
  }
}

/** Method and path for a log, without the query. */
function requestLine(environ: Environ): string {
  const path = JSON.stringify(environ.SCRIPT_NAME + environ.PATH_INFO).slice(1, -1)
  return `${environ.REQUEST_METHOD} ${path}`
}
