/**
 * Responses for HTTP exceptions.
 *
 * @module
 */

import { isInstance } from '../../base/thrown.ts'
import { type Application, CONTEXT_KEY, type PageContext } from '../../controllers/application.ts'
import type { TemplateContext } from '../../controllers/template-context.ts'
import { type HTTPException, HTTPServiceUnavailable } from '../../http/exceptions.ts'
import { Request } from '../../http/request.ts'
import { Response } from '../../http/response.ts'
import type { Session } from '../../http/sessions/session.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import type { Languages } from '../languages.ts'
import { type ErrorPages, pageResponse, pageTemplate, renderedPageResponse } from './own-pages.ts'

/** The responses for HTTP exceptions: the application's pages for their statuses, or the exceptions' own. */
export class ExceptionPages {
  readonly #pages: ErrorPages
  readonly #application: Application
  readonly #languages: Languages | undefined

  constructor(pages: ErrorPages, application: Application, languages: Languages | undefined) {
    this.#pages = pages
    this.#application = application
    this.#languages = languages
  }

  /** Returns the response for an exception. Its page has `context`, or only what the request has. */
  response(exception: HTTPException, environ: Environ, context?: PageContext): Response {
    const template = pageTemplate(exception, environ, this.#pages)
    if (template === undefined) return exception.toResponse(environ)
    return pageResponse(template, exception, environ, this.#application, context ?? this.#contextOf(environ))
  }

  /** Sends the response for an exception that no controller has thrown. Its page may read the session. */
  send(exception: HTTPException, environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    const template = pageTemplate(exception, environ, this.#pages)
    if (!this.#needsSession(template, environ)) {
      return this.response(exception, environ).send(environ, start_response)
    }
    return this.#sendPage(template, exception, environ, start_response)
  }

  /** Returns the response in place of an unexpected error. Its session is not saved: the action that failed may have changed it. */
  inPlaceOfError(exception: HTTPException, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    const template = pageTemplate(exception, environ, this.#pages)
    if (!this.#needsSession(template, environ)) return this.response(exception, environ).wsgi
    return this.#pageWithSession(template, exception, environ).then(({ response }) => response.wsgi)
  }

  /** Returns true if the page may read the session, or the session may name its language. */
  #needsSession(template: string | undefined, environ: Environ): boolean {
    if (!this.#application.keepsSessions) return false
    return (
      template !== undefined || (environ.HTTP_COOKIE !== undefined && this.#languages?.readsSession === true)
    )
  }

  async #sendPage(
    template: string | undefined,
    exception: HTTPException,
    environ: Environ,
    start_response: StartResponse,
  ): Promise<Body> {
    const { response, session } = await this.#pageWithSession(template, exception, environ)
    if (session === undefined) return response.send(environ, start_response)
    const headers = new Response()
    try {
      await this.#application.saveSession(session, environ, headers)
    } catch (error) {
      this.#reportUnlessReported(error, environ)
    }
    return headers.mergeInto(response).send(environ, start_response)
  }

  /** Renders an error page with the session of the request: none if its store fails. */
  async #pageWithSession(template: string | undefined, exception: HTTPException, environ: Environ) {
    const application = this.#application
    let session: Session | undefined
    try {
      await application.loadSession(environ)
      session = application.openSession(environ)
    } catch (error) {
      this.#reportUnlessReported(error, environ)
    }
    if (template === undefined) return { response: exception.toResponse(environ), session: undefined }
    const page = {
      asset: (name: string) => application.asset(name, environ),
      keepsSessions: session !== undefined,
      logger: application.logger,
      templates: application.templates,
    }
    const context = this.#contextOf(environ)
    const response = await renderedPageResponse(template, exception, environ, page, context)
    return { response, session }
  }

  /** An application reports the error of its store before it throws 503. */
  #reportUnlessReported(error: unknown, environ: Environ): void {
    if (!isInstance(error, HTTPServiceUnavailable)) this.#application.reportError(error, environ)
  }

  #contextOf(environ: Environ): PageContext {
    const application = this.#application
    const c = environ[CONTEXT_KEY] ?? Object.create(null)
    return {
      c: c as TemplateContext,
      request: Request.of(environ),
      url: application.urlGenerator(environ),
      get session() {
        return application.openSession(environ)
      },
    }
  }
}
