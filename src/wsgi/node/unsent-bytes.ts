/**
 * The memory for responses that their clients do not read.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'

/** Length from which on responses count. Shorter ones are not worth the accounting. */
export const COUNTED_LENGTH = 16 * 1024

/**
 * Bounds the unsent bytes of the responses that are in memory as a whole, of a server together. Beyond it the connections are
 * cut that have waited for their clients for longest. Streamed responses need no bound: they wait for their clients.
 */
export class UnsentBytes {
  readonly #max: number
  /** Unsent bytes when they were last counted, the longest-waiting response first. */
  readonly #waiting = new Map<ServerResponse, number>()
  #held = 0

  /**
   * @param max - in bytes; Infinity for no bound.
   * @throws RangeError - it is negative or not a number.
   */
  constructor(max: number) {
    if (!(max >= 0)) {
      throw new RangeError(
        `maxUnsentBytes is ${max}. Pass a number of bytes from 0, or Infinity for no bound.`,
      )
    }
    this.#max = max
  }

  /** Counts a response of at least {@link COUNTED_LENGTH} that has been written as a whole. Responses that the system has taken cost nothing. */
  add(res: ServerResponse): void {
    const unsent = unsentOf(res)
    if (unsent === 0) return
    this.#waiting.set(res, unsent)
    this.#held += unsent
    // Emitted exactly once: when the response is complete, or when the connection is lost.
    res.once('close', () => this.#remove(res))
    if (this.#held > this.#max) this.#cut(res)
  }

  #remove(res: ServerResponse): void {
    this.#held -= this.#waiting.get(res) ?? 0
    this.#waiting.delete(res)
  }

  /** @param newest - is not cut: it may be longer than the bound, and its client has had no time to read. */
  #cut(newest: ServerResponse): void {
    // Clients may have read in the meantime.
    this.#held = 0
    for (const res of this.#waiting.keys()) {
      const unsent = unsentOf(res)
      this.#waiting.set(res, unsent)
      this.#held += unsent
    }
    for (const res of this.#waiting.keys()) {
      if (this.#held <= this.#max) return
      if (res === newest) continue
      this.#remove(res)
      res.destroy()
    }
  }
}

function unsentOf({ socket }: ServerResponse): number {
  return socket?.writableLength ?? 0
}
