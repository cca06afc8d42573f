/**
 * `FrameworkApp`: creates an application from its options, and serves requests with it.
 *
 * @module
 */
import { settle } from '../base/promise.ts'
import { captureLongStacks } from '../base/stack.ts'
import { checkNames } from '../base/suggest.ts'
import { errorText, isDisconnect } from '../base/thrown.ts'
import {
  type Application,
  EXCEPTION_RESPONSE,
  type Logger,
  type OpenAPIDocument,
  type PageContext,
} from '../controllers/application.ts'
import { requireToolNames } from '../controllers/describe.ts'
import type { Translate } from '../controllers/message-types.ts'
import { traced } from '../controllers/tracing/channels.ts'
import type { HTTPException } from '../http/http-exception.ts'
import type { Catalog } from '../http/languages/catalog.ts'
import { NO_MESSAGES } from '../http/languages/translation.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import { Sessions } from '../http/sessions/sessions.ts'
import type { TemplateEngine } from '../http/templating/engine.ts'
import { EtaEngine, templateEngine } from '../http/templating/eta.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes } from '../routing/register.ts'
import type { Route } from '../routing/route.ts'
import type { UrlGenerator } from '../routing/url.ts'
import { toApplication } from '../wsgi/application.ts'
import { type ErrorReporting, unhandledRejectionText } from '../wsgi/error-reporting.ts'
import { type BunSockets, bunSockets } from '../wsgi/fetch/fetch-upgrade.ts'
import { toFetch } from '../wsgi/fetch/to-fetch.ts'
import { MALFORMED_KEY } from '../wsgi/refusal.ts'
import { hostOf } from '../wsgi/request-url.ts'
import type { Environ, ErrorForm, Middleware, WSGIApplication, WSGIObject } from '../wsgi/types.ts'
import { refusedOrigins } from './cross-site.ts'
import { developmentLog } from './development-log.ts'
import { diagnose } from './diagnosis.ts'
import { Dispatcher } from './dispatcher.ts'
import { ExceptionPages } from './error-pages/exception-pages.ts'
import { sendingExceptions, withErrorPages } from './error-pages/inside-middleware.ts'
import { type FrameworkAppOptions, requireMapper } from './framework-app-options.ts'
import { Hosts } from './hosts.ts'
import { type Languages, languagesOf, MESSAGES } from './languages.ts'
import { consoleLogger, detailsOf, type ErrorHook, reportText, safeLogger } from './logger.ts'
import { MCPService } from './mcp/service.ts'
import type { OpenAPIOptions } from './openapi/document.ts'
import { OpenAPIService } from './openapi-service.ts'
import { Problems } from './problems.ts'
import { PublicFiles } from './public-files.ts'
import { ControllerRegistry } from './registry.ts'
import { withTimeout } from './request-timeout.ts'
import { Sockets } from './sockets/sockets.ts'
import { type Unavailability, unavailability } from './unavailable.ts'

/** Key of an application for the options that `propylon check` compares with its controllers. */
export const CHECKED_OPTIONS: unique symbol = Symbol('propylon.checkedOptions')

/**
 * The class of applications. `FrameworkApp` of `checked-app.ts` documents it, and checks the controllers of a record.
 */
