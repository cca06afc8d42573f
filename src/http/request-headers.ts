/**
 * The header fields of a request, and of the parts of its body.
 *
 * @module
 */

import { environHeaders, environKey } from '../wsgi/environ.ts'

/**
 * A read-only, case-insensitive view of the header fields in an environ.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class AgentController extends WSGIController {
 *   index() {
 *     return this.request.headers.get('user-agent') ?? 'unknown'
 *   }
 * }
 * ```
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  readonly #environ: Readonly<Record<string, unknown>>
  readonly #reads: { HTTP_COOKIE: number }

  /**
   * @param environ - an environ, or the fields by their keys in an environ.
   * @param reads - counts reads of the field Cookie.
   */
  constructor(environ: Readonly<Record<string, unknown>>, reads = { HTTP_COOKIE: 0 }) {
    this.#environ = environ
    this.#reads = reads
  }

  /** Returns the value of a field, or `undefined`. The gateway has joined repeated fields. */
  get(name: string): string | undefined {
    const key = environKey(name)
    if (key === undefined) return undefined
    if (key === 'HTTP_COOKIE') this.#reads.HTTP_COOKIE += 1
    const value = this.#environ[key]
    if (typeof value !== 'string') return undefined
    // PEP 3333: these two may be empty if the request has no such field.
    return value === '' && (key === 'CONTENT_TYPE' || key === 'CONTENT_LENGTH') ? undefined : value
  }

  /** Returns true if the request has the field. */
  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Iterates over the fields, with names in lower case. */
  entries(): IterableIterator<[name: string, value: string]> {
    this.#reads.HTTP_COOKIE += 1
    return environHeaders(this.#environ).values()
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }
}

/** Decodes a header field of UTF-8. Returns one that is not UTF-8 unchanged. */
export function decodeUtf8(field: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of bytes
  if (!/^[\u0000-\u00ff]*$/.test(field)) return field
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(field, (char) => char.charCodeAt(0)))
  } catch {
    return field
  }
}
