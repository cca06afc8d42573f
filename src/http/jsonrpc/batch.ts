/** The limits of a batch of calls. */
import { pause } from '../../base/time.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'

/** Time for which the calls of a batch run without a pause. */
const SLICE_MILLISECONDS = 5

/** Bytes of the answers of all batches that are being answered: sixteen of the largest. */
const MAX_IN_ALL = 128 * 1024 * 1024

/** Bytes of the answers so far of all batches that are being answered. */
let takenInAll = 0

/** Resolves when the last of the batches that wait may continue: one in each turn of the event loop. */
let turns: Promise<void> = Promise.resolve()

/** A batch that is being answered: its answers take a limited number of bytes, and other requests are served meanwhile. */
export class Batch {
  readonly #max: number
  #taken = 0
  #isFull = false
  /** When the calls that run without a pause began. The first waits for the turn of the batch. */
  #since = Number.NEGATIVE_INFINITY

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
    this.#isFull ||= this.#taken + bytes > this.#max || takenInAll + bytes > MAX_IN_ALL
    if (!this.#isFull) {
      this.#taken += bytes
      takenInAll += bytes
    }
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
      `The answers of the batch exceed ${this.#max} bytes, or the answers of all batches ${MAX_IN_ALL}. Send fewer calls at a time.`,
    )
  }

  /**
   * Answers the entries of the batch, one after the other. Other requests and batches run in between.
   *
   * @param answer - answers an entry, and counts its answer with {@link take}.
   */
  async run<Entry, Answer>(
    entries: readonly Entry[],
    answer: (entry: Entry, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    try {
      for (const entry of entries) {
        await this.#breathe()
        answers.push(await answer(entry, this))
      }
    } finally {
      takenInAll -= this.#taken
    }
    return answers
  }

  /** Waits for the turn of the batch if its calls have run for some milliseconds. */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MILLISECONDS) return
    turns = turns.then(pause)
    await turns
    this.#since = performance.now()
  }
}
