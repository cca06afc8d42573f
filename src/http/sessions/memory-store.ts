import type { SessionValues } from './data.ts'
import type { SessionStore } from './store.ts'

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Maximum number of sessions. Defaults to 10,000. */
  readonly entries?: number
  /** Maximum total size of the values as JSON, in UTF-16 code units. Defaults to 64 Mi. */
  readonly size?: number
}

interface Entry {
  /** The values as JSON, so that no request changes what another one has stored. */
  readonly json: string
  /** Time at which it ends, in milliseconds since 1970. */
  readonly until: number
  /** The same time of the monotonic clock, which ends it if the clock of the system is set back. */
  readonly deadline: number
}

/**
 * Creates a store in the memory of this process, for development, tests and applications of one process. Sessions are lost
 * when the process ends. The least recently used ones are removed when it is full.
 *
 * @throws RangeError - a maximum is not a number above 0.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { memoryStore } from 'propylon/sessions'
 *
 * const secret = process.env.SECRET ?? 'a secret for development, of 32 or more characters'
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   session: { secret, store: memoryStore() },
 * })
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  return new MemoryStore(options)
}

class MemoryStore implements SessionStore {
  readonly #entries = new Map<string, Entry>()
  readonly #most: { readonly entries: number; readonly size: number }
  #size = 0

  constructor({ entries = 10_000, size = 64 * 1024 * 1024 }: MemoryStoreOptions) {
    if (!(entries > 0 && size > 0)) {
      throw new RangeError(
        `memoryStore({ entries: ${entries}, size: ${size} }) is invalid. Give numbers above 0.`,
      )
    }
    this.#most = { entries, size }
  }

  async get(id: string): Promise<SessionValues | undefined> {
    const entry = this.#find(id)
    if (entry === undefined) return undefined
    // A Map iterates in insertion order, so the first entry is the least recently used.
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    const values: SessionValues = JSON.parse(entry.json)
    return values
  }

  async set(id: string, values: SessionValues, seconds: number): Promise<void> {
    this.#remove(id)
    const json = JSON.stringify(values)
    const milliseconds = seconds * 1000
    this.#entries.set(id, {
      json,
      until: Date.now() + milliseconds,
      deadline: performance.now() + milliseconds,
    })
    this.#size += json.length
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most.entries && this.#size <= this.#most.size) break
      this.#remove(oldest)
    }
  }

  async update(id: string, values: SessionValues, seconds: number): Promise<boolean> {
    if (this.#find(id) === undefined) return false
    await this.set(id, values, seconds)
    return true
  }

  async delete(id: string): Promise<boolean> {
    const wasPresent = this.#find(id) !== undefined
    this.#remove(id)
    return wasPresent
  }

  #find(id: string): Entry | undefined {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    if (entry.until > Date.now() && entry.deadline > performance.now()) return entry
    this.#remove(id)
    return undefined
  }

  #remove(id: string): void {
    this.#size -= this.#entries.get(id)?.json.length ?? 0
    this.#entries.delete(id)
  }
}
