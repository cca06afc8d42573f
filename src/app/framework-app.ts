import {
  type Application,
  CONTEXT_KEY,
  type LogDetails,
  type Logger,
  type PageContext,
} from '../controllers/application.ts'
import { ActionNotFound } from '../controllers/errors.ts'
import type { TemplateContext } from '../controllers/template-context.ts'
import type { CrossSiteRule } from '../http/cross-site.ts'
import {
  HTTPBadRequest,
  type HTTPException,
  HTTPInternalServerError,
  HTTPNotFound,
  HTTPServiceUnavailable,
} from '../http/exceptions.ts'
import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes, RouteMap } from '../routing/register.ts'
import type { UrlGenerator } from '../routing/url.ts'
import { sessionsOf } from '../sessions/create.ts'
import type { SessionOptions } from '../sessions/options.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { SessionStoreError } from '../sessions/store.ts'
import type { TemplateEngine } from '../templating/engine.ts'
import { type Templates, templateEngine } from '../templating/eta.ts'
import { traced } from '../tracing/channels.ts'
import { type ErrorReporting, unhandledRejectionText } from '../wsgi/errors.ts'
import { toFetch } from '../wsgi/fetch/index.ts'
import { settle } from '../wsgi/promise.ts'
import { hostOf } from '../wsgi/request-url.ts'
import { errorText, isDisconnect, isInstance } from '../wsgi/thrown.ts'
import type { Body, Environ, Middleware, StartResponse, WSGIApplication, WSGIObject } from '../wsgi/types.ts'
import { parameterFindings, routeFindings } from './diagnosis.ts'
import { Dispatcher } from './dispatcher.ts'
import { debugErrorPage } from './error-pages/debug-error.ts'
import { withErrorPages } from './error-pages/inside-middleware.ts'
import { type ErrorPages, pageResponse, pageTemplate, renderedPageResponse } from './error-pages/own-pages.ts'
import { ControllerNotFound } from './errors.ts'
import { Hosts } from './hosts.ts'
import { sendingExceptions } from './http-exceptions.ts'
import { consoleLogger, safeLogger } from './logger.ts'
import { PublicFiles, type PublicFilesOption } from './public-files.ts'
import { type ControllerRecord, ControllerRegistry } from './registry.ts'
import { withTimeout } from './request-timeout.ts'
import { afterStartCheck } from './start-check.ts'
import { withTiming } from './timing.ts'

/** Key in the environ that makes the responses of debug mode those of production. TestApp sets it. */
const HIDES_ERRORS_KEY = 'propylon.hides_errors'

/** Options of {@link FrameworkApp}. */
export interface FrameworkAppOptions {
  /** The routes. Applications cannot share a mapper. */
  readonly map: Mapper<unknown> | RouteMap
  /** A directory of controllers (`file:` URL or path), or a record of them by name. */
  readonly controllers: URL | string | ControllerRecord
  /** A directory of templates, a record of them, or a template engine. */
  readonly templates?: Templates
  /**
   * A directory of files that are served as they are, such as stylesheets: `public/app.css` at `/static/app.css`, and also
   * at `/app.css` unless a route matches. `asset('app.css')` returns the URL. An object sets the prefix as well:
   * `{ directory, prefix: '/assets' }`. Requires a file system.
   */
  readonly public?: PublicFilesOption
  /** Whether to send error details to trusted hosts, and to reread templates. Default `false`. */
  readonly debug?: boolean
  /**
   * Hosts that the application serves: `'example.com'`, `'.example.org'` for a domain and its subdomains, an address
   * such as `'10.0.0.1'` or `'[::1]'`, or `'*'` for any. Port and case are ignored. Other hosts are 400. Default:
   * every well-formed host.
   *
   * In debug mode, error details are sent to `localhost`, `*.localhost`, `*.test`, loopback addresses and the hosts that
   * this option lists by name. Other hosts receive the responses of production.
   */
  readonly hosts?: readonly string[]
  /**
   * Receives errors and warnings: `console`, the default, or a logger of pino or winston. The Error and the id of the
   * request are in {@link LogDetails}.
   */
  readonly logger?: Logger
  /**
   * Called with every unexpected error after it was logged, for a service that collects errors. `environ` is undefined for
   * a promise that was rejected without a handler. An error of the hook itself is logged.
   */
  readonly onError?: (error: unknown, environ: Environ | undefined) => unknown
  /**
   * Templates of error pages for browsers, by status: `{ 404: 'errors/404' }`. `it` has `status`, `statusLine`, `title`,
   * `explanation`, `detail`, and what the templates of actions have: `c`, `url`, `request`, `session`, `asset` and `nonce`.
   */
  readonly errorPages?: ErrorPages
  /** Enables `controller.session`: in a signed cookie, or with a `store` of `propylon/sessions`. */
  readonly session?: SessionOptions
  /**
   * How to treat an unsafe request (not GET, HEAD, OPTIONS or TRACE) that a browser sends for a page of another site:
   * one with `Sec-Fetch-Site: cross-site` or `same-site`, or without that header and with an `Origin` of another host.
   * `'refuse'`, the default, responds with 403 before the body is read. A list of origins (`['https://app.example']`) allows
   * those. `'allow'` turns the check off. A controller allows single actions with
   * `static crossSite = { action: 'allow' }`; forms sent to these from other sites cannot override the method.
   */
  readonly crossSite?: CrossSiteRule
  /**
   * Time that a request may take, in milliseconds. `request.signal` is aborted then, and the response is 503 if nothing has
   * been sent. A response that has begun goes on, unless the action ends it at the signal. Event streams have no limit. Time
   * within `middleware` does not count. Default: any time.
   */
  readonly requestTimeout?: number
  /**
   * Middleware around the application. The first is the outermost. It sees the status and headers of every response,
   * error pages included, and may throw an HTTPException. Requests for hosts that are not served are refused before it.
   */
  readonly middleware?: readonly Middleware[]
}

