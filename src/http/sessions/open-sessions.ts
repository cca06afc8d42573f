import type { Environ } from '../../wsgi/types.ts'
import type { Response } from '../response.ts'
import type { SessionValues } from './data.ts'
import { CLOSE, Session, type SessionChanges } from './session.ts'

/** Key in the environ for the session of the request; null if there is none or it has been saved. */
const SESSION_KEY = 'propylon.session'

/**
 * The sessions of an application that are in use. Each is kept in the environ of its request, so that all controllers and
 * templates of the request use the same one.
 *
 * @typeParam Origin - data of a session that is needed to save it.
 */
export class OpenSessions<Origin> {
  // Also distinguishes the sessions of this application from the sessions of an application that mounts it, in the same environ.
  readonly #origins = new WeakMap<Session, Origin>()

  /** Returns the session of a request, or undefined if none is open. */
  find(environ: Environ): Session | undefined {
    const present = environ[SESSION_KEY]
    return present instanceof Session && this.#origins.has(present) ? present : undefined
  }

  /** Notes that a request has no session. */
  none(environ: Environ): void {
    environ[SESSION_KEY] = null
  }

  /** @throws Error - the session of a request that has a cookie has not been loaded. */
  checkLoaded(environ: Environ): void {
    if (environ[SESSION_KEY] !== undefined) return
    throw new Error(
      'The session of this request has not been loaded. Requests to controllers load it. Anywhere else: await app.loadSession(environ).',
    )
  }

  /** Opens a session for a request. */
  open(environ: Environ, values: SessionValues, origin: Origin): Session {
    const session = new Session(values, environ.REQUEST_METHOD !== 'HEAD')
    this.#origins.set(session, origin)
    environ[SESSION_KEY] = session
    return session
  }

  /**
   * Ends the use of a session. If it was used, the response is for this visitor: it varies by Cookie, and shared caches may
   * not store it unless its own Cache-Control permits that.
   *
   * @returns its changes and its origin, or undefined if there is nothing to save.
   * @throws TypeError - the session belongs to another application.
   */
  close(
    session: Session,
    environ: Environ,
    response: Response,
  ): { readonly changes: SessionChanges; readonly origin: Origin } | undefined {
    const origin = this.#origins.get(session)
    if (origin === undefined) throw new TypeError('The session belongs to another application.')
    if (environ[SESSION_KEY] === session) environ[SESSION_KEY] = null
    const changes = session[CLOSE]()
    if (!changes.isUsed) return undefined
    response.headers.addToken('Vary', 'Cookie').setDefault('Cache-Control', 'private')
    return { changes, origin }
  }
}
