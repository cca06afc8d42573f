/** Where finished answers are kept. */
import { chunkLength } from '../wsgi/bytes.ts'
import type { HeaderPair } from '../wsgi/types.ts'

/** A finished answer. A store gives it back as it was given. */
export interface CachedAnswer {
  /** The status line, `200 OK`. */
  readonly status: string
  readonly headers: readonly Readonly<HeaderPair>[]
  /** Text stays text, bytes stay bytes. */
  readonly body: string | Uint8Array
}

/** Where `cached` keeps answers: in memory, or in a store that processes share, which may be asynchronous. */
export interface CacheStore {
  /** The answer of a key, undefined when there is none or its time is over. */
  get(key: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>
  /** Keeps an answer for a number of seconds. A store may forget it sooner. */
  set(key: string, answer: CachedAnswer, expires: number): void | Promise<void>
}

/** How much a {@link MemoryCache} keeps. */
export interface MemoryCacheOptions {
  /** The most answers; 1000 when absent. */
  readonly entries?: number
  /** The most bytes that they take together, keys and headers included; 16 MiB when absent. */
  readonly bytes?: number
  /**
   * The clock, in milliseconds; `performance.now()` when absent. It must not go backwards, so the time of day does not
   * do: an adjusted clock would keep answers for too long or drop them.
   */
  readonly now?: () => number
}

interface Entry {
  readonly answer: CachedAnswer
  /** Expiry time on the cache's clock, in milliseconds. */
  readonly until: number
  readonly size: number
}

/**
 * Answers in memory, within bounds: what was not asked for longest goes first. An answer that is larger than all the
 * room is not kept.
 *
 * @throws RangeError when a bound is not a number above 0.
 *
 * @example
 * ```ts
 * import { MemoryCache } from 'propylon/decorators'
 *
 * const pages = new MemoryCache({ entries: 100, bytes: 1_000_000 })
 * ```
 */
export class MemoryCache implements CacheStore {
  readonly #entries = new Map<string, Entry>()
  readonly #most: { readonly entries: number; readonly bytes: number }
  readonly #now: () => number
  #bytes = 0

  constructor({ entries = 1000, bytes = 16 * 1024 * 1024, now = monotonicNow }: MemoryCacheOptions = {}) {
    if (!(entries > 0 && bytes > 0))
      throw new RangeError('a MemoryCache keeps at least one answer and one byte')
    this.#most = { entries, bytes }
    this.#now = now
  }

  /** How many answers are kept, those among them whose time is over. */
  get size(): number {
    return this.#entries.size
  }

  /** How many bytes they take. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): CachedAnswer | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until <= this.#now()) {
      this.delete(key)
      return undefined
    }
    // A map keeps the order of insertion, so the first is always the one not asked for longest.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.answer
  }

  set(key: string, answer: CachedAnswer, expires: number): void {
    this.delete(key)
    const size = sizeOf(key, answer)
    if (size > this.#most.bytes) return
    this.#entries.set(key, { answer, until: this.#now() + expires * 1000, size })
    this.#bytes += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most.entries && this.#bytes <= this.#most.bytes) break
      this.delete(oldest)
    }
  }

  /** Forgets an answer and says whether there was one. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#bytes -= entry.size
    return this.#entries.delete(key)
  }

  /** Forgets all answers. */
  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }
}

function monotonicNow(): number {
  return performance.now()
}

function sizeOf(key: string, { headers, body }: CachedAnswer): number {
  let size = key.length + chunkLength(body)
  for (const [name, value] of headers) size += name.length + value.length
  return size
}
