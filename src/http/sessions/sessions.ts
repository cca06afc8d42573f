import type { Environ } from '../../wsgi/types.ts'
import type { Response } from '../response.ts'
import type { Session } from './session.ts'

/** Opens and saves the sessions of an application. */
export interface Sessions {
  /**
   * Reads the session of a request before {@link open}. Returns undefined if there is nothing to wait for.
   *
   * @throws SessionStoreError, as a rejection, if the store fails.
   */
  load(environ: Environ): Promise<void> | undefined
  /** Returns the session of a request, the same one until it is saved. It is empty if the request has none. */
  open(environ: Environ): Session
  /**
   * Saves a session and adds its cookie and the headers for caches to a response. Returns undefined if there is nothing to
   * wait for.
   *
   * @param scriptName - mount point of the application.
   * @throws SessionStoreError, as a rejection, if the store fails.
   * @throws RangeError - the values are too large. Thrown or as a rejection.
   */
  save(session: Session, environ: Environ, scriptName: string, response: Response): Promise<void> | undefined
}
