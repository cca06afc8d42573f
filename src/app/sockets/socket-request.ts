import { Request } from '../../http/request.ts'
import type { Session } from '../../http/sessions/session.ts'
import type { Environ } from '../../wsgi/types.ts'

/** The request of a handshake: a {@link Request} with the visitor's session. */
export class SocketRequest extends Request {
  readonly #session: () => Session

  constructor(environ: Environ, session: () => Session) {
    super(environ)
    this.#session = session
  }

  /**
   * The visitor's session, as it was at the handshake. `authorize()` may change it; afterwards it can only be read.
   *
   * @throws Error - the application has no sessions.
   */
  get session(): Session {
    return this.#session()
  }
}
