/**
 * Error pages that an application defines as templates (`errorPages`).
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { errorText } from '../../base/thrown.ts'
import type { Application } from '../../controllers/application.ts'
import { type PageValues, templateValues } from '../../controllers/template-values.ts'
import { errorTexts } from '../../http/error-texts.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import type { Environ } from '../../wsgi/types.ts'

/** The templates of error pages by status: `{ 404: 'errors/404', 500: 'errors/500' }`. */
export type ErrorPages = Readonly<Record<number, string>>

/** Renders the page of an exception. Logs the error of one that fails, and returns undefined. */
export function renderPage(
  template: string,
  exception: HTTPException,
  environ: Environ,
  application: Application,
  context: PageValues,
): string | undefined | Promise<string | undefined> {
  const fail = (err: unknown) => {
    const message = `The error page for ${exception.statusLine} failed\n${errorText(err)}`
    application.logger.error(message, { err })
    return undefined
  }
  try {
    const { statusLine, title, explanation, detail } = errorTexts(exception, environ)
    const page = application.templates.render(template, {
      ...templateValues(application, environ, context),
      status: exception.status,
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
