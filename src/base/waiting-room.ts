import { getOrCreate } from './get-or-create.ts'

/** The work of a name. */
interface Work {
  running: number
  /** Callbacks of the work that waits, in their order. */
  readonly waiting: Set<() => void>
}

/** Limits the work of each name that runs at the same time. Further work waits, up to a bound. */
export class WaitingRoom {
  readonly #work = new Map<string, Work>()
  readonly #max: number
  readonly #refusal: () => Error

  /**
   * @param max - how much work may wait for a name.
   * @param refusal - returns the error for work beyond it.
   */
  constructor(max: number, refusal: () => Error) {
    this.#max = max
    this.#refusal = refusal
  }

  /**
   * Waits until work may run for all of its names.
   *
   * @param free - returns how much work of each name may run at the same time, at least one. It is called again when
   *   work has ended. Its errors end the wait.
   * @param signal - ends the wait with its reason.
   * @returns a function that ends the work.
   * @throws the refusal - too much work waits for one of the names.
   */
  async enter(
    names: readonly string[],
    free: () => Promise<readonly number[]>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<() => void> {
    /** The name whose work has ended and woken this one. */
    let wokenBy: string | undefined
    for (;;) {
      let full: string | undefined
      try {
        const limits = await free()
        signal?.throwIfAborted()
        full = names.find((name, at) => (this.#work.get(name)?.running ?? 0) >= (limits[at] ?? 0))
      } catch (error) {
        if (wokenBy !== undefined) this.#wake(wokenBy)
        throw error
      }
      if (full === undefined) return this.#begin(names)
      // The place that became free goes to the next one, unless this work is waiting for the same name again.
      if (wokenBy !== undefined && wokenBy !== full) this.#wake(wokenBy)
      // Work that has waited keeps its place, although others may have come in the meantime.
      if (wokenBy === undefined && this.#of(full).waiting.size >= this.#max) throw this.#refusal()
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
    const [next] = this.#work.get(name)?.waiting ?? []
    next?.()
  }

  /** Waits until work of a name has ended. */
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

  #of(name: string): Work {
    return getOrCreate(this.#work, name, () => ({ running: 0, waiting: new Set() }))
  }

  /** Forgets a name without work. */
  #forget(name: string): void {
    const { running, waiting } = this.#of(name)
    if (running === 0 && waiting.size === 0) this.#work.delete(name)
  }
}
