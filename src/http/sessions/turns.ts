/** Runs tasks that have the same key one after another, in the order in which they are added. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a task after those with the same key that were added before, whether they succeed or not. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key)
    const result = previous === undefined ? task() : previous.then(task, task)
    this.#last.set(key, result)
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key)
    }
    result.then(forget, forget)
    return result
  }
}
