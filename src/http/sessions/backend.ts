import type { SessionValues } from './data.ts'
import type { Lifespan } from './lifespan.ts'
import type { SessionChanges } from './session.ts'

/** A session as it was saved. */
export interface KeptSession extends Lifespan {
  readonly values: SessionValues
}

/** The cookie of a session in one response. */
export interface ResponseCookie {
  /** @param until - time at which the cookie ends, in milliseconds since 1970; undefined until the browser is closed. */
  write(value: string, until: number | undefined): void
  /** Deletes the cookie in the browser, if the request has one. */
  remove(): void
}

/** The place where sessions are kept: the cookie itself, or a store. */
export interface SessionBackend<Kept extends KeptSession = KeptSession> {
  /** Whether {@link read} returns promises. Otherwise a session is read when it is used. */
  readonly waits: boolean
  /**
   * Returns the session that a cookie names. Undefined if the cookie is invalid, or the session has ended.
   *
   * @throws SessionStoreError, as a rejection, if the store fails.
   */
  read(cookie: string): Kept | undefined | Promise<Kept | undefined>
  /** Returns a session without values that begins now. */
  begin(): Kept
  /**
   * Saves a session that was used. Returns undefined if there is nothing to wait for.
   *
   * @throws SessionStoreError, as a rejection, if the store fails.
   * @throws RangeError - the values are too large. Thrown or as a rejection.
   */
  save(changes: SessionChanges, kept: Kept, cookie: ResponseCookie): Promise<void> | undefined
}
