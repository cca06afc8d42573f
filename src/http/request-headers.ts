/**
 * The request's header fields, seen through the environ.
 *
 * @module
 */

import { environHeaders } from '../wsgi/environ.ts'
import { environKey } from '../wsgi/request-header-names.ts'
import type { Environ } from '../wsgi/types.ts'

/** A read-only, case-insensitive view of the request's header fields. */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  readonly #environ: Environ

  constructor(environ: Environ) {
    this.#environ = environ
  }

  /** A field's value. Fields that were repeated are one value, as the gateway joined them. */
  get(name: string): string | undefined {
    const key = environKey(name)
    if (key === undefined) return undefined
    const value = this.#environ[key]
    if (typeof value !== 'string') return undefined
    // PEP 3333: these two may be empty where the request has no such field.
    return value === '' && (key === 'CONTENT_TYPE' || key === 'CONTENT_LENGTH') ? undefined : value
  }

  /** Whether the request has the field. */
  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** The fields, their names in lower case. */
  entries(): IterableIterator<[name: string, value: string]> {
    return environHeaders(this.#environ).values()
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }

  /** As a record without a prototype, for logs. */
  toJSON(): Record<string, string> {
    const record: Record<string, string> = Object.create(null)
    for (const [name, value] of this.entries()) record[name] = value
    return record
  }
}