/**
 * A web application: routes, controllers, templates and middleware.
 *
 * It can be called in three ways: {@link wsgi} by servers, middleware and tests; {@link fetch} in runtimes with
 * `Request` and `Response`; and `serve(app)` of `propylon/node`.
 *
 * @throws Error - the directory of controllers cannot be read, or that of public files does not exist.
 * @throws RangeError - `requestTimeout` is not a positive number of milliseconds.
 * @throws TypeError - `map` is not a mapper, an entry of `hosts` is malformed, or an entry of `crossSite` is not an origin.
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
  /** The WSGI application, bound. It throws unexpected errors. */
  readonly wsgi: WSGIApplication
  /** The fetch handler, bound. Unexpected errors become error pages. */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>
  /** Servers pass malformed requests to {@link wsgi}, which answers them with 400 within the middleware. */
  readonly answersMalformed = true
  readonly #sessions: Sessions | undefined
  readonly #errorPages: ErrorPages
  readonly #onError: FrameworkAppOptions['onError']
  readonly #hosts: Hosts
  readonly #publicFiles: PublicFiles | undefined
  readonly #dispatcher: Dispatcher
  readonly #requestTimeout: number | undefined
  readonly #shutdownCallbacks: (() => unknown)[] = []
  /** Error handling of the servers' requests. Undefined without middleware, which needs none. */
  #reportings: WeakMap<Environ, ErrorReporting> | undefined

  constructor(options: FrameworkAppOptions) {
    this.mapper = requireMapper(options.map)
    this.debug = options.debug ?? false
    this.logger = safeLogger(options.logger ?? consoleLogger)
    this.#hosts = new Hosts(options.hosts)
    this.templates = templateEngine(options.templates ?? {}, { debug: this.debug })
    this.#sessions = options.session === undefined ? undefined : sessionsOf(options.session)
    this.#errorPages = options.errorPages ?? {}
    this.#onError = options.onError
    this.#requestTimeout = options.requestTimeout
    this.controllers = new ControllerRegistry(options.controllers)
    this.mapper.controllerScan = () => this.#rescan()
    this.controllers.scan()
    if (this.debug) this.#diagnose()
    this.#publicFiles = options.public === undefined ? undefined : new PublicFiles(options.public, this)
    const crossSite = options.crossSite ?? 'refuse'
    this.#dispatcher = new Dispatcher(this, this.controllers, crossSite, this.#publicFiles, (...thrown) =>
      this.#sendException(...thrown),
    )
    const guarded = this.#hosts.guard(this.#wrap(options.middleware ?? []), (host, ...call) =>
      this.#refuseHost(host, ...call),
    )
    this.wsgi = traced(this.debug ? this.#withTiming(afterStartCheck(this, guarded)) : guarded)
    this.fetch = toFetch(this)
  }

  /**
   * Returns the application for a server: {@link wsgi}, except that unexpected errors become the pages of `reporting`
   * before they reach the middleware, which sees their status and headers.
   */
  servedWith(reporting: ErrorReporting): WSGIApplication {
    const reportings = this.#reportings
    if (reportings === undefined) return this.wsgi
    return (environ, start_response) => {
      reportings.set(environ, reporting)
      return this.wsgi(environ, start_response)
    }
  }

  #withTiming(app: WSGIApplication): WSGIApplication {
    return withTiming(
      app,
      (environ) => environ[HIDES_ERRORS_KEY] !== true && this.trustsHost(environ),
      (line) => this.logger.info(line),
    )
  }

  /** Returns the dispatcher and the public files in their middleware. */
  #wrap(middleware: readonly Middleware[]): WSGIApplication {
    const { dispatch } = this.#dispatcher
    const app = this.#limitTime(this.#publicFiles?.before(dispatch) ?? dispatch)
    if (middleware.length === 0) return app
    const reportings = new WeakMap<Environ, ErrorReporting>()
    this.#reportings = reportings
    // Also around each middleware, so that those outside of it see the page for its error.
    const paged = (inner: WSGIApplication) => withErrorPages(inner, (environ) => reportings.get(environ))
    return middleware.reduceRight(
      (inner, wrap) => sendingExceptions(wrap(paged(inner)), (...thrown) => this.#sendException(...thrown)),
      app,
    )
  }

  /** Returns an application whose requests end after the option `requestTimeout`. */
  #limitTime(app: WSGIApplication): WSGIApplication {
    const milliseconds = this.#requestTimeout
    if (milliseconds === undefined) return app
    return withTimeout(app, milliseconds, {
      respond: (environ) => this.exceptionResponse(new HTTPServiceUnavailable(), environ).wsgi,
      report: (error, environ) => this.reportError(error, environ),
    })
  }

  /** Scans for controllers on the next request. `serve()` calls it on SIGHUP. */
  onHangup(): void {
    this.mapper._created_regs = false
  }

  /**
   * Adds a callback that runs when the last server of the application has closed, on SIGTERM or by `close()`: after its
   * requests have ended. Close databases and queues there. The last callback that was added runs first, and servers wait for
   * the promises that they return. An error is logged, and the others run.
   *
   * @example
   * ```ts
   * import { FrameworkApp, Mapper } from 'propylon'
   *
   * const database = { async close() {} }
   * const app = new FrameworkApp({ map: new Mapper(), controllers: {} })
   * app.onShutdown(() => database.close())
   * ```
   */
  onShutdown(callback: () => unknown): void {
    this.#shutdownCallbacks.unshift(callback)
  }

  /** Runs the callbacks of {@link onShutdown}. `serve()` calls it when the last server of the application has closed. */
  async shutDown(): Promise<void> {
    for (const callback of this.#shutdownCallbacks) {
      try {
        await callback()
      } catch (error) {
        this.logger.error(`A callback of onShutdown() failed\n${errorText(error)}`, { err: error })
      }
    }
  }

  /** Keeps the known controllers if the directory cannot be read, for instance while a deployment replaces it. */
  #rescan(): Iterable<string> {
    try {
      return this.controllers.scan()
    } catch (error) {
      this.logger.error(`The controllers cannot be scanned; the known ones stay in use\n${errorText(error)}`)
      return this.controllers.names
    }
  }

  #diagnose(): void {
    for (const finding of routeFindings(this.mapper)) this.logger.warn(finding)
    this.controllers.onLoad = (name, controller) => {
      for (const finding of parameterFindings(this.mapper, name, controller)) this.logger.warn(finding)
    }
  }

  /** Refuses a host that is not served. */
  #refuseHost(host: string, environ: Environ, start_response: StartResponse): Body {
    this.logger.warn(
      `${requestLine(environ)} was refused: hosts does not list "${host}". To serve it: ${this.#hosts.optionWith(host)}`,
    )
    const detail = this.debug
      ? `This application does not serve the host "${host}". To serve it, add it to hosts: ${this.#hosts.optionWith(host)}`
      : 'This application does not serve the requested host.'
    return this.exceptionResponse(new HTTPBadRequest(detail), environ).send(environ, start_response)
  }

  /** Logs an unexpected error and returns its page: in debug mode, for trusted hosts, one that shows the error. */
  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    this.reportError(error, environ)
    if (this.showsErrors(environ)) {
      return debugErrorPage(error, environ, this.#dispatcher.routed(environ))
    }
    const isMissing = isInstance(error, ActionNotFound) || isInstance(error, ControllerNotFound)
    const exception = isMissing ? new HTTPNotFound() : new HTTPInternalServerError()
    const template = pageTemplate(exception, environ, this.#errorPages)
    if (template === undefined || !this.keepsSessions) return this.exceptionResponse(exception, environ).wsgi
    // Not saved: it may have changes of the action that failed.
    return this.#pageWithSession(template, exception, environ).then(({ response }) => response.wsgi)
  }

  /**
   * Returns true if the response to a request may contain error details: debug mode is on and the host is trusted. If
   * only the host prevents it, logs how to trust it.
   */
  showsErrors(environ: Environ): boolean {
    if (!this.debug || environ[HIDES_ERRORS_KEY] === true) return false
    if (this.trustsHost(environ)) return true
    const host = hostOf(environ)
    this.logger.warn(
      `${requestLine(environ)} receives no error details, because "${host}" is not a local host: another site could resolve its name to this machine. ` +
        `To send them to it, list it: ${this.#hosts.optionWith(host)}`,
    )
    return false
  }

  /**
   * Returns true if the host of a request is a local one, or one that `hosts` lists by name. Any other name could be that of
   * another site, resolved to this machine, so it receives neither source nor live reload, and no MCP in browsers.
   */
  trustsHost(environ: Environ): boolean {
    return this.#hosts.trusts(environ)
  }

  /** Returns the response for an HTTP exception: the application's page for its status, or the exception's own. */
  exceptionResponse(exception: HTTPException, environ: Environ, context?: PageContext): Response {
    const template = pageTemplate(exception, environ, this.#errorPages)
    if (template === undefined) return exception.toResponse(environ)
    return pageResponse(template, exception, environ, this, context ?? this.#pageContext(environ))
  }

  /** Sends the response for an HTTP exception that no controller has thrown. Its page may read the session. */
  #sendException(
    exception: HTTPException,
    environ: Environ,
    start_response: StartResponse,
  ): Body | Promise<Body> {
    const template = pageTemplate(exception, environ, this.#errorPages)
    if (template === undefined || !this.keepsSessions) {
      return this.exceptionResponse(exception, environ).send(environ, start_response)
    }
    return this.#sendPage(template, exception, environ, start_response)
  }

  async #sendPage(
    template: string,
    exception: HTTPException,
    environ: Environ,
    start_response: StartResponse,
  ): Promise<Body> {
    const { response, session } = await this.#pageWithSession(template, exception, environ)
    if (session === undefined) return response.send(environ, start_response)
    const headers = new Response()
    try {
      await this.saveSession(session, environ, headers)
    } catch (error) {
      if (!isInstance(error, HTTPServiceUnavailable)) this.reportError(error, environ)
    }
    return headers.mergeInto(response).send(environ, start_response)
  }

  /** Renders an error page with the session of the request: none if its store fails. */
  async #pageWithSession(template: string, exception: HTTPException, environ: Environ) {
    let session: Session | undefined
    try {
      await this.loadSession(environ)
      session = this.openSession(environ)
    } catch (error) {
      if (!isInstance(error, HTTPServiceUnavailable)) this.reportError(error, environ)
    }
    const context = this.#pageContext(environ)
    const application = {
      asset: (name: string) => this.asset(name, environ),
      keepsSessions: session !== undefined,
      logger: this.logger,
      templates: this.templates,
    }
    const response = await renderedPageResponse(template, exception, environ, application, context)
    return { response, session }
  }

  #pageContext(environ: Environ): PageContext {
    const app = this
    const c = environ[CONTEXT_KEY] ?? Object.create(null)
    return {
      c: c as TemplateContext,
      request: Request.of(environ),
      url: app.urlGenerator(environ),
      get session() {
        return app.openSession(environ)
      },
    }
  }

  /**
   * Logs an error with its stack and causes, and the method and path of the request, without the query. Passes it to the
   * option `onError`.
   *
   * @param procedure - name of the remote procedure that failed.
   */
  reportError(error: unknown, environ: Environ, procedure?: string): void {
    if (isDisconnect(error)) return
    const called = procedure === undefined ? '' : ` (${JSON.stringify(procedure)})`
    this.logger.error(`${requestLine(environ)}${called}\n${errorText(error)}`, detailsOf(error, environ))
    this.#callErrorHook(error, environ)
  }

  /** Logs the reason of a promise that was rejected without a handler, and passes it to the option `onError`. */
  reportUnhandledRejection(reason: unknown): void {
    this.logger.error(unhandledRejectionText(reason), { err: reason })
    this.#callErrorHook(reason, undefined)
  }

  #callErrorHook(error: unknown, environ: Environ | undefined): void {
    settle(
      () => this.#onError?.(error, environ),
      (failure) => this.logger.error(`onError failed\n${errorText(failure)}`, { err: failure }),
    )
  }

  /** Whether requests have sessions. */
  get keepsSessions(): boolean {
    return this.#sessions !== undefined
  }

  /**
   * Reads the session of a request from its store. Controllers find it read. Anywhere else, such as in an error page for a
   * path without a route, await this before {@link openSession}.
   *
   * @returns undefined if there is nothing to wait for.
   * @throws HTTPServiceUnavailable, as a rejection, if the store fails. Its error is logged.
   */
  loadSession(environ: Environ): Promise<void> | undefined {
    return this.#sessions?.load(environ)?.catch((error: unknown) => this.#failStore(error, environ))
  }

  /**
   * Returns the session of a request, the same one until it is saved.
   *
   * @throws Error - the application has no sessions, or {@link loadSession} was not called.
   */
  openSession(environ: Environ): Session {
    if (this.#sessions === undefined) {
      throw new Error(
        'The application has no sessions. Enable them with a secret: new FrameworkApp({ …, session: { secret } })',
      )
    }
    return this.#sessions.open(environ)
  }

  /**
   * Saves a session and ends its use. Adds its cookie to a response, and if it was used, `Vary: Cookie` and
   * `Cache-Control: private`.
   *
   * @returns undefined if there is nothing to wait for.
   * @throws HTTPServiceUnavailable, as a rejection, if the store fails. Its error is logged.
   * @throws RangeError - the values are too large. Thrown or as a rejection.
   */
  saveSession(session: Session, environ: Environ, response: Response): Promise<void> | undefined {
    const scriptName = this.#dispatcher.scriptName(environ)
    const saving = this.#sessions?.save(session, environ, scriptName, response)
    return saving?.catch((error: unknown) => this.#failStore(error, environ))
  }

  /** Logs the error of a store and throws the exception that is answered. */
  #failStore(error: unknown, environ: Environ): never {
    if (isInstance(error, SessionStoreError)) this.reportError(error.cause, environ)
    throw error
  }

  /**
   * Returns the URL of a public file with a fingerprint of its content, for instance `/static/app.css?v=0ff04eab32d1fdf1`.
   * Browsers keep the file for a year. In debug mode the fingerprint follows a change of the file at once; otherwise it
   * is computed once. Templates call `asset(name)`, which adds the mount point of the request.
   *
   * @param name - name of the file within the directory of public files, for instance `css/app.css`.
   * @param environ - a request, whose mount point the URL begins with. Without it the URL begins at the root.
   * @throws AssetNotFound - there is no such file.
   * @throws Error - the application has no public files.
   */
  asset(name: string, environ?: Environ): string {
    if (this.#publicFiles === undefined) {
      throw new Error(
        `asset(${JSON.stringify(name)}) was called, but the application has no public files. Name their directory: new FrameworkApp({ …, public: new URL('./public/', import.meta.url) })`,
      )
    }
    return this.#publicFiles.url(name, environ === undefined ? '' : this.#dispatcher.scriptName(environ))
  }

  /** Returns the URL generator for a request. */
  urlGenerator(environ: Environ): UrlGenerator<RegisteredRoutes> {
    return this.mapper.generator({
      scriptName: this.#dispatcher.scriptName(environ),
      host: hostOf(environ),
      scheme: environ['wsgi.url_scheme'],
      match: environ['wsgiorg.routing_args']?.[1],
      query: environ.QUERY_STRING,
    })
  }
}

/** @throws TypeError - the value is not a mapper. */
function requireMapper(map: object): Mapper<unknown> {
  if (isMapper(map)) return map
  throw new TypeError(
    `FrameworkApp received ${map === undefined ? 'no map' : 'a map that is not a Mapper'}. Pass the routes: new FrameworkApp({ map: new Mapper(), … })`,
  )
}

/** Returns true for a mapper, also one of another copy of this package. Its type may be {@link RouteMap}. */
function isMapper(map: object | undefined): map is Mapper<unknown> {
  return map !== undefined && 'resolve' in map && typeof map.resolve === 'function'
}

function detailsOf(err: unknown, environ: Environ): LogDetails {
  const { REQUEST_METHOD: method, SCRIPT_NAME, PATH_INFO, 'propylon.request_id': requestId } = environ
  const details = { err, method, path: SCRIPT_NAME + PATH_INFO }
  return requestId === undefined ? details : { ...details, requestId }
}

/** Returns method and path for a log, without the query. */
function requestLine(environ: Environ): string {
  const path = JSON.stringify(environ.SCRIPT_NAME + environ.PATH_INFO).slice(1, -1)
  return `${environ.REQUEST_METHOD} ${path}`
}
