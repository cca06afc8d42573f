/**
 * Query strings and form fields: ordered pairs of names and values.
 *
 * @module
 */

/** How many pairs a query or a form may have unless told otherwise. */
export const MAX_FIELDS = 1000

/**
 * Names with their values, in order, a name as often as it was sent. Where one value is asked for, the first wins.
 *
 * @example
 * ```ts
 * import { parseQuery } from 'propylon'
 *
 * const query = parseQuery('tag=a&tag=b&page=2')
 * query.get('tag') // 'a'
 * query.getAll('tag') // ['a', 'b']
 * ```
 */
export class QueryParams implements Iterable<[name: string, value: string]> {
  readonly #pairs: (readonly [name: string, value: string])[]

  constructor(pairs: Iterable<readonly [name: string, value: string]> = []) {
    this.#pairs = [...pairs]
  }

  /** How many pairs there are. */
  get size(): number {
    return this.#pairs.length
  }

  /** The first value of a name. */
  get(name: string): string | undefined {
    for (const pair of this.#pairs) if (pair[0] === name) return pair[1]
    return undefined
  }

  /** All values of a name, in order. */
  getAll(name: string): string[] {
    const values: string[] = []
    for (const pair of this.#pairs) if (pair[0] === name) values.push(pair[1])
    return values
  }

  /** Whether the name was sent, be it with an empty value. */
  has(name: string): boolean {
    for (const pair of this.#pairs) if (pair[0] === name) return true
    return false
  }

  /** Each name once, in the order of its first occurrence. */
  keys(): IterableIterator<string> {
    return new Set(this.#pairs.map((pair) => pair[0])).values()
  }

  /** All pairs in order. */
  entries(): IterableIterator<[name: string, value: string]> {
    return this.#pairs.map((pair): [string, string] => [pair[0], pair[1]]).values()
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }

  /** The first value of each name. The record has no prototype, so a name such as `__proto__` is a key like any other. */
  toObject(): Record<string, string> {
    const record: Record<string, string> = Object.create(null)
    for (const [name, value] of this.#pairs) if (!(name in record)) record[name] = value
    return record
  }

  /** The same as {@link toObject}, for `JSON.stringify`. */
  toJSON(): Record<string, string> {
    return this.toObject()
  }

  /** The pairs as `application/x-www-form-urlencoded` (spaces as `+`). */
  toString(): string {
    return new URLSearchParams(this.#pairs.map((pair): [string, string] => [pair[0], pair[1]])).toString()
  }
}

/** What {@link parseQuery} throws when there are more pairs than it may read. */
export class TooManyFieldsError extends RangeError {
  override readonly name: string = 'TooManyFieldsError'
}

/** Settings of {@link parseQuery}. */
export interface ParseQueryOptions {
  /** The most pairs that are read; default {@link MAX_FIELDS}. */
  maxFields?: number | undefined
  /** The character encoding behind the percent signs, a label of the Encoding Standard; default `utf-8`. */
  charset?: string | undefined
}

/**
 * Reads a query string or a form body as the URL Standard does: `+` is a space, a `%` that no two hexadecimal digits
 * follow stands for itself, bytes that are no text become U+FFFD. It never throws for what the text says.
 *
 * @param text - without the leading `?`.
 * @throws {@link TooManyFieldsError} when there are more pairs than `maxFields`.
 * @throws RangeError when the charset is unknown.
 */
export function parseQuery(text: string, options: ParseQueryOptions = {}): QueryParams {
  return new QueryParams(parsePairs(text, options))
}

/** The pairs behind {@link parseQuery}. */
export function parsePairs(text: string, options: ParseQueryOptions = {}): [name: string, value: string][] {
  const pairs: [string, string][] = []
  if (text === '') return pairs
  const maxFields = options.maxFields ?? MAX_FIELDS
  const decode = decoderFor(options.charset)
  let start = 0
  while (start <= text.length) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      if (pairs.length === maxFields) throw new TooManyFieldsError(`more than ${maxFields} fields`)
      const pair = text.slice(start, end)
      const equals = pair.indexOf('=')
      if (equals === -1) pairs.push([decode(pair), ''])
      else pairs.push([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))])
    }
    start = end + 1
  }
  return pairs
}

function decoderFor(charset: string | undefined): (component: string) => string {
  if (charset === undefined || charset === 'utf-8') return decodeComponent
  const decoder = new TextDecoder(charset)
  return (component) => decodeBytes(component, decoder)
}

/**
 * Length from which a component is decoded as bytes, in UTF-16 code units. `replaceAll` allocates for each match, so a
 * megabyte of `+` would take a tenth of a second.
 */
const LONG = 1024

/** Decodes `+` and percent-encoded bytes, as UTF-8. */
function decodeComponent(component: string): string {
  const isEscaped = component.includes('%')
  if (!isEscaped && !component.includes('+')) return component
  if (component.length < LONG) {
    const spaced = component.replaceAll('+', ' ')
    if (!isEscaped) return spaced
    try {
      return decodeURIComponent(spaced)
    } catch (error) {
      if (!(error instanceof URIError)) throw error
    }
  }
  return decodeBytes(component, new TextDecoder('utf-8', { ignoreBOM: true }))
}

const PLUS = 0x2b
const SPACE = 0x20

function decodeBytes(component: string, decoder: InstanceType<typeof TextDecoder>): string {
  const source = new TextEncoder().encode(component)
  const bytes = new Uint8Array(source.length)
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0
    if (byte === 0x25) {
      const high = hexValue(source[at + 1])
      const low = hexValue(source[at + 2])
      if (high === -1 || low === -1) bytes[length++] = byte
      else {
        bytes[length++] = high * 16 + low
        at += 2
      }
    } else bytes[length++] = byte === PLUS ? SPACE : byte
  }
  return decoder.decode(bytes.subarray(0, length))
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
