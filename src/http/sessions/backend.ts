import type { SessionValues } from './data.ts'
import type { SessionChanges } from './session.ts'

/** A session as it was saved. */
export interface KeptSession extends Lifespan {
  readonly values: SessionValues
}

/** The cookie of a session in one response. */
export interface ResponseCookie {
  /**
   * @param until - time at which the cookie ends, in milliseconds since 1970; undefined until the browser is closed.
   */
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

/** Begin and end of a session. Times are milliseconds since 1970. */

/** The times of a session that do not depend on its use. */
export interface Lifespan {
  /** Time at which the session began. */
  readonly began: number
  /** End of a session that `remember()` keeps. Undefined for one that ends with the browser. */
  readonly until: number | undefined
}

/** Limits of sessions, in seconds. */
interface Limits {
  readonly idle: number
  readonly lifetime: number
}

/** Fraction of the idle time after which a session that is used is saved again, to extend it. */
const RENEWAL_FRACTION = 0.01

/**
 * Maximum time by which the beginning of a session may be in the future, because clocks differ, in milliseconds: a
 * day.
 */
const CLOCK_TOLERANCE = 24 * 60 * 60 * 1000

/** Returns the milliseconds after which a session that is used is saved again. */
export function renewalInterval({ idle }: Limits): number {
  return idle * 1000 * RENEWAL_FRACTION
}

/** Returns the lifespan of a session that begins now. */
export function begin(now: number): Lifespan {
  return { began: now, until: undefined }
}

/** Returns the lifespan after a call of `remember()`. */
export function remember({ began, until }: Lifespan, seconds: number | null | undefined, now: number): Lifespan {
  if (seconds === undefined) return { began, until }
  return { began, until: seconds === null ? undefined : now + seconds * 1000 }
}

/** Returns the time at which a session ends that is used now. */
export function endOf({ began, until }: Lifespan, { idle, lifetime }: Limits, now: number): number {
  return until ?? Math.min(now + idle * 1000, began + lifetime * 1000)
}

/**
 * Returns true if a session has ended, even if it was used all the time. One that began in the future has ended: its
 * clock was wrong, and it would last too long.
 */
export function hasEnded({ began, until }: Lifespan, { lifetime }: Limits, now: number): boolean {
  return now > (until ?? began + lifetime * 1000) || began > now + CLOCK_TOLERANCE
}
