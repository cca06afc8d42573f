/**
 * `FrameworkApp`: creates an application from its options, and serves requests with it.
 *
 * @module
 */

import { captureLongStacks } from '../base/stack.ts'
import { errorText, isInstance } from '../base/thrown.ts'
import type { Application, Logger, PageContext } from '../controllers/application.ts'
import { ActionNotFound } from '../controllers/errors.ts'
import { traced } from '../controllers/tracing/channels.ts'
import {
  HTTPBadRequest,
  type HTTPException,
  HTTPInternalServerError,
  HTTPNotFound,
  HTTPServiceUnavailable,
} from '../http/exceptions.ts'
import type { Response } from '../http/response.ts'
import { sessionsOf } from '../http/sessions/create.ts'
import type { Session } from '../http/sessions/session.ts'
import type { Sessions } from '../http/sessions/sessions.ts'
import { SessionStoreError } from '../http/sessions/store.ts'
import type { TemplateEngine } from '../http/templating/engine.ts'
import { templateEngine } from '../http/templating/eta.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes, RouteMap } from '../routing/register.ts'
import type { UrlGenerator } from '../routing/url.ts'
import { toApplication } from '../wsgi/application.ts'
import type { ErrorReporting } from '../wsgi/error-reporting.ts'
import { toFetch } from '../wsgi/fetch/index.ts'
import { hostOf } from '../wsgi/request-url.ts'
import type { Body, Environ, Middleware, StartResponse, WSGIApplication, WSGIObject } from '../wsgi/types.ts'
import { parameterFindings, routeFindings } from './diagnosis.ts'
import { Dispatcher } from './dispatcher.ts'
import { debugErrorPage } from './error-pages/debug-error.ts'
import { ExceptionPages } from './error-pages/exception-pages.ts'
import { withErrorPages } from './error-pages/inside-middleware.ts'
import { ErrorReports, requestLine } from './error-reports.ts'
import { checkNames, type FrameworkAppOptions } from './framework-app-options.ts'
import { Hosts } from './hosts.ts'
import { sendingExceptions } from './http-exceptions.ts'
import { ControllerNotFound } from './loading-errors.ts'
import { consoleLogger, safeLogger } from './logger.ts'
import type { OpenAPIDocument } from './openapi/document.ts'
import { OpenAPIService } from './openapi-service.ts'
import { PublicFiles } from './public-files.ts'
import { ControllerRegistry } from './registry.ts'
import { withTimeout } from './request-timeout.ts'
import { withTiming } from './timing.ts'
import { type Unavailability, unavailability } from './unavailability.ts'

/** Key in the environ that makes the responses of debug mode as in production. TestApp sets it. */
const HIDES_ERRORS_KEY = 'propylon.hides_errors'

