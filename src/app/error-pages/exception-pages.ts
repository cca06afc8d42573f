/**
 * Responses for HTTP exceptions, and for unexpected errors.
 *
 * @module
 */
import { andThen, isPromise } from '../../base/promise.ts'
import { errorText, isInstance } from '../../base/thrown.ts'
import { type Application, CONTEXT_KEY, type TemplateContext } from '../../controllers/application.ts'
import { ActionNotFound, ReservedMemberError } from '../../controllers/controller-errors.ts'
import { type PageValues, templateValues } from '../../controllers/template-values.ts'
import { errorTexts } from '../../http/error-texts.ts'
import {
  type HTTPException,
  HTTPInternalServerError,
  HTTPNotFound,
  HTTPServiceUnavailable,
  makeException,
} from '../../http/exceptions.ts'
import { errorMediaTypeFor } from '../../http/formats.ts'
import { translationOf } from '../../http/languages/translation.ts'
import { chosenStatus, type ProblemForm } from '../../http/problems.ts'
import { Request } from '../../http/request.ts'
import { LateBody, Response } from '../../http/response.ts'
import type { Session } from '../../http/sessions/session.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import type { Languages } from '../languages.ts'
import { ControllerNotFound } from '../loading-errors.ts'
import type { RoutedRequest } from './debug-error.ts'
import type { SendException } from './inside-middleware.ts'
import { RouteNotFound } from './route-miss.ts'

/** The templates of error pages by status: `{ 404: 'errors/404', 500: 'errors/500' }`. */
export type ErrorPages = Readonly<Record<number, string>>

/** The parts of an application that its error pages use. */
interface PageParts {
  readonly languages: Languages | undefined
  readonly problems: ProblemForm | undefined
}

/** The responses for errors: the application's pages for their statuses, or the exceptions' own. */
export class ExceptionPages {
  readonly #pages: ErrorPages
  readonly #application: Application
  readonly #parts: PageParts

  constructor(pages: ErrorPages, application: Application, parts: PageParts) {
    this.#pages = pages
    this.#application = application
    this.#parts = parts
  }

  /**
   * Returns the response for an exception. Its page has `context`, or only what the request has. A page that has to
   * be awaited is rendered while the response is sent.
   */
  response(thrown: HTTPException, environ: Environ, context?: PageValues): Response {
    const exception = this.#inForm(thrown, environ)
    const response = exception.toResponse(environ)
    const template = this.#templateFor(exception, environ)
    if (template === undefined) return response
    const { body, contentType } = response
    const values = context ?? this.#valuesFor(environ, () => this.#application.openSession(environ))
    const page = this.#render(template, exception, environ, values)
    if (page === undefined) return response
    const late = (text: string | undefined) => ({ body: text ?? String(body), contentType: String(contentType) })
    response.body = isPromise(page) ? new LateBody(page.then(late)) : page
    // The framework's own texts may lack the language.
    const language = translationOf(environ)?.language(environ)
    if (language !== undefined) response.headers.set('Content-Language', language)
    return response
  }