export class FrameworkApp implements Application, WSGIObject, ErrorReporting {
  /** The routes. */
  readonly mapper: Mapper<unknown>
  /** Whether debug mode is on. */
  readonly debug: boolean
  /** Passes messages to the logger of the options. Its methods never throw: see {@link safeLogger}. */
  readonly logger: Logger
  /** Renders the templates. */
  readonly templates: TemplateEngine
  /** Returns the exception in place of an unexpected error for which the option `unavailable` returns true. */
  readonly unavailability: Unavailability
  /** The controllers by name. */
  readonly controllers: ControllerRegistry
  /** The WSGI application, bound. It throws unexpected errors. */
  readonly wsgi: WSGIApplication
  /** The fetch handler, bound. Unexpected errors become error pages. */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>
  /** Servers pass malformed requests to {@link wsgi}, which answers them with 400 within the middleware. */
  readonly answersMalformed = true
  /** Whether requests have sessions. */
  readonly keepsSessions: boolean
  readonly [CHECKED_OPTIONS]: {
    readonly refusedOrigins: readonly string[]
    readonly openapi: OpenAPIOptions | undefined
    readonly hasFallback: boolean
  }
  readonly #onError: ErrorHook | undefined
  readonly #hosts: Hosts
  readonly #sessions: Sessions | undefined
  readonly #languages: Languages | undefined
  readonly #problems: Problems | undefined
  readonly #pages: ExceptionPages
  readonly #publicFiles: PublicFiles | undefined
  readonly #openapi: OpenAPIService | undefined
  readonly #mcp: MCPService | undefined
  readonly #sockets: Sockets | undefined
  readonly #dispatcher: Dispatcher
  readonly #hasMiddleware: boolean
  /** Error handling of the requests of servers. */
  readonly #reportings = new WeakMap<Environ, ErrorReporting>()
  readonly #shutdownCallbacks: (() => unknown)[] = []

