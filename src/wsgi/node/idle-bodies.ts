/**
 * The time for which a client may stop in the middle of a request body.
 *
 * @module
 */

/** A request body that is arriving. */
export interface ArrivingBody {
  /** Number of bytes that have been read. */
  readonly received: number
  /** Whether the application waits for the client. False while it does something else. */
  readonly isAwaited: boolean
  /** Closes the connection. */
  expire(): void
}

interface Progress {
  received: number
  /** Number of checks since the body was read or was not awaited. */
  checks: number
}

const CHECKS_PER_TIMEOUT = 4
/** The first check may come directly after the read began. */
const MAX_CHECKS = CHECKS_PER_TIMEOUT + 1

/**
 * Closes the connections of clients that send nothing for a time while the application waits for the body. A slow upload
 * that makes progress may take any time.
 *
 * One interval checks all bodies, because a timer for each would cost a small form more than the rest of its reading.
 */
export class IdleBodies {
  readonly #timeout: number
  readonly #bodies = new Map<ArrivingBody, Progress>()
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * @param timeout - in milliseconds; 0 for none.
   * @throws RangeError - it is negative, not a number, or too large for a timer.
   */
  constructor(timeout: number) {
    if (!(timeout >= 0 && timeout < 2 ** 31)) {
      throw new RangeError(
        `bodyTimeout is ${timeout}. Pass milliseconds from 0 to ${2 ** 31 - 1}; 0 is no limit.`,
      )
    }
    this.#timeout = timeout
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
      const { received, isAwaited } = body
      progress.checks = isAwaited && received === progress.received ? progress.checks + 1 : 0
      progress.received = received
      if (progress.checks === MAX_CHECKS) body.expire()
    }
  }
}
