/** Cached responses, and stores of them. */

import { concatBytes, toBytes, totalLength } from '../../base/bytes.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { checkNames } from '../../base/suggest.ts'
import { Response, type ResponseBody } from '../../http/response.ts'
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

  constructor(options: MemoryCacheOptions = {}) {
    checkNames('MemoryCache', options, 'entries bytes now')
    const { entries = 1000, bytes = 16 * 1024 * 1024, now = () => performance.now() } = options
    if (!(entries > 0 && bytes > 0)) {
      throw new RangeError(`MemoryCache({ entries: ${entries}, bytes: ${bytes} }): give numbers above 0.`)
    }
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
    const size = totalLength([key, response.body, ...response.headers.flat()])
    this.#entries.set(key, { response, until }, size)
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

/**
 * Header fields that are stored: those that describe the body or its caching. `Vary` is added when the response is
 * finished.
 */
const STORED_FIELDS =
  /^(?:content-(?:type|language|disposition|encoding|location)|cache-control|etag|expires|last-modified|link)$/i

/** Returns a response as it is stored. Undefined if its body is a stream. */
export function storedForm(response: Response, further: readonly string[] = []): CachedResponse | undefined {
  const body = bodyInMemory(response.body)
  if (body === undefined) return undefined
  const { statusLine: status, contentType, headers: all } = response.copy()
  if (contentType !== null) all.setDefault('Content-Type', contentType)
  const names = new Set(further.map((name) => name.toLowerCase()))
  const headers = [...all].filter(([name]) => STORED_FIELDS.test(name) || names.has(name.toLowerCase()))
  return { status, headers, body }
}

/** Returns a copy of a body, because the action may reuse its buffers. Undefined for a stream. */
function bodyInMemory(body: ResponseBody): string | Uint8Array | undefined {
  if (body === null || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return body.slice()
  // concatBytes() returns a single chunk as it is.
  return Array.isArray(body) ? concatBytes(body.map(toBytes)).slice() : undefined
}

/** Creates a response from its stored form. Hooks may change it. */
export function replay({ status, headers, body }: CachedResponse): Response {
  const response = new Response(body, { status, headers })
  if (!response.headers.has('content-type')) response.contentType = null
  return response
}
