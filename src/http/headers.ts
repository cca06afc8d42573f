/**
 * Response header fields: ordered, case-insensitive, safe from injection.
 *
 * @module
 */

import { checkHeader } from '../wsgi/response-head.ts'
import type { HeaderPair } from '../wsgi/types.ts'

/**
 * Whatever header fields can be made from: pairs (an array, a `HeaderList`, the platform's `Headers`) or a record. In a
 * record, a list of values becomes repeated fields and `undefined` is left out.
 */
export type HeadersLike =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | number | readonly string[] | undefined>>

/**
 * The header fields of a response, in the order in which they go out. Names compare without regard to case and keep
 * the case in which they were given.
 *
 * @throws TypeError from the constructor, `set` and `append` when a name is not a token (RFC 9110 §5.6.2) or a value
 *   holds a line break, a NUL or another control character. The message names the field and the reason.
 *
 * @example
 * ```ts
 * import { HeaderList } from 'propylon'
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

  /** How many fields there are; repeated ones count each. */
  get size(): number {
    return this.#pairs.length
  }

  /**
   * A field's value, `undefined` when there is none. Repeated fields are joined by `, ` (RFC 9110 §5.3), except
   * `Set-Cookie`, which cannot be joined: that is the first one.
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

  /** The values of all fields of a name, in order. */
  getAll(name: string): string[] {
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (const pair of this.#pairs) if (isNamed(pair, wanted)) values.push(pair[1])
    return values
  }

  /** Whether there is a field of that name. */
  has(name: string): boolean {
    const wanted = name.toLowerCase()
    for (const pair of this.#pairs) if (isNamed(pair, wanted)) return true
    return false
  }

  /** Makes this the only field of its name; it keeps the place of the first one it replaces. */
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

  /** Adds a field after those that are there, of the same name or not. */
  append(name: string, value: string): this {
    checkHeader(name, value)
    this.#pairs.push([name, value])
    return this
  }

  /** Sets a field unless there is one of that name. */
  setDefault(name: string, value: string): this {
    return this.has(name) ? this : this.append(name, value)
  }

  /** Removes all fields of a name and says whether there were any. */
  delete(name: string): boolean {
    const wanted = name.toLowerCase()
    const kept = this.#pairs.filter((pair) => !isNamed(pair, wanted))
    const found = kept.length < this.#pairs.length
    this.#pairs = kept
    return found
  }

  /** Appends all fields of a record, of pairs, of another list or of the platform's `Headers`. */
  extend(fields: HeadersLike): this {
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

  /** Adds tokens to a comma-separated field (`Vary`, `Allow`) unless they are in it, compared without regard to case. */
  addToken(name: string, token: string): this {
    const present = this.get(name)
    if (present === undefined) return this.append(name, token)
    const wanted = token.toLowerCase()
    for (const one of present.split(',')) {
      const has = one.trim().toLowerCase()
      if (has === wanted || has === '*') return this
    }
    return this.set(name, `${present}, ${token}`)
  }

  /** A new array of new pairs: what `start_response` is given, for others to change as they like. */
  toPairs(): HeaderPair[] {
    return this.#pairs.map(copyPair)
  }

  /** The pairs in order. */
  entries(): IterableIterator<HeaderPair> {
    return this.toPairs().values()
  }

  [Symbol.iterator](): IterableIterator<HeaderPair> {
    return this.entries()
  }

  /** As a record for logs: lower-case names, repeated fields joined. It has no prototype. */
  toJSON(): Record<string, string> {
    const record: Record<string, string> = Object.create(null)
    for (const [name] of this.#pairs) record[name.toLowerCase()] = this.getAll(name).join(', ')
    return record
  }
}

function copyPair(pair: HeaderPair): HeaderPair {
  return [pair[0], pair[1]]
}

function isNamed(pair: HeaderPair, lowerCaseName: string): boolean {
  const name = pair[0]
  return (
    name.length === lowerCaseName.length && (name === lowerCaseName || name.toLowerCase() === lowerCaseName)
  )
}

function isIterable(fields: HeadersLike): fields is Iterable<readonly [string, string]> {
  return Symbol.iterator in fields
}
