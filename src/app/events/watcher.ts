import { getOrCreate } from '../../base/get-or-create.ts'

/** Time before a lost connection is opened again, in milliseconds. It doubles with each failure. */
const SHORTEST_DELAY = 100
const LONGEST_DELAY = 5000

/** Calls the listeners of a channel, or of all channels. */
export type Ring = (name?: string) => void

/**
 * Opens a connection that receives the names of channels with new events, and closes it when the signal is aborted.
 * It rings all channels once it is open, because notifications may have been lost.
 *
 * @returns a promise that is settled when the connection is closed or lost.
 */
export type Listen = (ring: Ring, signal: AbortSignal) => Promise<void>

/** One connection for the notifications of all channels of a database. It is open while there are listeners. */
class Watcher {
  readonly #listen: Listen
  readonly #listeners = new Set<{ readonly name: string; readonly wake: () => void }>()
  #ending = new AbortController()

  constructor(listen: Listen) {
    this.#listen = listen
  }

  watch(name: string, wake: () => void): () => void {
    const listener = { name, wake }
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#ending = new AbortController()
      void this.#run(this.#ending.signal)
    }
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#ending.abort()
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    let delay = SHORTEST_DELAY
    const ring: Ring = (name) => {
      delay = SHORTEST_DELAY
      for (const { name: own, wake } of this.#listeners) if (name === undefined || name === own) wake()
    }
    while (!signal.aborted) {
      // A channel reads its events now and then anyway, and reports the error if that fails too.
      await this.#listen(ring, signal).catch(() => {})
      if (signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, delay).unref())
      delay = Math.min(delay * 2, LONGEST_DELAY)
    }
  }
}

/** The connection that listens, of each database. */
const watchers = new WeakMap<object, Watcher>()

/** Calls `wake` when a channel of a database has news. Returns a function that ends it. */
export function watch<Database extends object>(
  database: Database,
  listen: (database: Database, ...how: Parameters<Listen>) => Promise<void>,
  name: string,
  wake: () => void,
): () => void {
  const create = () => new Watcher((...how) => listen(database, ...how))
  return getOrCreate(watchers, database, create).watch(name, wake)
}

/** Resolves when a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
