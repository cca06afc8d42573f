/**
 * Overload by computing.
 *
 * @module
 */
import { performance } from 'node:perf_hooks'

const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Measures for how long the event loop has not been idle. As long as it is not, something waits, such as connections in the
 * queue of the system, which no other measure shows. A queue that is never empty only adds delay (RFC 8289 §3).
 */
export class BusyLoop {
  readonly #most: number
  #idle = 0
  #since = 0

  /**
   * @param most - longest time without idleness, in milliseconds.
   * @throws RangeError - it is not positive, or too large.
   */
  constructor(most: number) {
    if (!(most > 0 && most <= MAX_MILLISECONDS)) {
      throw new RangeError(
        `maxDelay is ${most}. Pass milliseconds from 1 to ${MAX_MILLISECONDS}, or omit it for no limit.`,
      )
    }
    this.#most = most
  }

  /** Called for each request. Returns true if the event loop has been busy for too long. */
  isLate(): boolean {
    const { idle, active } = performance.eventLoopUtilization()
    const now = performance.now()
    // `active` is 0 in runtimes that do not measure it.
    if (active === 0 || idle !== this.#idle || this.#since === 0) {
      this.#idle = idle
      this.#since = now
    }
    return now - this.#since > this.#most
  }
}
