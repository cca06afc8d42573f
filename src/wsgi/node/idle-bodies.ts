/**
 * The time in which a client must send a part of a request body.
 *
 * @module
 */

/** A request body that is arriving. */
export interface ArrivingBody {
  /** Number of bytes that have been read. */
  readonly received: number
  /** Whether the application waits for the client. False while it does something else. */
  readonly isAwaited: boolean
  /** Whether bytes of the body are kept in memory. */
  readonly isGathered: boolean
  /** Closes the connection. */
  expire(): void
}

interface Progress {
  /** Number of bytes that had been read when the time began. */
  received: number
  /** Number of checks since then. The time begins again when enough has arrived, and while the body is not awaited. */
  checks: number
}

/** Bytes in a second that a client must send of a body that is gathered in memory. */
const MIN_RATE = 500

const CHECKS_PER_TIMEOUT = 4
/** The first check may come directly after the read began. */
const MAX_CHECKS = CHECKS_PER_TIMEOUT + 1

/**
 * Closes the connections of clients that send too little within a time while the application waits for the body:
 * nothing of a body that the application reads piece by piece, and less than {@link MIN_RATE} of one that is gathered
 * in memory, where a byte a minute would hold the rest for ever.
 *
 * One interval checks all bodies, because a timer for each would cost a small form more than the rest of its reading.
 */
export class IdleBodies {
  readonly #timeout: number
  /** Number of bytes of a gathered body that must arrive in the time. */
  readonly #enough: number
  readonly #bodies = new Map<ArrivingBody, Progress>()
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * @param timeout - in milliseconds; 0 for none.
   * @throws RangeError - it is negative, not a number, or too large for a timer.
   */
  constructor(timeout: number) {
    if (!(timeout >= 0 && timeout < 2 ** 31)) {
      throw new RangeError(`bodyTimeout is ${timeout}. Pass milliseconds from 0 to ${2 ** 31 - 1}; 0 is no limit.`)
    }
    this.#timeout = timeout
    this.#enough = Math.max(1, Math.floor((timeout / 1000) * MIN_RATE))
  }

  add(body: ArrivingBody): void {
    if (this.#timeout === 0) return
    this.#bodies.set(body, { received: body.received, checks: 0 })
    this.#timer ??= setInterval(this.#check, this.#timeout / CHECKS_PER_TIMEOUT).unref()
  }

  delete(body: ArrivingBody): void {
    this.#bodies.delete(body)
  }

  readonly #check = (): void => {
    if (this.#bodies.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    for (const [body, progress] of this.#bodies) {
      const { received, isAwaited, isGathered } = body
      const enough = isGathered ? this.#enough : 1
      if (isAwaited && received - progress.received < enough) progress.checks += 1
      else {
        progress.checks = 0
        progress.received = received
      }
      if (progress.checks === MAX_CHECKS) body.expire()
    }
  }
}
