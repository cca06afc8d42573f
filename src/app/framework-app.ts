/**
 * `FrameworkApp`: creates an application from its options, and serves requests with it.
 *
 * @module
 */

import { settle } from '../base/promise.ts'
import { captureLongStacks } from '../base/stack.ts'
import { errorText, isInstance } from '../base/thrown.ts'
import type { Application, Logger, PageContext } from '../controllers/application.ts'
import { ActionNotFound } from '../controllers/controller-errors.ts'
import type { Translate } from '../controllers/message-types.ts'
import { traced } from '../controllers/tracing/channels.ts'
import {
  type HTTPException,
  HTTPInternalServerError,
  HTTPNotFound,
  HTTPServiceUnavailable,
} from '../http/exceptions.ts'
import type { Catalog } from '../http/messages/catalogs/catalog.ts'
import { NO_MESSAGES } from '../http/messages/translation.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import type { TemplateEngine } from '../http/templating/engine.ts'
import { templateEngine } from '../http/templating/eta.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes } from '../routing/register.ts'
import type { UrlGenerator } from '../routing/url.ts'
import { toApplication } from '../wsgi/application.ts'
import type { ErrorReporting } from '../wsgi/error-reporting.ts'
import { type BunSockets, bunSockets } from '../wsgi/fetch/bun-sockets.ts'
import { toFetch } from '../wsgi/fetch/to-fetch.ts'
import { hostOf } from '../wsgi/request-url.ts'
import type { Environ, Middleware, WSGIApplication, WSGIObject } from '../wsgi/types.ts'
import { ApplicationSessions } from './application-sessions.ts'
import { diagnose } from './diagnosis.ts'
import { Dispatcher } from './dispatcher.ts'
import { ErrorDetails } from './error-details.ts'
import { ExceptionPages } from './error-pages/exception-pages.ts'
import { ErrorReports } from './error-reports.ts'
import { checkNames, type FrameworkAppOptions, requireMapper } from './framework-app-options.ts'
import { Hosts } from './hosts.ts'
import type { SendException } from './http-exceptions.ts'
import { MESSAGES } from './language-options.ts'
import { type Languages, languagesOf } from './languages.ts'
import { ControllerNotFound } from './loading-errors.ts'
import { consoleLogger, safeLogger } from './logger.ts'
import { MCPService } from './mcp-service.ts'
import { MiddlewareStack } from './middleware-stack.ts'
import type { OpenAPIDocument } from './openapi/document.ts'
import { OpenAPIService } from './openapi-service.ts'
import { PublicFiles } from './public-files.ts'
import { ControllerRegistry } from './registry.ts'
import { type TimeoutHandling, withTimeout } from './request-timeout.ts'
import { Sockets } from './sockets/sockets.ts'
import { withTiming } from './timing.ts'
import { type Unavailability, unavailability } from './unavailability.ts'

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
  readonly #sessions: ApplicationSessions
  readonly #languages: Languages | undefined
  readonly #pages: ExceptionPages
  readonly #reports: ErrorReports
  readonly #hosts: Hosts
  readonly #details: ErrorDetails
  readonly #publicFiles: PublicFiles | undefined
  readonly #openapi: OpenAPIService | undefined
  readonly #mcp: MCPService | undefined
  readonly #sockets: Sockets | undefined
  readonly #dispatcher: Dispatcher
  readonly #middleware: MiddlewareStack
  readonly #shutdownCallbacks: (() => unknown)[] = []

  constructor(options: FrameworkAppOptions) {
    checkNames(options)
    this.mapper = requireMapper(options.map)
    this.debug = options.debug ?? false
    this.logger = safeLogger(options.logger ?? consoleLogger)
    this.#hosts = new Hosts(options.hosts)
    this.#details = new ErrorDetails(this.debug, this.#hosts, this.logger)
    this.templates = templateEngine(options.templates ?? {}, { debug: this.debug })
    this.#sessions = new ApplicationSessions(options.session, (...failed) => this.reportError(...failed))
    this.#languages = languagesOf(options, this)
    this.#pages = new ExceptionPages(options.errorPages ?? {}, this, this.#languages)
    this.#reports = new ErrorReports(this.logger, options.onError)
    this.unavailability = unavailability(options.unavailable, this.logger)
    this.controllers = new ControllerRegistry(options.controllers)
    this.mapper.controllerScan = () => this.controllers.rescan(this.logger)
    this.controllers.scan()
    if (this.debug) {
      captureLongStacks()
      diagnose(this.mapper, this.controllers, this.logger, this.#languages?.routeArguments ?? [])
    }
    this.#publicFiles = options.public === undefined ? undefined : new PublicFiles(options.public, this)
    this.#openapi = options.openapi === undefined ? undefined : new OpenAPIService(options.openapi, this)
    const crossSite = options.crossSite ?? 'refuse'
    const sendException: SendException = (...thrown) => this.#pages.send(...thrown)
    this.#sockets =
      options.sockets === undefined
        ? undefined
        : new Sockets(options.sockets, this, { crossSite, sendException })
    this.#dispatcher = new Dispatcher(this, this.controllers, {
      crossSite,
      publicFiles: this.#publicFiles,
      fallback: options.fallback === undefined ? undefined : toApplication(options.fallback),
      sendException,
    })
    this.#mcp =
      options.mcp === undefined ? undefined : new MCPService(options.mcp, this, crossSite, sendException)
    const { middleware = [] } = options
    this.#middleware = new MiddlewareStack(
      this.debug ? [this.#timing, ...middleware] : middleware,
      sendException,
    )
    this.wsgi = traced(this.#served(options))
    this.fetch = toFetch(this)
  }

  /**
   * Returns the application for a server: {@link wsgi}, except that unexpected errors become the pages of `reporting`
   * before they reach the middleware, which sees their status and headers.
   */
  servedWith(reporting: ErrorReporting): WSGIApplication {
    return this.#middleware.reportingTo(reporting, this.wsgi)
  }

  /** Returns the dispatcher in everything that surrounds it, innermost first. */
  #served({ requestTimeout }: FrameworkAppOptions): WSGIApplication {
    const { dispatch, fallback } = this.#dispatcher
    const described = this.#languages?.describing(dispatch) ?? dispatch
    const files = this.#publicFiles?.before(described, fallback) ?? described
    const documented = this.#openapi?.before(files) ?? files
    const callable = this.#mcp?.before(documented) ?? documented
    const inner = this.#sockets?.before(callable) ?? callable
    const limited =
      requestTimeout === undefined ? inner : withTimeout(inner, requestTimeout, this.#timeoutHandling())
    const wrapped = this.#middleware.around(limited)
    const guarded = this.#hosts.guard(
      this.#mcp?.withChallenges(wrapped) ?? wrapped,
      (host, environ, start_response) =>
        this.exceptionResponse(this.#details.hostRefusal(host, environ), environ).send(
          environ,
          start_response,
        ),
    )
    return this.#languages?.around(guarded) ?? guarded
  }

  /** Times the requests of debug mode. As a middleware, it sees the status of error pages. */
  readonly #timing: Middleware = (app) =>
    withTiming(
      app,
      (environ) => this.#details.areWanted(environ) && this.trustsHost(environ),
      (line) => this.logger.info(line),
    )

  #timeoutHandling(): TimeoutHandling {
    return {
      respond: (environ) => this.exceptionResponse(new HTTPServiceUnavailable(), environ).wsgi,
      report: (error, environ) => this.reportError(error, environ),
    }
  }

  /** Path of the server for the Model Context Protocol. Undefined if the application lacks the option `mcp`. */
  get mcpPath(): string | undefined {
    return this.#mcp?.path
  }

  /** Path of the OpenAPI document. Undefined if the application lacks the option `openapi`. */
  get openapiPath(): string | undefined {
    return this.#openapi?.path
  }

  /** Whether the application has the option `sockets`. Servers offer it to switch connections to WebSockets then. */
  get acceptsUpgrades(): boolean {
    return this.#sockets !== undefined
  }

  /** Names of the classes of WebSockets by path, null for an object of hooks. Empty without the option `sockets`. */
  get socketClasses(): ReadonlyMap<string, string | null> {
    return this.#sockets?.classes ?? new Map()
  }

  /**
   * The option `websocket` of `Bun.serve()`, for the option `sockets`.
   *
   * @throws Error - the application has no sockets, crossws is not installed, or the runtime is not Bun.
   *
   * @example
   * ```ts
   * import { FrameworkApp, Mapper, type SocketMessage, type SocketPeer } from 'propylon'
   *
   * const echo = { message: (peer: SocketPeer, message: SocketMessage) => peer.send(message.text()) }
   * const app = new FrameworkApp({ map: new Mapper(), controllers: {}, sockets: { '/echo': echo } })
   * // On Bun: Bun.serve({ fetch: app.fetch, websocket: app.websocket })
   * ```
   */
  get websocket(): BunSockets {
    if (this.#sockets !== undefined) return bunSockets(this.#sockets.maxMessage)
    throw new Error(
      "The application has no sockets. Set them: new FrameworkApp({ …, sockets: { '/chat': … } })",
    )
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

  /**
   * Closes WebSockets with 1001, and runs the callbacks of {@link onShutdown}. `serve()` calls it when the last server of the
   * application has closed.
   */
  async shutDown(): Promise<void> {
    await this.#sockets?.close()
    for (const callback of this.#shutdownCallbacks) {
      const report = (err: unknown) =>
        this.logger.error(`A callback of onShutdown() failed\n${errorText(err)}`, { err })
      await settle(callback, report)
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

  /** Logs an unexpected error and returns its page: in debug mode, for trusted hosts, one that shows the error. */
  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    this.reportError(error, environ)
    if (this.showsErrors(environ)) {
      const routed = this.#dispatcher.routed(environ)
      // Loaded on first use, because production never shows the page.
      return import('./error-pages/debug-error.ts').then(({ debugErrorPage }) =>
        debugErrorPage(error, environ, routed),
      )
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
    return this.#details.shows(environ)
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

  /** The messages of each language, the default first. Undefined if the application has none. */
  get [MESSAGES](): readonly Catalog[] | undefined {
    return this.#languages?.messages.catalogs
  }

  /**
   * Returns a function that returns messages in a language, for mails and other work outside of requests.
   *
   * @param language - one of the option `languages`. Any other is replaced by the first of them.
   * @throws Error - the application has no messages.
   *
   * @example
   * ```ts
   * import { FrameworkApp, Mapper } from 'propylon'
   *
   * const messages = { en: { greeting: 'Hello, {name}!' }, de: { greeting: 'Hallo, {name}!' } }
   * const app = new FrameworkApp({ map: new Mapper(), controllers: {}, messages, languages: ['en', 'de'] })
   * const t = app.translator('de')
   * console.log(t('greeting', { name: 'Ann' })) // Hallo, Ann!
   * ```
   */
  translator(language: string): Translate {
    const messages = this.#languages?.messages
    if (messages === undefined) throw new Error(NO_MESSAGES)
    return (key, ...[values]) => messages.text(language, key, values)
  }

  /** Whether requests have sessions. */
  get keepsSessions(): boolean {
    return this.#sessions.areKept
  }

  /**
   * Reads the session of a request from its store. Controllers find it read. Anywhere else, such as in an error page for a
   * path without a route, await this before {@link openSession}.
   *
   * @returns undefined if there is nothing to wait for.
   * @throws HTTPServiceUnavailable, as a rejection, if the store fails. Its error is logged.
   */
  loadSession(environ: Environ): Promise<void> | undefined {
    return this.#sessions.load(environ)
  }

  /**
   * Returns the session of a request, the same one until it is saved.
   *
   * @throws Error - the application has no sessions, or {@link loadSession} was not called.
   */
  openSession(environ: Environ): Session {
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
    return this.#sessions.save(session, environ, this.#dispatcher.scriptName(environ), response)
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