  constructor(options: FrameworkAppOptions) {
    // A misspelt `hosts` would serve every host.
    checkNames(
      'FrameworkApp',
      options,
      'map controllers templates public debug hosts logger onError unavailable errorPages problems openapi mcp messages languages languageFrom messageFormat session crossSite sockets requestTimeout fallback middleware',
    )
    this.mapper = requireMapper(options.map)
    this.debug = options.debug ?? false
    this.logger = safeLogger(options.logger ?? consoleLogger)
    this.templates = templateEngine(options.templates ?? {}, { debug: this.debug })
    this.unavailability = unavailability(options.unavailable, this.logger)
    this.keepsSessions = options.session !== undefined
    const { templates } = this
    if (this.debug && templates instanceof EtaEngine) templates.warn = (message) => this.logger.warn(message)
    this.controllers = new ControllerRegistry(options.controllers, (name) => templates.has?.(name) ?? false)
    this.mapper.controllerScan = () => this.controllers.rescan(this.logger)
    this.controllers.scan()
    const { crossSite = 'refuse', middleware = [], requestTimeout } = options
    this[CHECKED_OPTIONS] = {
      refusedOrigins: refusedOrigins(crossSite, middleware),
      openapi: options.openapi,
      hasFallback: options.fallback !== undefined,
    }
    this.#onError = options.onError
    this.#hosts = new Hosts(options.hosts, this)
    const report = (error: unknown, environ: Environ) => this.reportError(error, environ)
    this.#sessions = made(options.session, (session) => new Sessions(session, report))
    this.#languages = languagesOf(options, this)
    this.#problems = made(options.problems, (form) => new Problems(form, this.logger))
    this.#pages = new ExceptionPages(options.errorPages ?? {}, this, {
      languages: this.#languages,
      problems: this.#problems,
    })
    const { send } = this.#pages
    const fallback = made(options.fallback, toApplication)
    this.#publicFiles = made(options.public, (files) => new PublicFiles(files, this, fallback))
    this.#openapi = made(
      options.openapi,
      (each) => new OpenAPIService(each, this, { crossSite, problems: this.#problems }),
    )
    this.#mcp = made(options.mcp, (server) => new MCPService(server, this, crossSite, send))
    this.#sockets = made(options.sockets, (record) => new Sockets(record, this, crossSite, send))
    this.#dispatcher = new Dispatcher(this, this.controllers, {
      crossSite,
      publicFiles: this.#publicFiles,
      fallback,
      sendException: send,
    })
    // As a middleware, it sees the status of error pages.
    const all = this.debug ? [developmentLog(this.logger), ...middleware] : middleware
    this.#hasMiddleware = all.length > 0
    /** From outside in. A layer that is not configured returns undefined and is not in the way. */
    const layers: readonly ((app: WSGIApplication) => WSGIApplication | undefined)[] = [
      traced,
      (inner) => this.#problems?.around(inner),
      (inner) => this.#languages?.around(inner),
      (inner) => this.#hosts.guard(inner),
      (inner) => this.#mcp?.withChallenges(inner),
      (inner) => this.#withMiddleware(all, inner),
      (inner) => made(requestTimeout, (timeout) => withTimeout(inner, timeout, this)),
      (inner) => withPaths([this.#sockets, this.#mcp, this.#openapi, this.#publicFiles], inner),
      (inner) => this.#languages?.describing(inner),
    ]
    if (this.debug) {
      captureLongStacks()
      diagnose(this.mapper, this.controllers, this.logger, this.#languages?.routeArguments ?? [])
    }
    this.wsgi = layers.reduceRight((inner, layer) => layer(inner) ?? inner, this.#dispatcher.dispatch)
    this.fetch = toFetch(this)
  }

  #withMiddleware(middleware: readonly Middleware[], app: WSGIApplication): WSGIApplication {
    // Also around each middleware, so that those outside of it see the page for its error.
    const paged = (inner: WSGIApplication) => withErrorPages(inner, (environ) => this.#reportings.get(environ))
    return middleware.reduceRight((inner, wrap) => sendingExceptions(wrap(paged(inner)), this.#pages.send), app)
  }

  /**
   * Returns the application for a server: {@link wsgi}, except that unexpected errors become the pages of `reporting`
   * before they reach the middleware, which sees their status and headers. Without middleware they need not.
   */
  servedWith(reporting: ErrorReporting): WSGIApplication {
    if (!this.#hasMiddleware) return this.wsgi
    return (environ, start_response) => {
      this.#reportings.set(environ, reporting)
      return this.wsgi(environ, start_response)
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

  /** The form of errors for programs, of the option `problems`. */
  get errorForm(): ErrorForm | undefined {
    return this.#problems
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
    throw new Error("The application has no sockets. Set them: new FrameworkApp({ …, sockets: { '/chat': … } })")
  }

  /**
   * Loads the controllers that may have tools, and checks their names: all controllers if the application has the
   * option `mcp`, otherwise services. One that does not load is answered at its requests. `serve()` calls it before it
   * listens.
   *
   * @throws TypeError, as a rejection, if clients of language models refuse the name of a tool, a resource or a prompt.
   */
  async prepare(): Promise<void> {
    const { controllers, mapper, mcpPath } = this
    const isOpen = ({ pattern }: Route) => pattern.parameters.some(({ name }) => name === 'action')
    const services = mapper.routes.filter(isOpen).flatMap(({ controller }) => controller ?? [])
    const names = [...new Set(mcpPath === undefined ? services : controllers.names)]
    await Promise.allSettled(names.map(async (name) => controllers.find(name)))
    for (const [name, loaded] of controllers.loaded)
      if (loaded.kind === 'class') requireToolNames(loaded.controllerClass, name)
  }

  /** Scans for controllers on the next request. `serve()` calls it on SIGHUP. */
  onHangup(): void {
    this.mapper._created_regs = false
  }

  /**
   * Adds a callback that runs when the last server of the application has closed, on SIGTERM or by `close()`: after its
   * requests have ended. Close databases and queues there. The last callback that was added runs first, and servers
   * wait for the promises that they return. An error is logged, and the others run.
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
   * Closes WebSockets with 1001, and runs the callbacks of {@link onShutdown}. `serve()` calls it when the last
   * server of the application has closed.
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
   * Returns a copy of the OpenAPI document of the application. Loads the controllers that routes name.
   *
   * @returns undefined if the application lacks the option `openapi`.
   * @throws the error of a controller that does not load or cannot be described, as a rejection. The document that is
   *   served lacks this controller.
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
    return this.#pages.ofError(error, environ, this.#dispatcher)
  }

  /**
   * Returns true if the response to a request may contain error details: debug mode is on and the host is trusted. If
   * only the host prevents it, logs how to trust it.
   */
  showsErrors(environ: Environ): boolean {
    return this.#hosts.showsErrors(environ)
  }

  /**
   * Returns true if the host of a request is a local one, or one that `hosts` lists by name. Any other name could
   * belong to another site, resolved to this machine, so it receives neither source nor live reload, and no MCP in
   * browsers.
   */
  trustsHost(environ: Environ): boolean {
    return this.#hosts.trusts(environ)
  }

  /** Returns the response for an HTTP exception: the application's page for its status, or the exception's own. */
  [EXCEPTION_RESPONSE](exception: HTTPException, environ: Environ, context?: PageContext): Response {
    return this.#pages.response(exception, environ, context)
  }

  /**
   * Logs an error with its stack and causes, and the method and path of the request, without the query. Passes it to
   * the option `onError`.
   *
   * @param procedure - name of the remote procedure that failed.
   */
  reportError(error: unknown, environ: Environ, procedure?: string): void {
    if (isDisconnect(error)) return
    this.logger.error(reportText(error, environ, procedure), detailsOf(error, environ))
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

  /**
   * Reads the session of a request from its store. Controllers find it read. Anywhere else, such as in an error page
   * for a path without a route, await this before {@link openSession}. A session that is open is not read again.
   *
   * @returns undefined if there is nothing to wait for.
   * @throws HTTPServiceUnavailable, as a rejection, if the store fails. Its error is logged.
   */
  loadSession(environ: Environ): Promise<void> | undefined {
    return this.#sessions?.load(environ)
  }

  /**
   * Returns the session of a request, the same one until it is saved.
   *
   * @throws Error - the application has no sessions, or {@link loadSession} was not called.
   */
  openSession(environ: Environ): Session {
    if (this.#sessions !== undefined) return this.#sessions.open(environ)
    throw new Error(
      'The application has no sessions. Enable them with a secret: new FrameworkApp({ …, session: { secret } })',
    )
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
    return this.#sessions?.save(session, environ, this.#dispatcher.rawScriptName(environ), response)
  }

  /**
   * Returns the URL of a public file with a fingerprint of its content, for instance
   * `/static/app.css?v=0ff04eab32d1fdf1`. Browsers keep the file for a year. In debug mode the fingerprint follows a
   * change of the file at once; otherwise it is computed once. Templates call `asset(name)`, which adds the mount
   * point of the request.
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
    return this.#publicFiles.url(name, environ === undefined ? '' : this.#dispatcher.rawScriptName(environ))
  }

  /** Returns the URL generator for a request. */
  urlGenerator(environ: Environ): UrlGenerator<RegisteredRoutes> {
    return this.mapper.generator({
      rawScriptName: this.#dispatcher.rawScriptName(environ),
      host: hostOf(environ),
      scheme: environ['wsgi.url_scheme'],
      match: environ['wsgiorg.routing_args']?.[1],
      query: environ.QUERY_STRING,
    })
  }
}

/** A part that serves paths of its own. */
interface PathsOwner {
  before(app: WSGIApplication): WSGIApplication
}

/** Returns an application behind the parts that serve paths of their own. Undefined if there are none. */
function withPaths(parts: readonly (PathsOwner | undefined)[], app: WSGIApplication): WSGIApplication | undefined {
  const inner = parts.reduceRight((behind, part) => part?.before(behind) ?? behind, app)
  if (inner === app) return undefined
  // The dispatcher refuses a malformed request. Its path cannot be compared.
  return (environ, start_response) =>
    environ[MALFORMED_KEY] === undefined ? inner(environ, start_response) : app(environ, start_response)
}

/** Returns what `make` creates from the value of an option. Undefined without the option. */
function made<Option, Part>(option: Option | undefined, make: (option: Option) => Part): Part | undefined {
  return option === undefined ? undefined : make(option)
}