/**
 * A web application: routes, controllers, templates and middleware.
 *
 * It can be called in three ways: {@link wsgi} by servers, middleware and tests; {@link fetch} in runtimes with
 * `Request` and `Response`; and `serve(app)` of `propylon/node`.
 *
 * @throws Error - the directory of controllers cannot be read, or the directory of public files does not exist.
 * @throws RangeError - `requestTimeout` is not a positive number of milliseconds.
 * @throws TypeError - an option does not exist, `map` is not a mapper, an entry of `hosts` is malformed, or an entry of `crossSite` is not an origin.
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
  /** Returns the exception in place of an unexpected error for which the option `unavailable` returns true. */
  readonly unavailability: Unavailability
  readonly controllers: ControllerRegistry
  /** The WSGI application, bound. It throws unexpected errors. */
  readonly wsgi: WSGIApplication
  /** The fetch handler, bound. Unexpected errors become error pages. */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>
  /** Servers pass malformed requests to {@link wsgi}, which answers them with 400 within the middleware. */
  readonly answersMalformed = true
  readonly #sessions: Sessions | undefined
  readonly #pages: ExceptionPages
  readonly #reports: ErrorReports
  readonly #hosts: Hosts
  readonly #publicFiles: PublicFiles | undefined
  readonly #openapi: OpenAPIService | undefined
  readonly #dispatcher: Dispatcher
  readonly #requestTimeout: number | undefined
  readonly #shutdownCallbacks: (() => unknown)[] = []
  /** Error handling of the servers' requests. Undefined without middleware, which needs none. */
  #reportings: WeakMap<Environ, ErrorReporting> | undefined

  constructor(options: FrameworkAppOptions) {
    checkNames(options)
    this.mapper = requireMapper(options.map)
    this.debug = options.debug ?? false
    this.logger = safeLogger(options.logger ?? consoleLogger)
    this.#hosts = new Hosts(options.hosts)
    this.templates = templateEngine(options.templates ?? {}, { debug: this.debug })
    this.#sessions = options.session === undefined ? undefined : sessionsOf(options.session)
    this.#pages = new ExceptionPages(options.errorPages ?? {}, this)
    this.#reports = new ErrorReports(this.logger, options.onError)
    this.unavailability = unavailability(options.unavailable, this.logger)
    this.#requestTimeout = options.requestTimeout
    this.controllers = new ControllerRegistry(options.controllers)
    this.mapper.controllerScan = () => this.#rescan()
    this.controllers.scan()
    if (this.debug) {
      captureLongStacks()
      this.#diagnose()
    }
    this.#publicFiles = options.public === undefined ? undefined : new PublicFiles(options.public, this)
    this.#openapi = options.openapi === undefined ? undefined : new OpenAPIService(options.openapi, this)
    this.#dispatcher = new Dispatcher(this, this.controllers, {
      crossSite: options.crossSite ?? 'refuse',
      publicFiles: this.#publicFiles,
      fallback: options.fallback === undefined ? undefined : toApplication(options.fallback),
      sendException: (...thrown) => this.#pages.send(...thrown),
    })
    const guarded = this.#hosts.guard(this.#wrap(options.middleware ?? []), (host, ...call) =>
      this.#refuseHost(host, ...call),
    )
    const app = this.debug ? this.#withTiming(guarded) : guarded
    this.wsgi = traced(app)
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
    const files = this.#publicFiles?.before(dispatch, this.#dispatcher.fallback) ?? dispatch
    const app: WSGIApplication = this.#limitTime(this.#openapi?.before(files) ?? files)
    if (middleware.length === 0) return app
    const reportings = new WeakMap<Environ, ErrorReporting>()
    this.#reportings = reportings
    // Also around each middleware, so that those outside of it see the page for its error.
    const paged = (inner: WSGIApplication) => withErrorPages(inner, (environ) => reportings.get(environ))
    const wrapped = middleware.reduceRight<WSGIApplication>(
      (inner, wrap) => sendingExceptions(wrap(paged(inner)), (...thrown) => this.#pages.send(...thrown)),
      app,
    )
    return wrapped
  }

  /** Returns an application whose requests end after the option `requestTimeout`. */
  #limitTime(app: WSGIApplication): WSGIApplication {
    const milliseconds = this.#requestTimeout
    if (milliseconds === undefined) return app
    const limited = withTimeout(app, milliseconds, {
      respond: (environ) => this.exceptionResponse(new HTTPServiceUnavailable(), environ).wsgi,
      report: (error, environ) => this.reportError(error, environ),
    })
    return limited
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

  /**
   * Returns the OpenAPI document of the application. Loads the controllers that routes name.
   *
   * @returns undefined if the application lacks the option `openapi`.
   * @throws ControllerLoadError, as a rejection, if a controller does not load.
   *
   * @example
   * ```ts
   * import { FrameworkApp, Mapper } from 'propylon'
   *
   * const app = new FrameworkApp({ map: new Mapper(), controllers: {}, openapi: { title: 'Books', version: '1.0.0' } })
   * console.log((await app.openapi())?.info.title) // Books
   * ```
   */
  async openapi(): Promise<OpenAPIDocument | undefined> {
    return this.#openapi?.document()
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
      try {
        for (const finding of parameterFindings(this.mapper, name, controller)) this.logger.warn(finding)
      } catch (error) {
        // A declaration of the class is wrong. Requests to the controller are answered with the same error.
        this.logger.warn(errorText(error))
      }
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
    const exception = isMissing
      ? new HTTPNotFound()
      : (this.unavailability(error) ?? new HTTPInternalServerError())
    return this.#pages.inPlaceOfError(exception, environ)
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
   * Returns true if the host of a request is a local one, or one that `hosts` lists by name. Any other name could belong to
   * another site, resolved to this machine, so it receives neither source nor live reload, and no MCP in browsers.
   */
  trustsHost(environ: Environ): boolean {
    return this.#hosts.trusts(environ)
  }

  /** Returns the response for an HTTP exception: the application's page for its status, or the exception's own. */
  exceptionResponse(exception: HTTPException, environ: Environ, context?: PageContext): Response {
    return this.#pages.response(exception, environ, context)
  }

  /**
   * Logs an error with its stack and causes, and the method and path of the request, without the query. Passes it to the
   * option `onError`.
   *
   * @param procedure - name of the remote procedure that failed.
   */
  reportError(error: unknown, environ: Environ, procedure?: string): void {
    this.#reports.report(error, environ, procedure)
  }

  /** Logs the reason of a promise that was rejected without a handler, and passes it to the option `onError`. */
  reportUnhandledRejection(reason: unknown): void {
    this.#reports.reportUnhandledRejection(reason)
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
