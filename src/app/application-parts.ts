/**
 * The parts of an application: created from its options, and connected to serve requests.
 *
 * @module
 */

import { traced } from '../controllers/tracing/channels.ts'
import { Sessions } from '../http/sessions/sessions.ts'
import { toApplication } from '../wsgi/application.ts'
import type { ErrorReporting } from '../wsgi/error-reporting.ts'
import { MALFORMED_KEY } from '../wsgi/refusal.ts'
import type { Environ, Middleware, WSGIApplication } from '../wsgi/types.ts'
import { Dispatcher } from './dispatcher.ts'
import { ExceptionPages } from './error-pages/exception-pages.ts'
import { withErrorPages } from './error-pages/inside-middleware.ts'
import { ErrorReports } from './error-reports.ts'
import type { FrameworkAppOptions } from './framework-app-options.ts'
import { Hosts } from './hosts.ts'
import { type SendException, sendingExceptions } from './http-exceptions.ts'
import { type Languages, languagesOf } from './languages.ts'
import { MCPService, type ServingApplication } from './mcp/service.ts'
import { OpenAPIService } from './openapi-service.ts'
import { Problems } from './problems.ts'
import { PublicFiles } from './public-files.ts'
import { withTimeout } from './request-timeout.ts'
import { Sockets } from './sockets/sockets.ts'
import { timing } from './timing.ts'

/** The parts of an application. Those whose option is missing are undefined. */
export class ApplicationParts {
  readonly hosts: Hosts
  readonly sessions: Sessions | undefined
  readonly languages: Languages | undefined
  readonly problems: Problems | undefined
  readonly pages: ExceptionPages
  readonly reports: ErrorReports
  readonly publicFiles: PublicFiles | undefined
  readonly openapi: OpenAPIService | undefined
  readonly mcp: MCPService | undefined
  readonly sockets: Sockets | undefined
  readonly dispatcher: Dispatcher
  readonly middleware: MiddlewareStack
  /** The dispatcher within the layers that surround it. */
  readonly served: WSGIApplication

  constructor(options: FrameworkAppOptions, app: ServingApplication) {
    const { crossSite = 'refuse', middleware = [], requestTimeout } = options
    const { debug, logger } = app
    this.hosts = new Hosts(options.hosts, app)
    const report = (error: unknown, environ: Environ) => app.reportError(error, environ)
    this.sessions = made(options.session, (session) => new Sessions(session, report))
    this.languages = languagesOf(options, app)
    this.problems = made(options.problems, (form) => new Problems(form, logger))
    this.pages = new ExceptionPages(options.errorPages ?? {}, app, this)
    this.reports = new ErrorReports(logger, options.onError)
    const { send } = this.pages
    const fallback = made(options.fallback, toApplication)
    this.publicFiles = made(options.public, (files) => new PublicFiles(files, app, fallback))
    this.openapi = made(
      options.openapi,
      (document) => new OpenAPIService(document, app, { crossSite, problems: this.problems }),
    )
    this.mcp = made(options.mcp, (server) => new MCPService(server, app, crossSite, send))
    this.sockets = made(options.sockets, (record) => new Sockets(record, app, crossSite, send))
    const dispatching = { crossSite, publicFiles: this.publicFiles, fallback, sendException: send }
    this.dispatcher = new Dispatcher(app, app.controllers, dispatching)
    // As a middleware, it sees the status of error pages.
    const all = debug ? [timing(this.hosts, logger), ...middleware] : middleware
    this.middleware = new MiddlewareStack(all, send)
    const { languages, hosts, mcp, openapi, problems, publicFiles, sockets } = this
    /** From outside in. A layer that is not configured returns undefined and is not in the way. */
    const layers: readonly ((app: WSGIApplication) => WSGIApplication | undefined)[] = [
      traced,
      (inner) => problems?.around(inner),
      (inner) => languages?.around(inner),
      (inner) => hosts.guard(inner),
      (inner) => mcp?.withChallenges(inner),
      (inner) => this.middleware.around(inner),
      (inner) => made(requestTimeout, (timeout) => withTimeout(inner, timeout, app)),
      (inner) => withPaths([sockets, mcp, openapi, publicFiles], inner),
      (inner) => languages?.describing(inner),
    ]
    this.served = layers.reduceRight((inner, layer) => layer(inner) ?? inner, this.dispatcher.dispatch)
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

/**
 * The middleware of an application. Errors become pages before they reach it, so that it sees their status and
 * headers.
 */
export class MiddlewareStack {
  readonly #middleware: readonly Middleware[]
  readonly #sendException: SendException
  /** Error handling of the requests of servers. */
  readonly #reportings = new WeakMap<Environ, ErrorReporting>()

  constructor(middleware: readonly Middleware[], sendException: SendException) {
    this.#middleware = middleware
    this.#sendException = sendException
  }

  /** Returns an application in the middleware. */
  around(app: WSGIApplication): WSGIApplication {
    // Also around each middleware, so that those outside of it see the page for its error.
    const paged = (inner: WSGIApplication) => withErrorPages(inner, (environ) => this.#reportings.get(environ))
    return this.#middleware.reduceRight<WSGIApplication>(
      (inner, wrap) => sendingExceptions(wrap(paged(inner)), this.#sendException),
      app,
    )
  }

  /**
   * Returns an application whose unexpected errors become the pages of `reporting`. Without middleware it needs none.
   */
  reportingTo(reporting: ErrorReporting, app: WSGIApplication): WSGIApplication {
    if (this.#middleware.length === 0) return app
    return (environ, start_response) => {
      this.#reportings.set(environ, reporting)
      return app(environ, start_response)
    }
  }
}
