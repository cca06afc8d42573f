/**
 * Query strings and form fields: ordered pairs of names and values.
 *
 * @module
 */

import { worded } from './error-texts.ts'
import { FrameworkText } from './languages/texts.ts'
import { HTTPBadRequest, type HTTPRequestEntityTooLarge } from './status-exceptions.ts'

const SPACE = 0x20
const PERCENT = 0x25
const PLUS = 0x2b

/** Default maximum number of fields of a query or a form. */
const MAX_FIELDS = 1000

/**
 * The fields of a query string or a form, in order. A name may occur several times.
 *
 * @example
 * ```ts
 * import { parseQuery } from 'propylon/http'
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

  /** Number of fields, repeated ones included. */
  get size(): number {
    return this.#pairs.length
  }

  /** Returns the first value of a name, or `undefined`. */
  get(name: string): string | undefined {
    return this.#pairs.find((pair) => pair[0] === name)?.[1]
  }

  /**
   * Returns the value of a name that must occur once.
   *
   * @throws HTTPBadRequest - the field is missing, or is repeated. Its problem document names the field.
   */
  getOne(name: string): string {
    const [value, ...others] = this.getAll(name)
    if (value !== undefined && others.length === 0) return value
    const text =
      value === undefined
        ? new FrameworkText('propylon.value.missing')
        : new FrameworkText('propylon.value.repeated', { count: others.length + 1 })
    throw new HTTPBadRequest(`${name}: ${text}`, undefined, {
      json: { errors: [{ name, detail: String(text) }] },
    })
  }

  /** Returns the values of a name, in order. */
  getAll(name: string): string[] {
    return this.#pairs.filter((pair) => pair[0] === name).map((pair) => pair[1])
  }

  /** Returns true if there is a field with this name, even an empty one. */
  has(name: string): boolean {
    return this.#pairs.some((pair) => pair[0] === name)
  }

  /** Iterates over the names, each once, in order of first occurrence. */
  keys(): IterableIterator<string> {
    return new Set(this.#pairs.map((pair) => pair[0])).values()
  }

  /** Iterates over the fields in order. */
  entries(): IterableIterator<[name: string, value: string]> {
    return this.#pairs.map((pair): [string, string] => [pair[0], pair[1]]).values()
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }

  /** Returns a record with the first value of each name. It has no prototype, so `__proto__` is an ordinary key. */
  toObject(): Record<string, string> {
    const record: Record<string, string> = Object.create(null)
    for (const [name, value] of this.#pairs) record[name] ??= value
    return record
  }

  /** The same as {@link toObject}, for `JSON.stringify`. */
  toJSON(): Record<string, string> {
    return this.toObject()
  }

  /** Returns the fields as `application/x-www-form-urlencoded`, with `+` for spaces. */
  toString(): string {
    return new URLSearchParams(this.#pairs.map((pair): [string, string] => [pair[0], pair[1]])).toString()
  }
}

/** Options of {@link parseQuery}. */
export interface ParseQueryOptions {
  /** Maximum number of fields. Defaults to 1000. */
  maxFields?: number | undefined
  /** Encoding of percent-encoded bytes: a label of the Encoding Standard. Defaults to `utf-8`. */
  charset?: string | undefined
}

/**
 * Parses a query string or a urlencoded form as the URL Standard does: `+` is a space, a `%` without two hexadecimal
 * digits is literal, and malformed bytes become U+FFFD.
 *
 * @param text - the query string, without the leading `?`.
 * @throws HTTPBadRequest - there are more fields than `maxFields`.
 * @throws RangeError - the charset is unknown.
 *
 * @example
 * ```ts
 * import { parseQuery } from 'propylon/http'
 *
 * parseQuery('q=tea+time').get('q') // 'tea time'
 * ```
 */
export function parseQuery(text: string, options: ParseQueryOptions = {}): QueryParams {
  return new QueryParams(parsePairs(text, options))
}

type Refusal = typeof HTTPRequestEntityTooLarge | typeof HTTPBadRequest

/** Parses the fields of {@link parseQuery}. Throws `Refusal` if there are too many. */
export function parsePairs(
  text: string,
  { maxFields = MAX_FIELDS, charset }: ParseQueryOptions = {},
  Refusal: Refusal = HTTPBadRequest,
): [name: string, value: string][] {
  const decode = decoderFor(charset)
  return parseFields(text, maxFields, decode, decode, Refusal)
}

/**
 * Returns the items of the first value of a name in a query string: texts between commas that are not
 * percent-encoded.
 */
export function itemsOf(query: string, name: string): string[] | undefined {
  const fields = parseFields(query, Number.POSITIVE_INFINITY, decodeComponent, (value) => value.split(','))
  return fields.find((field) => field[0] === name)?.[1].map(decodeComponent)
}

function parseFields<Value>(
  text: string,
  maxFields: number,
  decode: (component: string) => string,
  read: (component: string) => Value,
  Refusal: Refusal = HTTPBadRequest,
): [name: string, value: Value][] {
  const pairs: [string, Value][] = []
  if (text === '') return pairs
  let start = 0
  while (start <= text.length) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      if (pairs.length === maxFields) throw worded(Refusal, 'propylon.request.fields', { limit: maxFields })
      const pair = text.slice(start, end)
      const equals = pair.indexOf('=')
      if (equals === -1) pairs.push([decode(pair), read('')])
      else pairs.push([decode(pair.slice(0, equals)), read(pair.slice(equals + 1))])
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

/** Decodes `+` and percent-encoded bytes, as UTF-8. */
function decodeComponent(component: string): string {
  if (!component.includes('%')) return component.replace(/\+/g, ' ')
  try {
    return decodeURIComponent(component.replace(/\+/g, ' '))
  } catch {
    return decodeBytes(component, new TextDecoder('utf-8', { ignoreBOM: true }))
  }
}

function decodeBytes(component: string, decoder: InstanceType<typeof TextDecoder>): string {
  const source = new TextEncoder().encode(component)
  const bytes = new Uint8Array(source.length)
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0
    if (byte === PERCENT) {
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
