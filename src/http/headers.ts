/**
 * Response header fields: ordered, case-insensitive and validated.
 *
 * @module
 */

import { checkHeader } from '../wsgi/response-head.ts'
import type { HeaderPair } from '../wsgi/types.ts'

/**
 * Header fields as pairs (an array, a `HeaderList`, the platform's `Headers`) or as a record. In a record, a list of
 * values becomes repeated fields, and `undefined` is omitted.
 */
export type HeadersLike =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | number | readonly string[] | undefined>>

/**
 * The header fields of a response, in the order in which they are sent. Names are compared case-insensitively and
 * sent in the given case.
 *
 * @throws TypeError - a name is not a token (RFC 9110 §5.6.2), or a value contains a line break or another control
 *   character. Thrown by the constructor and by every method that adds fields.
 *
 * @example
 * ```ts
 * import { HeaderList } from 'propylon/http'
 *
 * const headers = new HeaderList({ Vary: 'Accept' })
 * headers.append('Set-Cookie', 'a=1')
 * headers.get('vary') // 'Accept'
 * ```
 */
export class HeaderList implements Iterable<HeaderPair> {
  #pairs: HeaderPair[] = []

  constructor(init?: HeadersLike) {
    if (init !== undefined) this.extend(init)
  }

  /** Number of fields, repeated ones included. */
  get size(): number {
    return this.#pairs.length
  }

  /**
   * Returns the value of a field, or `undefined`. Repeated fields are joined with `, ` (RFC 9110 §5.3). `Set-Cookie`
   * cannot be joined: its first value is returned.
   */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase()
    let value: string | undefined
    for (const pair of this.#pairs) {
      if (!isNamed(pair, wanted)) continue
      if (value === undefined) {
        value = pair[1]
        if (wanted === 'set-cookie') return value
      } else value += `, ${pair[1]}`
    }
    return value
  }

  /** Returns the values of all fields with a name, in order. */
  getAll(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.#pairs.filter((pair) => isNamed(pair, wanted)).map((pair) => pair[1])
  }

  /** Returns true if there is a field with this name. */
  has(name: string): boolean {
    const wanted = name.toLowerCase()
    return this.#pairs.some((pair) => isNamed(pair, wanted))
  }

  /** Sets a field. It replaces all fields with the same name, at the position of the first. */
  set(name: string, value: string): this {
    checkHeader(name, value)
    const wanted = name.toLowerCase()
    const pairs = this.#pairs
    const at = pairs.length === 0 ? -1 : pairs.findIndex((pair) => isNamed(pair, wanted))
    if (at === -1) {
      pairs.push([name, value])
      return this
    }
    const kept = pairs.filter((pair, index) => index <= at || !isNamed(pair, wanted))
    kept[at] = [name, value]
    this.#pairs = kept
    return this
  }

  /** Adds a field at the end, also if there is one with the same name. */
  append(name: string, value: string): this {
    checkHeader(name, value)
    this.#pairs.push([name, value])
    return this
  }

  /** Adds a field unless there is one with the same name. */
  setDefault(name: string, value: string): this {
    return this.has(name) ? this : this.append(name, value)
  }

  /** Removes all fields with a name. Returns whether there were any. */
  delete(name: string): boolean {
    const wanted = name.toLowerCase()
    const kept = this.#pairs.filter((pair) => !isNamed(pair, wanted))
    const found = kept.length < this.#pairs.length
    this.#pairs = kept
    return found
  }

  /** Adds fields at the end. */
  extend(fields: HeadersLike): this {
    if (fields instanceof HeaderList) {
      // They have been checked.
      this.#pairs.push(...fields.toPairs())
      return this
    }
    if (isIterable(fields)) {
      for (const [name, value] of fields) this.append(name, value)
      return this
    }
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      if (value === undefined) continue
      if (typeof value === 'object') for (const one of value) this.append(name, one)
      else this.append(name, String(value))
    }
    return this
  }

  /**
   * Adds a token to a comma-separated field such as `Vary`, unless the field contains it (in any case). Several
   * fields become one. `*` replaces all other tokens.
   */
  addToken(name: string, token: string): this {
    const present = this.get(name)
    if (present === undefined) return this.append(name, token)
    const wanted = token.toLowerCase()
    const tokens = present.split(',').map((one) => one.trim().toLowerCase())
    if (wanted === '*' || tokens.includes('*')) return this.set(name, '*')
    return this.set(name, tokens.includes(wanted) ? present : `${present}, ${token}`)
  }

  /** Returns a deep copy of the pairs, for `start_response`: middleware may change it. */
  toPairs(): HeaderPair[] {
    return this.#pairs.map(copyPair)
  }

  /** Iterates over the pairs in order. */
  entries(): IterableIterator<HeaderPair> {
    return this.toPairs().values()
  }

  [Symbol.iterator](): IterableIterator<HeaderPair> {
    return this.entries()
  }
}

function copyPair(pair: HeaderPair): HeaderPair {
  return [pair[0], pair[1]]
}

function isNamed(pair: HeaderPair, lowerCaseName: string): boolean {
  const name = pair[0]
  return name.length === lowerCaseName.length && (name === lowerCaseName || name.toLowerCase() === lowerCaseName)
}

function isIterable(fields: HeadersLike): fields is Iterable<readonly [string, string]> {
  return Symbol.iterator in fields
}
