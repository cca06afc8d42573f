/**
 * Error pages that an application defines as templates (`errorPages`).
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { errorText } from '../../base/thrown.ts'
import type { Application, PageContext } from '../../controllers/application.ts'
import { errorTexts } from '../../http/error-texts.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import type { MessageValues } from '../../http/languages/message.ts'
import { translate } from '../../http/languages/translation.ts'
import type { Session } from '../../http/sessions/session.ts'
import type { Environ } from '../../wsgi/types.ts'

/** The templates of error pages by status: `{ 404: 'errors/404', 500: 'errors/500' }`. */
export type ErrorPages = Readonly<Record<number, string>>

/** Values of an error page. The session is undefined if its store fails. */
export type ErrorPageContext = Omit<PageContext, 'session'> & { readonly session: Session | undefined }

/** Renders the page of an exception. Logs the error of one that fails, and returns undefined. */
export function renderPage(
  template: string,
  exception: HTTPException,
  environ: Environ,
  application: Application,
  context: ErrorPageContext,
): string | undefined | Promise<string | undefined> {
  const fail = (err: unknown) => {
    const message = `The error page for ${exception.statusLine} failed\n${errorText(err)}`
    application.logger.error(message, { err })
    return undefined
  }
  try {
    const { c, request, url } = context
    const { statusLine, title, explanation, detail } = errorTexts(exception, environ)
    const page = application.templates.render(template, {
      c,
      request,
      url,
      session: application.keepsSessions ? context.session : undefined,
      asset: (name: string) => application.asset(name, environ),
      nonce: environ['propylon.nonce'],
      t: (key: string, given?: MessageValues) => translate(environ, key, given),
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
