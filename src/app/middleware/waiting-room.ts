import { getOrCreate } from '../../base/get-or-create.ts'

/** The attempts of a name. */
interface Attempts {
  running: number
  /** Callbacks of attempts that wait, in their order. */
  readonly waiting: (() => void)[]
}

/** Limits the attempts of each name that run at the same time. Further ones wait. */
export class WaitingRoom {
  readonly #attempts = new Map<string, Attempts>()

  /**
   * Waits until an attempt may run for all of its names.
   *
   * @param free - returns how many attempts of each name may run at the same time, at least one. It is called again when
   *   an attempt has ended. Its errors end the wait.
   * @returns a function that ends the attempt.
   */
  async enter(names: readonly string[], free: () => Promise<readonly number[]>): Promise<() => void> {
    /** The name whose attempt has ended and woken this one. */
    let wokenBy: string | undefined
    for (;;) {
      let full: string | undefined
      try {
        const limits = await free()
        full = names.find((name, at) => (this.#attempts.get(name)?.running ?? 0) >= (limits[at] ?? 0))
      } catch (error) {
        if (wokenBy !== undefined) this.#wake(wokenBy)
        throw error
      }
      if (full === undefined) return this.#begin(names)
      // The place that became free goes to the next one, unless this attempt is waiting for the same name again.
      if (wokenBy !== undefined && wokenBy !== full) this.#wake(wokenBy)
      await this.#wait(full)
      wokenBy = full
    }
  }

  #begin(names: readonly string[]): () => void {
    for (const name of names) this.#of(name).running += 1
    return () => {
      for (const name of names) {
        this.#of(name).running -= 1
        this.#wake(name)
        const { running, waiting } = this.#of(name)
        if (running === 0 && waiting.length === 0) this.#attempts.delete(name)
      }
    }
  }

  #wake(name: string): void {
    this.#attempts.get(name)?.waiting.shift()?.()
  }

  #wait(name: string): Promise<void> {
    return new Promise((resolve) => this.#of(name).waiting.push(resolve))
  }

  #of(name: string): Attempts {
    return getOrCreate(this.#attempts, name, () => ({ running: 0, waiting: [] }))
  }
}
