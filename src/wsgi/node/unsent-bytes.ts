/**
 * The memory for responses that their clients do not read.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A response that is in memory as a whole, or the socket of a WebSocket. */
type Sender = ServerResponse | Socket

/** Length from which on responses count. Shorter ones are not worth the accounting. */
export const COUNTED_LENGTH = 16 * 1024

/**
 * Bounds the unsent bytes of the responses that are in memory as a whole, and of WebSockets, of a server together. Beyond it the connections are
 * cut that have waited for their clients for longest. Streamed responses need no bound: they wait for their clients.
 */
export class UnsentBytes {
  readonly #max: number
  /** Unsent bytes when they were last counted, the longest-waiting sender first. */
  readonly #waiting = new Map<Sender, number>()
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

  /**
   * Counts a response of at least {@link COUNTED_LENGTH} that has been written as a whole, or what a WebSocket has been sent so
   * far. What the system has taken costs nothing.
   */
  add(sender: Sender): void {
    const unsent = unsentOf(sender)
    if (unsent === 0) return
    const before = this.#waiting.get(sender)
    this.#waiting.set(sender, unsent)
    this.#held += unsent - (before ?? 0)
    // Emitted exactly once: when the response is complete, or when the connection is lost.
    if (before === undefined) sender.once('close', () => this.#remove(sender))
    if (this.#held > this.#max) this.#cut(sender)
  }

  #remove(sender: Sender): void {
    this.#held -= this.#waiting.get(sender) ?? 0
    this.#waiting.delete(sender)
  }

  /** @param newest - is not cut: it may be longer than the bound, and its client has had no time to read. */
  #cut(newest: Sender): void {
    // Clients may have read in the meantime.
    this.#held = 0
    for (const sender of this.#waiting.keys()) {
      const unsent = unsentOf(sender)
      this.#waiting.set(sender, unsent)
      this.#held += unsent
    }
    for (const sender of this.#waiting.keys()) {
      if (this.#held <= this.#max) return
      if (sender === newest) continue
      this.#remove(sender)
      sender.destroy()
    }
  }
}

function unsentOf(sender: Sender): number {
  return 'socket' in sender ? (sender.socket?.writableLength ?? 0) : sender.writableLength
}
