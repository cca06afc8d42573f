import type { ErrorReporting } from '../wsgi/error-reporting.ts'
import type { Environ, Middleware, WSGIApplication } from '../wsgi/types.ts'
import { withErrorPages } from './error-pages/inside-middleware.ts'
import { type SendException, sendingExceptions } from './http-exceptions.ts'

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
    const paged = (inner: WSGIApplication) =>
      withErrorPages(inner, (environ) => this.#reportings.get(environ))
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
