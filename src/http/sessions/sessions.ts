import { isPromise } from '../../base/promise.ts'
import { isInstance } from '../../base/thrown.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Response } from '../response.ts'
import type { KeptSession, SessionBackend } from './backend.ts'
import { SessionCookie } from './cookie.ts'
import { CookieSessions } from './cookie-sessions.ts'
import { CLOSE, Session } from './session.ts'
import { checkOptions, type SessionOptions } from './session-options.ts'
import { SessionStoreError } from './store.ts'
import { StoredSessions } from './stored-sessions.ts'

/** Key in the environ for the session of the request; null if there is none or it has been saved. */
const SESSION_KEY = 'propylon.session'

/**
 * Opens and saves the sessions of an application, and reports errors of their store. The session of a request is kept
 * in its environ, so that all controllers and templates of the request use the same one.
 */
export class Sessions {
  readonly #cookie: SessionCookie
  readonly #backend: SessionBackend
  // Also distinguishes the sessions of this application from the sessions of an application that mounts it, in the
  // same environ.
  readonly #kept = new WeakMap<Session, KeptSession>()
  readonly #report: (error: unknown, environ: Environ) => void
  /** Whether the last session that was saved could only not be extended, which has been reported. */
  #cannotExtend = false

  /**
   * @param report - receives the errors of the store, which are answered with 503.
   * @throws TypeError - an option is wrong.
   * @throws RangeError - a number is not above 0.
   */
  constructor(options: SessionOptions, report: (error: unknown, environ: Environ) => void) {
    const settings = checkOptions(options)
    const { cookie, store, encrypt = false } = options
    this.#report = report
    this.#cookie = new SessionCookie(cookie)
    const { name } = this.#cookie
    this.#backend =
      store === undefined ? new CookieSessions(settings, name, encrypt) : new StoredSessions(store, settings, name)
  }

  /**
   * Reads the session of a request before {@link open}, if reading takes a promise and the session is not open yet.
   * Returns undefined if there is nothing to wait for.
   *
   * @throws SessionStoreError, as a rejection, if the store fails.
   */
  load(environ: Environ): Promise<void> | undefined {
    // Middleware may have changed an open session, so it is not read again.
    const cookie = this.#backend.waits && this.#opened(environ) === undefined ? this.#cookie.read(environ) : undefined
    const reading = cookie === undefined ? undefined : this.#backend.read(cookie)
    // An invalid cookie names no session, so an open session stays, even if an application around this one has opened
    // it.
    if (!isPromise(reading)) return undefined
    return reading
      .then((kept) => {
        if (kept === undefined) environ[SESSION_KEY] ??= null
        else this.#begin(environ, kept)
      })
      .catch((error: unknown) => this.#fail(error, environ))
  }

  /**
   * Returns the session of a request, the same one until it is saved. It is empty if the request has none.
   *
   * @throws Error - the session of a request that has a cookie has not been loaded.
   */
  open(environ: Environ): Session {
    const opened = this.#opened(environ)
    if (opened !== undefined) return opened
    const isLoaded = environ[SESSION_KEY] !== undefined
    const cookie = this.#backend.waits && isLoaded ? undefined : this.#cookie.read(environ)
    const kept = cookie === undefined ? undefined : this.#backend.read(cookie)
    if (!isPromise(kept)) return this.#begin(environ, kept)
    kept.catch(() => {})
    throw new Error(
      'The session of this request has not been loaded. Requests to controllers load it. Anywhere else: await app.loadSession(environ).',
    )
  }

  #opened(environ: Environ): Session | undefined {
    const present = environ[SESSION_KEY]
    return present instanceof Session && this.#kept.has(present) ? present : undefined
  }

  #begin(environ: Environ, kept = this.#backend.begin()): Session {
    const session = new Session(kept.values, environ.REQUEST_METHOD !== 'HEAD')
    this.#kept.set(session, kept)
    environ[SESSION_KEY] = session
    return session
  }

  /**
   * Saves a session and adds its cookie to a response. If it was used, the response is for this visitor: it varies by
   * Cookie, and shared caches may not store it unless its own Cache-Control permits that. Returns undefined if there
   * is nothing to wait for. If a session that was only read cannot be extended, this is reported once until the store
   * saves one again.
   *
   * @param mountPoint - mount point of the application, percent-encoded.
   * @throws TypeError - the session belongs to another application.
   * @throws SessionStoreError, as a rejection, if the store fails.
   * @throws RangeError - the values are too large. Thrown or as a rejection.
   */
  save(session: Session, environ: Environ, mountPoint: string, response: Response): Promise<void> | undefined {
    const kept = this.#kept.get(session)
    if (kept === undefined) throw new TypeError('The session belongs to another application.')
    if (environ[SESSION_KEY] === session) environ[SESSION_KEY] = null
    const changes = session[CLOSE]()
    if (!changes.isUsed) return undefined
    response.headers.addToken('Vary', 'Cookie').setDefault('Cache-Control', 'private')
    const saving = this.#backend.save(changes, kept, this.#cookie.of(environ, mountPoint, response))
    return saving?.then(
      () => {
        this.#cannotExtend = false
      },
      (error: unknown) => {
        if (changes.isChanged) this.#fail(error, environ)
        if (!this.#cannotExtend) this.#report(isInstance(error, SessionStoreError) ? error.cause : error, environ)
        this.#cannotExtend = true
      },
    )
  }

  #fail(error: unknown, environ: Environ): never {
    if (isInstance(error, SessionStoreError)) this.#report(error.cause, environ)
    throw error
  }
}