  /** Sends the response for an exception that no controller has thrown. Its page may read the session. */
  readonly send: SendException = (thrown, environ, start_response) => {
    const exception = this.#inForm(thrown, environ)
    if (!this.#needsSession(exception, environ)) return this.response(exception, environ).send(environ, start_response)
    return this.#sendWithSession(exception, environ, start_response)
  }

  /**
   * Returns the response in place of an unexpected error: the error itself in debug mode, for trusted hosts. The
   * session is not saved: the action that failed may have changed it.
   */
  ofError(
    error: unknown,
    environ: Environ,
    records: { routed(environ: Environ): RoutedRequest | undefined },
  ): WSGIApplication | Promise<WSGIApplication> {
    if (this.#application.showsErrors(environ)) {
      const routed = records.routed(environ)
      // Loaded on first use, because production never shows the page.
      return import('./debug-error.ts').then(({ debugErrorPage }) => debugErrorPage(error, environ, routed))
    }
    const isMissing =
      isInstance(error, ActionNotFound) ||
      isInstance(error, ControllerNotFound) ||
      (isInstance(error, ReservedMemberError) && error.status === 404)
    const exception = isMissing
      ? new HTTPNotFound()
      : (this.#application.unavailability(error) ?? new HTTPInternalServerError())
    if (!this.#needsSession(exception, environ)) return this.response(exception, environ).wsgi
    return this.#withSession(exception, environ).then(({ response }) => response.wsgi)
  }

  /**
   * Returns an exception with the status that the application has chosen for bodies that a schema refuses. An
   * application that is mounted below this one may have left its form of errors in the environ.
   */
  #inForm(exception: HTTPException, environ: Environ): HTTPException {
    const { problems } = this.#parts
    if (problems !== undefined) environ['propylon.problems'] = problems
    const status = chosenStatus(exception, environ) ?? exception.status
    if (status === exception.status) return exception
    const { detail, headers, json = {} } = exception
    return makeException(status, detail, headers, { json })
  }

  /**
   * Returns the template for an exception if the client accepts HTML. The list of routes in debug mode is not
   * replaced.
   */
  #templateFor(exception: HTTPException, environ: Environ): string | undefined {
    const { status } = exception
    if (exception instanceof RouteNotFound || !Object.hasOwn(this.#pages, status)) return undefined
    return errorMediaTypeFor(environ) === 'text/html' ? this.#pages[status] : undefined
  }

  /** Returns true if the page may read the session, or the session may name its language. */
  #needsSession(exception: HTTPException, environ: Environ): boolean {
    if (!this.#application.keepsSessions) return false
    if (this.#templateFor(exception, environ) !== undefined) return true
    return environ.HTTP_COOKIE !== undefined && this.#parts.languages?.readsSession === true
  }

  async #sendWithSession(exception: HTTPException, environ: Environ, start_response: StartResponse): Promise<Body> {
    const { response, session } = await this.#withSession(exception, environ)
    const headers = new Response()
    try {
      if (session !== undefined && this.#templateFor(exception, environ) !== undefined)
        await this.#application.saveSession(session, environ, headers)
    } catch (error) {
      this.#reportUnlessReported(error, environ)
    }
    return headers.mergeInto(response).send(environ, start_response)
  }

  /** Returns the response for an exception, rendered with the session of the request: none if its store fails. */
  async #withSession(exception: HTTPException, environ: Environ) {
    let session: Session | undefined
    try {
      await this.#application.loadSession(environ)
      session = this.#application.openSession(environ)
    } catch (error) {
      this.#reportUnlessReported(error, environ)
    }
    const values = this.#valuesFor(environ, () => session)
    const response = this.response(exception, environ, values)
    if (response.body instanceof LateBody) await response.body.content
    return { response, session }
  }

  /** An application reports the error of its store before it throws 503. */
  #reportUnlessReported(error: unknown, environ: Environ): void {
    if (!isInstance(error, HTTPServiceUnavailable)) this.#application.reportError(error, environ)
  }

  #valuesFor(environ: Environ, session: () => Session | undefined): PageValues {
    const c = environ[CONTEXT_KEY] ?? Object.create(null)
    return {
      c: c as TemplateContext,
      request: Request.of(environ),
      url: this.#application.urlGenerator(environ),
      get session() {
        return session()
      },
    }
  }

  /** Renders the page of an exception. Logs the error of one that fails, and returns undefined. */
  #render(template: string, exception: HTTPException, environ: Environ, values: PageValues) {
    const application = this.#application
    const fail = (err: unknown) => {
      application.logger.error(`The error page for ${exception.statusLine} failed\n${errorText(err)}`, { err })
      return undefined
    }
    const render = () =>
      application.templates.render(template, {
        ...templateValues(application, environ, values),
        ...errorTexts(exception, environ),
        status: exception.status,
      })
    return andThen<string, string | undefined>(render, (page) => page, fail)
  }
}
