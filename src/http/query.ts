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
    for (const pair of this.#pairs) if (pair[0] === name) return pair[1]
    return undefined
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
    throw new HTTPBadRequest(`${name}: ${text}`, undefined, { json: { errors: [{ name, detail: String(text) }] } })
  }

  /** Returns the values of a name, in order. */
  getAll(name: string): string[] {
    const values: string[] = []
    for (const pair of this.#pairs) if (pair[0] === name) values.push(pair[1])
    return values
  }

  /** Returns true if there is a field with this name, even an empty one. */
  has(name: string): boolean {
    for (const pair of this.#pairs) if (pair[0] === name) return true
    return false
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

/**
 * Length from which a component is decoded as bytes, in UTF-16 code units. The text of a shorter one is put together
 * from its parts, of which a megabyte of `+` has a million.
 */
const LONG = 1024

/**
 * Decodes `+` and percent-encoded bytes, as UTF-8. `decodeURIComponent` takes twice as long for the fields of a form.
 */
function decodeComponent(component: string): string {
  let decoded = ''
  let from = 0
  for (let at = nextEscape(component, 0); at !== -1; at = nextEscape(component, from)) {
    const code = component.charCodeAt(at) === PLUS ? SPACE : escapedCodePoint(component, at)
    if (code === -1 || component.length >= LONG)
      return decodeBytes(component, new TextDecoder('utf-8', { ignoreBOM: true }))
    decoded += component.slice(from, at) + String.fromCodePoint(code)
    from = component.charCodeAt(at) === PLUS ? at + 1 : at + 3 * utf8Size(code)
  }
  return from === 0 ? component : decoded + component.slice(from)
}

/** Returns the place of the next `+` or `%`, -1 if there is none. */
function nextEscape(component: string, from: number): number {
  for (let at = from; at < component.length; at++) {
    const unit = component.charCodeAt(at)
    if (unit === PLUS || unit === PERCENT) return at
  }
  return -1
}

/** Returns the character whose bytes are percent-encoded at a place, -1 if they are malformed. */
function escapedCodePoint(component: string, at: number): number {
  const first = escapedByte(component, at)
  if (first < 0x80) return first
  if (first < 0xc0 || first > 0xf7) return -1
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  let code = first & (0x7f >> size)
  for (let byte = 1; byte < size; byte++) {
    const next = escapedByte(component, at + 3 * byte)
    if ((next & 0xc0) !== 0x80) return -1
    code = (code << 6) | (next & 0x3f)
  }
  const isShortest = utf8Size(code) === size
  return isShortest && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? code : -1
}

/** Returns the number of bytes of a character in UTF-8. */
function utf8Size(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

function escapedByte(component: string, at: number): number {
  if (component.charCodeAt(at) !== PERCENT) return -1
  const high = hexValue(component.charCodeAt(at + 1))
  const low = hexValue(component.charCodeAt(at + 2))
  return high === -1 || low === -1 ? -1 : high * 16 + low
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
