/** Begin and end of a session. Times are milliseconds since 1970. */

/** The times of a session that do not depend on its use. */
export interface Lifespan {
  /** Time at which the session began. */
  readonly began: number
  /** End of a session that `remember()` keeps. Undefined for one that ends with the browser. */
  readonly until: number | undefined
}

/** Limits of sessions, in seconds. */
export interface Limits {
  readonly idle: number
  readonly lifetime: number
}

/** Fraction of the idle time after which a session that is used is saved again, to extend it. */
const RENEWAL_FRACTION = 0.01

/** Maximum time by which the beginning of a session may be in the future, because clocks differ, in milliseconds: a day. */
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
export function remember(
  { began, until }: Lifespan,
  seconds: number | null | undefined,
  now: number,
): Lifespan {
  if (seconds === undefined) return { began, until }
  return { began, until: seconds === null ? undefined : now + seconds * 1000 }
}

/** Returns the time at which a session ends that is used now. */
export function endOf({ began, until }: Lifespan, { idle, lifetime }: Limits, now: number): number {
  return until ?? Math.min(now + idle * 1000, began + lifetime * 1000)
}

/**
 * Returns true if a session has ended, even if it was used all the time. One that began in the future has ended: its clock was
 * wrong, and it would last too long.
 */
export function hasEnded({ began, until }: Lifespan, { lifetime }: Limits, now: number): boolean {
  return now > (until ?? began + lifetime * 1000) || began > now + CLOCK_TOLERANCE
}
