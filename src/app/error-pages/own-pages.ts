/**
 * Error pages that an application defines as templates (`errorPages`).
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { errorText } from '../../base/thrown.ts'
import type { Application, PageContext } from '../../controllers/application.ts'
import { errorTexts } from '../../http/error-texts.ts'
import { errorMediaTypeFor } from '../../http/formats.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import type { MessageValues } from '../../http/messages/catalogs/message.ts'
import { translate, translationOf } from '../../http/messages/translation.ts'
import type { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import { RouteNotFound } from './route-miss.ts'

/** The templates of error pages by status: `{ 404: 'errors/404', 500: 'errors/500' }`. */
export type ErrorPages = Readonly<Record<number, string>>

type PageApplication = Pick<Application, 'asset' | 'keepsSessions' | 'logger' | 'templates'>

/** Returns the template for an exception if the client accepts HTML. The list of routes in debug mode is not replaced. */
export function pageTemplate(
  exception: HTTPException,
  environ: Environ,
  pages: ErrorPages,
): string | undefined {
  const { status } = exception
  if (exception instanceof RouteNotFound || !Object.hasOwn(pages, status)) return undefined
  return errorMediaTypeFor(environ) === 'text/html' ? pages[status] : undefined
}

/**
 * Returns the response of an HTTP exception, with the page that the template renders. A page that has to be awaited is
 * rendered while the response is sent.
 *
 * The template has `status`, `statusLine`, `title`, `explanation` and `detail` in `it`, and the values that the templates
 * of actions have: `asset`, `c`, `nonce`, `request`, `session`, `t` and `url`. If it fails, the error is logged and the
 * exception's own response is sent.
 */
export function pageResponse(
  template: string,
  exception: HTTPException,
  environ: Environ,
  application: PageApplication,
  context: PageContext,
): Response {
  const response = exception.toResponse(environ)
  const own = response.body
  const page = renderPage(template, exception, environ, application, context)
  if (isPromise(page)) response.body = whenRendered(page.then((text) => text ?? own))
  else if (page !== undefined) response.body = page
  return page === undefined ? response : inLanguage(response, environ)
}

/** Returns the response of {@link pageResponse} once its page is rendered. */
export async function renderedPageResponse(
  ...[template, exception, environ, application, context]: Parameters<typeof pageResponse>
): Promise<Response> {
  const response = exception.toResponse(environ)
  const page = await renderPage(template, exception, environ, application, context)
  if (page === undefined) return response
  response.body = page
  return inLanguage(response, environ)
}

/** Sets the language of a page, which the template has even if the framework's own texts do not. */
function inLanguage(response: Response, environ: Environ): Response {
  const language = translationOf(environ)?.language(environ)
  if (language !== undefined) response.headers.set('Content-Language', language)
  return response
}

/** Renders a page. Logs the error of one that fails, and returns undefined. */
function renderPage(
  template: string,
  exception: HTTPException,
  environ: Environ,
  application: PageApplication,
  context: PageContext,
): string | undefined | Promise<string | undefined> {
  const { status } = exception
  const { statusLine, title, explanation, detail } = errorTexts(exception, environ)
  const fail = (error: unknown) => {
    application.logger.error(`The error page for ${exception.statusLine} failed\n${errorText(error)}`, {
      err: error,
    })
    return undefined
  }
  try {
    const { c, request, url } = context
    const session = application.keepsSessions ? context.session : undefined
    const asset = (name: string) => application.asset(name, environ)
    const nonce = environ['propylon.nonce']
    const t = (key: string, given?: MessageValues) => translate(environ, key, given)
    const values = { asset, c, nonce, request, session, t, url }
    const page = application.templates.render(template, {
      ...values,
      status,
      statusLine,
      title,
      explanation,
      detail,
    })
    return isPromise(page) ? page.catch(fail) : page
  } catch (error) {
    return fail(error)
  }
}

async function* whenRendered(page: Promise<Response['body']>): AsyncGenerator<string> {
  const text = await page
  if (typeof text === 'string') yield text
}
