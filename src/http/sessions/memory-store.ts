import { RecentMap } from '../../base/recent-map.ts'
import { checkNames } from '../../base/suggest.ts'
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
 * Creates a store in the memory of this process, for development, tests and applications of one process. Sessions are
 * lost when the process ends. The least recently used ones are removed when it is full.
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
  checkNames('memoryStore()', options, 'entries size')
  return new MemoryStore(options)
}

class MemoryStore implements SessionStore {
  readonly #entries: RecentMap<Entry>

  constructor({ entries = 10_000, size = 64 * 1024 * 1024 }: MemoryStoreOptions) {
    if (!(entries > 0 && size > 0)) {
      throw new RangeError(`memoryStore({ entries: ${entries}, size: ${size} }) is invalid. Give numbers above 0.`)
    }
    this.#entries = new RecentMap({ entries, size })
  }

  async get(id: string): Promise<SessionValues | undefined> {
    const entry = this.#find(id)
    return entry && JSON.parse(entry.json)
  }

  async set(id: string, values: SessionValues, seconds: number): Promise<void> {
    const json = JSON.stringify(values)
    const milliseconds = seconds * 1000
    const [until, deadline] = [Date.now() + milliseconds, performance.now() + milliseconds]
    this.#entries.set(id, { json, until, deadline }, json.length)
  }

  async update(id: string, values: SessionValues, seconds: number): Promise<boolean> {
    if (this.#find(id) === undefined) return false
    await this.set(id, values, seconds)
    return true
  }

  async delete(id: string): Promise<boolean> {
    return this.#find(id) !== undefined && this.#entries.delete(id)
  }

  #find(id: string): Entry | undefined {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    if (entry.until > Date.now() && entry.deadline > performance.now()) return entry
    this.#entries.delete(id)
    return undefined
  }
}
