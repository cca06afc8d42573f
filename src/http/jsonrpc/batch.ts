/** The limits of a batch of calls. */
import { pause } from '../../base/pause.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'

/** Time for which the calls of a batch run without a pause. */
const SLICE_MILLISECONDS = 5

/** A batch that is being answered: its answers take a limited number of bytes, and other requests are served meanwhile. */
export class Batch {
  readonly #max: number
  #taken = 0
  #isFull = false
  #since = performance.now()

  /** @param max - bytes of all answers. */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Counts the bytes of an answer. If it does not fit, the batch is full: no further answer fits, so that none overtakes one
   * that the client misses.
   *
   * @returns whether the answer fits.
   */
  take(bytes: number): boolean {
    this.#isFull ||= this.#taken + bytes > this.#max
    if (!this.#isFull) this.#taken += bytes
    return !this.#isFull
  }

  /** @throws JSONRPCError - the batch is full, so that a call need not run. */
  requireRoom(): void {
    if (this.#isFull) throw this.refusal()
  }

  /** Returns the failure of a call whose answer does not fit. */
  refusal(): JSONRPCError {
    return new JSONRPCError(
      JSONRPCErrorCode.limitExceeded,
      `The answers of the batch exceed ${this.#max} bytes. Send fewer calls at a time.`,
    )
  }

  /** Lets other requests run if the calls have kept them waiting for some milliseconds. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MILLISECONDS) return
    await pause()
    this.#since = performance.now()
  }
}
