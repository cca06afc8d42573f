/** The values that every template has. */
import type { MessageValues } from '../http/languages/message.ts'
import { translate } from '../http/languages/translation.ts'
import type { Session } from '../http/sessions/session.ts'
import type { Environ } from '../wsgi/types.ts'
import type { Application, PageContext } from './application.ts'

/** Values of a page. The session is undefined if its store fails. */
export type PageValues = Omit<PageContext, 'session'> & { readonly session: Session | undefined }

/** Returns the values that every template has, as members of `it`. */
export function templateValues(app: Application, environ: Environ, page: PageValues): Record<string, unknown> {
  return {
    asset: (name: string) => app.asset(name, environ),
    c: page.c,
    nonce: environ['propylon.nonce'],
    request: page.request,
    session: app.keepsSessions ? page.session : undefined,
    t: (key: string, values?: MessageValues) => translate(environ, key, values),
    url: page.url,
  }
}
