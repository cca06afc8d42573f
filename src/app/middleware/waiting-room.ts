import { getOrCreate } from '../../base/get-or-create.ts'
import { tooManyRequests } from './limit-rule.ts'

/** The attempts of a name. */
interface Attempts {
  running: number
  /** Callbacks of attempts that wait, in their order. */
  readonly waiting: Set<() => void>
}

/** Limits the attempts of each name that run at the same time. Further ones wait. */
export class WaitingRoom {
  readonly #attempts = new Map<string, Attempts>()
  readonly #max: number

  /** @param max - number of attempts that may wait for a name. */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /**
   * Waits until an attempt may run for all of its names.
   *
   * @param free - returns how many attempts of each name may run at the same time, at least one. It is called again when
   *   an attempt has ended. Its errors end the wait.
   * @param signal - ends the wait with its reason.
   * @returns a function that ends the attempt.
   * @throws HTTPTooManyRequests - too many attempts wait for one of the names.
   */
  async enter(
    names: readonly string[],
    free: () => Promise<readonly number[]>,
    signal?: AbortSignal,
  ): Promise<() => void> {
    /** The name whose attempt has ended and woken this one. */
    let wokenBy: string | undefined
    for (;;) {
      let full: string | undefined
      try {
        const limits = await free()
        signal?.throwIfAborted()
        full = names.find((name, at) => (this.#attempts.get(name)?.running ?? 0) >= (limits[at] ?? 0))
      } catch (error) {
        if (wokenBy !== undefined) this.#wake(wokenBy)
        throw error
      }
      if (full === undefined) return this.#begin(names)
      // The place that became free goes to the next one, unless this attempt is waiting for the same name again.
      if (wokenBy !== undefined && wokenBy !== full) this.#wake(wokenBy)
      // An attempt that has waited keeps its place, although others may have come in the meantime.
      if (wokenBy === undefined && this.#of(full).waiting.size >= this.#max) throw tooManyRequests(1)
      await this.#wait(full, signal)
      wokenBy = full
    }
  }

  #begin(names: readonly string[]): () => void {
    for (const name of names) this.#of(name).running += 1
    return () => {
      for (const name of names) {
        this.#of(name).running -= 1
        this.#wake(name)
        this.#forget(name)
      }
    }
  }

  #wake(name: string): void {
    const [next] = this.#attempts.get(name)?.waiting ?? []
    next?.()
  }

  /** Waits until an attempt for a name has ended. */
  #wait(name: string, signal: AbortSignal | undefined): Promise<void> {
    const { waiting } = this.#of(name)
    return new Promise((resolve, reject) => {
      const begin = () => {
        waiting.delete(begin)
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.delete(begin)
        this.#forget(name)
        reject(signal?.reason)
      }
      waiting.add(begin)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #of(name: string): Attempts {
    return getOrCreate(this.#attempts, name, () => ({ running: 0, waiting: new Set() }))
  }

  /** Forgets a name without attempts. */
  #forget(name: string): void {
    const { running, waiting } = this.#of(name)
    if (running === 0 && waiting.size === 0) this.#attempts.delete(name)
  }
}
