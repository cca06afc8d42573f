import { isInstance } from '../base/thrown.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import type { SessionOptions } from '../http/sessions/session-options.ts'
import { Sessions } from '../http/sessions/sessions.ts'
import { SessionStoreError } from '../http/sessions/store.ts'
import type { Environ } from '../wsgi/types.ts'

/** The sessions of an application. Errors of their store are reported, and answered with 503. */
export class ApplicationSessions {
  readonly #sessions: Sessions | undefined
  readonly #report: (error: unknown, environ: Environ) => void

  constructor(options: SessionOptions | undefined, report: (error: unknown, environ: Environ) => void) {
    this.#sessions = options === undefined ? undefined : new Sessions(options)
    this.#report = report
  }

  load(environ: Environ): Promise<void> | undefined {
    return this.#sessions?.load(environ)?.catch((error: unknown) => this.#fail(error, environ))
  }

  /** @throws Error - the application has no sessions. */
  open(environ: Environ): Session {
    if (this.#sessions === undefined) {
      throw new Error(
        'The application has no sessions. Enable them with a secret: new FrameworkApp({ …, session: { secret } })',
      )
    }
    return this.#sessions.open(environ)
  }

  save(
    session: Session,
    environ: Environ,
    scriptName: string,
    response: Response,
  ): Promise<void> | undefined {
    const saving = this.#sessions?.save(session, environ, scriptName, response)
    return saving?.catch((error: unknown) => this.#fail(error, environ))
  }

  #fail(error: unknown, environ: Environ): never {
    if (isInstance(error, SessionStoreError)) this.#report(error.cause, environ)
    throw error
  }
}
