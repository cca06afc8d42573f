import type { Application } from '../../controllers/application.ts'
import { errorMediaType } from '../../http/error-document.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import type { Response } from '../../http/response.ts'
import { errorText } from '../../wsgi/thrown.ts'
import type { Environ } from '../../wsgi/types.ts'
import { RouteNotFound } from './route-miss.ts'

/** The templates of error pages by status: `{ 404: 'errors/404', 500: 'errors/500' }`. */
export type ErrorPages = Readonly<Record<number, string>>

/**
 * Returns the response of an HTTP exception: the application's page for its status if one is defined and the client
 * accepts HTML, otherwise the exception's own.
 *
 * The template has `status`, `statusLine`, `title`, `explanation`, `detail`, `asset`, `url` and `nonce` in `it`. If it fails, the
 * error is logged and the exception's own response is sent. The list of routes in debug mode is not replaced.
 */
export function exceptionResponse(
  exception: HTTPException,
  environ: Environ,
  pages: ErrorPages,
  application: Pick<Application, 'asset' | 'templates' | 'logger' | 'urlGenerator'>,
): Response {
  const response = exception.toResponse(environ)
  if (exception instanceof RouteNotFound) return response
  const { status, statusLine, title, explanation, detail } = exception
  const template = Object.hasOwn(pages, status) ? pages[status] : undefined
  if (template === undefined || errorMediaType(environ.HTTP_ACCEPT) !== 'text/html') return response
  const own = response.body
  const fallBack = (error: unknown) => {
    application.logger.error(`The error page for ${statusLine} failed\n${errorText(error)}`)
    return own
  }
  try {
    const asset = (name: string) => application.asset(name, environ)
    const nonce = environ['propylon.nonce']
    const url = application.urlGenerator(environ)
    const values = { asset, url, nonce, status, statusLine, title, explanation, detail }
    const page = application.templates.render(template, values)
    response.body = typeof page === 'string' ? page : whenRendered(page.catch(fallBack))
  } catch (error) {
    response.body = fallBack(error)
  }
  return response
}

async function* whenRendered(page: Promise<Response['body']>): AsyncGenerator<string> {
  const text = await page
  if (typeof text === 'string') yield text
}
