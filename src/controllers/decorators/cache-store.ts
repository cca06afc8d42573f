/** Stores of cached responses. */

import { chunkLength } from '../../base/bytes.ts'
import { RecentMap } from '../../base/recent-map.ts'
import type { HeaderPair } from '../../wsgi/types.ts'

/** A stored response. Stores return it unchanged. */
export interface CachedResponse {
  /** The status line, for instance `200 OK`. */
  readonly status: string
  readonly headers: readonly Readonly<HeaderPair>[]
  /** The body: a string, or bytes. */
  readonly body: string | Uint8Array
}

/** A store for `cached`: in memory, or shared by several processes. It may be asynchronous. */
export interface CacheStore {
  /** Returns the response of a key, or undefined if it is missing or expired. */
  get(key: string): CachedResponse | undefined | Promise<CachedResponse | undefined>
  /** Stores a response for a number of seconds. A store may remove it earlier. */
  set(key: string, response: CachedResponse, expires: number): void | Promise<void>
  /**
   * Claims a key whose response is missing, for stores of several processes. Resolves to a claim if this process is to run the
   * action; to the response of another process, after it was stored; or to undefined to run the action without a claim.
   */
  claim?(key: string): Promise<Claim | CachedResponse | undefined>
}

/** The claim of a process to compute a response. */
export interface Claim {
  /** Ends the claim. Called when the response has been stored, or cannot be. */
  release(): Promise<void>
}

/** Options of a {@link MemoryCache}. */
export interface MemoryCacheOptions {
  /** Maximum number of responses. Defaults to 1000. */
  readonly entries?: number
  /** Maximum total size in bytes, keys and headers included. Defaults to 16 MiB. */
  readonly bytes?: number
  /**
   * A monotonic clock, in milliseconds. Defaults to `performance.now()`. `Date.now()` is not monotonic: adjusting the
   * system clock would expire responses too late or too early.
   */
  readonly now?: () => number
}

/**
 * Stores responses in memory, up to a number and a total size. The least recently used one is removed first. A response
 * that exceeds the total size is not stored.
 *
 * @throws RangeError - a maximum is not a number above 0.
 *
 * @example
 * ```ts
 * import { MemoryCache } from 'propylon/decorators'
 *
 * const pages = new MemoryCache({ entries: 100, bytes: 1_000_000 })
 * ```
 */
export class MemoryCache implements CacheStore {
  /** Responses, and the times on the clock when they expire. */
  readonly #entries: RecentMap<{ readonly response: CachedResponse; readonly until: number }>
  readonly #now: () => number

  constructor({
    entries = 1000,
    bytes = 16 * 1024 * 1024,
    now = () => performance.now(),
  }: MemoryCacheOptions = {}) {
    if (!(entries > 0 && bytes > 0))
      throw new RangeError(
        `MemoryCache({ entries: ${entries}, bytes: ${bytes} }) is invalid. Give numbers above 0.`,
      )
    this.#entries = new RecentMap({ entries, size: bytes })
    this.#now = now
  }

  /** Number of stored responses, including expired ones. */
  get size(): number {
    return this.#entries.size
  }

  /** Total size in bytes. */
  get bytes(): number {
    return this.#entries.total
  }

  get(key: string): CachedResponse | undefined {
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.until > this.#now()) return entry.response
    this.delete(key)
    return undefined
  }

  set(key: string, response: CachedResponse, expires: number): void {
    const until = this.#now() + expires * 1000
    this.#entries.set(key, { response, until }, sizeOf(key, response))
  }

  /** Removes a response. Returns whether there was one. */
  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  /** Removes all responses. */
  clear(): void {
    this.#entries.clear()
  }
}

function sizeOf(key: string, { headers, body }: CachedResponse): number {
  let size = key.length + chunkLength(body)
  for (const [name, value] of headers) size += name.length + value.length
  return size
}
