/**
 * Reads multipart forms (RFC 7578, RFC 2046 §5.1) in pieces of any size. Does no input and no output.
 *
 * @module
 */

import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { decodeUri } from '../../base/decode-uri.ts'
import { environKey } from '../../wsgi/environ.ts'
import { worded } from '../error-texts.ts'
import type { RequestLimits } from '../limits.ts'
import { type MediaType, parseMediaType, parseParameters } from '../media-type.ts'
import { RequestHeaders } from '../request-headers.ts'
import { HTTPBadRequest, HTTPRequestEntityTooLarge } from '../status-exceptions.ts'
import { decodeForm } from './body.ts'
import { FormFile } from './files.ts'

const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/

/**
 * Event of a {@link MultipartReader}: the start of a part, bytes of its content, the end of the part, the end of the
 * form.
 */
export type MultipartEvent = PartHeader | Uint8Array | 'part-end' | 'end'

/** Limits of a {@link MultipartReader}. Sizes are in bytes. Exceeding one of them is 413. */
export interface MultipartLimits {
  /** Size of a text field. */
  readonly field: number
  /** Size of a file. */
  readonly file: number
  /** Number of parts. */
  readonly parts: number
  /** Size of the header of a part. */
  readonly header: number
  /** Exception for longer headers. Defaults to 413. */
  readonly HeaderRefusal?: typeof HTTPBadRequest
}

/**
 * Maximum size of the headers of all parts together, as a multiple of the limit for one. Reading a header costs a
 * hundred times more than skipping content.
 */
const MAX_HEADERS = 64

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const DASH = 45

/** Bytes to search for. They begin with CR. */
class Pattern {
  readonly length: number
  readonly #bytes: Uint8Array
  /** Distance by which the search may advance, by the byte at the end of its window (Boyer–Moore–Horspool). */
  readonly #skips: Uint8Array

  constructor(text: string) {
    this.#bytes = encodeUtf8(text)
    const { length } = this.#bytes
    this.length = length
    this.#skips = new Uint8Array(256).fill(length)
    for (let at = 0; at < length - 1; at++) this.#skips[this.#bytes[at] ?? 0] = length - 1 - at
  }

  /** Returns the position of the pattern, or of a beginning of it at the end of `bytes`, or the end. */
  find(bytes: Uint8Array, from: number): number {
    let at = from
    for (let end = at + this.length; end <= bytes.length; end = at + this.length) {
      if (this.#isAt(bytes, at)) return at
      at += this.#skips[bytes[end - 1] ?? 0] ?? 1
    }
    while (at < bytes.length && !this.#isAt(bytes, at)) at += 1
    return Math.min(at, bytes.length)
  }

  #isAt(bytes: Uint8Array, start: number): boolean {
    const length = Math.min(this.length, bytes.length - start)
    for (let at = 0; at < length; at++) if (bytes[start + at] !== this.#bytes[at]) return false
    return true
  }
}

const EMPTY_LINE = new Pattern('\r\n\r\n')

/** The steps of a {@link MultipartReader}: events, and undefined when it needs another piece. */
type Steps<Result> = Generator<MultipartEvent | undefined, Result, undefined>

/**
 * Reads a multipart form. Text before the first delimiter and after the last one is ignored. A line that only begins
 * with the delimiter is content. The part that browsers send for an empty file input, without a file name and without
 * content, is omitted.
 *
 * The time is linear in the size of the body, for any content and boundary. Content is returned as views of the pieces.
 */
export class MultipartReader {
  readonly #limits: MultipartLimits
  /** CR LF, two hyphens and the boundary. CR occurs only at the start, so a failed match never overlaps another. */
  readonly #delimiter: Pattern
  readonly #steps: Steps<void>
  /** Bytes from the position on have not been read. A line begins at the start of the body. */
  #bytes: Uint8Array = encodeUtf8('\r\n')
  #at = 0
  #count = 0
  /** Size of the headers of all parts before. */
  #headersLength = 0

  /**
   * @param boundary - the parameter of the content type.
   * @throws HTTPBadRequest - the boundary is absent or malformed (RFC 2046 §5.1.1).
   */
  constructor(boundary: string | undefined, limits: MultipartLimits) {
    if (boundary === undefined || !BOUNDARY.test(boundary)) {
      throw worded(HTTPBadRequest, 'propylon.form.boundary')
    }
    this.#limits = limits
    this.#delimiter = new Pattern(`\r\n--${boundary}`)
    this.#steps = this.#readForm()
  }

  /** Adds the next piece of the body. Call it when {@link next} has returned undefined. */
  push(piece: Uint8Array): void {
    const rest = this.#bytes.subarray(this.#at)
    this.#bytes = rest.length === 0 ? piece : concatBytes([rest, piece])
    this.#at = 0
  }

  /**
   * Returns the next event, or undefined if it needs another piece. Returns `'end'` again and again at the end.
   *
   * @throws HTTPBadRequest - a delimiter or a header is malformed, or a part has no name.
   * @throws HTTPRequestEntityTooLarge - a limit is exceeded.
   */
  next(): MultipartEvent | undefined {
    const { done, value } = this.#steps.next()
    return done === true ? 'end' : value
  }

  *#readForm(): Steps<void> {
    let isLast = yield* this.#readContent(undefined)
    while (!isLast) isLast = yield* this.#readContent(yield* this.#readHeader())
  }

  /**
   * Reads the content of a part, or the preamble, and the delimiter behind it.
   *
   * @param part - undefined for the preamble.
   * @returns true if the delimiter is the last one.
   */
  *#readContent(part: PartHeader | undefined): Steps<boolean> {
    const most = part?.filename === undefined ? this.#limits.field : this.#limits.file
    let isReported = part === undefined || part.filename !== ''
    if (part !== undefined && isReported) yield part
    let size = 0
    // The line end at the position is not content, but the delimiter may begin with it.
    let skipped = 2
    for (;;) {
      let end = this.#delimiter.find(this.#bytes, this.#at)
      if (end === this.#at) {
        if (this.#bytes.length - end < this.#delimiter.length) {
          yield undefined
          continue
        }
        const line = yield* this.#readLine()
        if (line !== 'content') {
          if (part !== undefined && isReported) yield 'part-end'
          return line === 'end'
        }
        end = this.#at + this.#delimiter.length
      }
      const content = this.#bytes.subarray(this.#at + skipped, end)
      this.#at = end
      skipped = 0
      if (part === undefined || content.length === 0) continue
      size += content.length
      if (size > most) throw partTooLarge(part, most)
      // A file without a name is returned when it has content.
      if (!isReported) yield part
      isReported = true
      yield content
    }
  }

  /** Reads the line of the delimiter at the position: two hyphens, or a line end, perhaps behind blanks. */
  *#readLine(): Steps<'part' | 'end' | 'content'> {
    const { length } = this.#delimiter
    while (this.#bytes.length < this.#at + length + 2) yield undefined
    const next = this.#bytes[this.#at + length]
    if (next === DASH && this.#bytes[this.#at + length + 1] === DASH) return 'end'
    if (next !== CR && next !== SPACE && next !== TAB) return 'content'
    this.#at += length
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (this.#bytes.length < this.#at + 2) yield undefined
      else if (byte === CR && this.#bytes[this.#at + 1] === LF) return 'part'
      else if (byte === SPACE || byte === TAB) this.#at += 1
      else throw worded(HTTPBadRequest, 'propylon.form.line')
    }
  }

  /** Reads a header and its empty line, except for the last line end. The position is the line end before. */
  *#readHeader(): Steps<PartHeader> {
    let length = 0
    for (;;) {
      length = EMPTY_LINE.find(this.#bytes, this.#at + length) - this.#at
      const isComplete = this.#at + length + EMPTY_LINE.length <= this.#bytes.length
      this.#limitHeader(isComplete ? length + 2 : this.#bytes.length - this.#at - 2)
      if (isComplete) break
      yield undefined
    }
    this.#headersLength += length + 2
    this.#count += 1
    if (this.#count > this.#limits.parts) {
      throw worded(HTTPRequestEntityTooLarge, 'propylon.form.parts', { limit: this.#limits.parts })
    }
    const header = this.#bytes.subarray(this.#at + 2, this.#at + length)
    this.#at += length + 2
    return parsePartHeader(header)
  }

  #limitHeader(length: number): void {
    const { header: most, HeaderRefusal = HTTPRequestEntityTooLarge } = this.#limits
    // The empty line does not count.
    if (length > most + 4) {
      throw new HeaderRefusal(`The header of a part of the multipart form exceeds ${most} bytes.`)
    }
    if (this.#headersLength + length > MAX_HEADERS * most) {
      throw new HeaderRefusal(`The headers of all parts together may have ${MAX_HEADERS * most} bytes at most.`)
    }
  }
}

/**
 * Reads the fields and files of a form that is in memory.
 *
 * @param boundary - the parameter of the content type.
 * @throws HTTPBadRequest - the form is malformed or incomplete.
 * @throws HTTPRequestEntityTooLarge - a limit is exceeded.
 * @throws HTTPUnsupportedMediaType - a field has an unknown charset.
 */
export function collectForm(
  bytes: Uint8Array,
  boundary: string | undefined,
  limits: RequestLimits,
): { readonly fields: [name: string, value: string][]; readonly files: FormFile[] } {
  const { field, file, fields: parts, partHeader: header } = limits
  const reader = new MultipartReader(boundary, { field, file, parts, header })
  reader.push(bytes)
  const fields: [name: string, value: string][] = []
  const files: FormFile[] = []
  for (let event = nextOf(reader); event !== 'end'; event = nextOf(reader)) {
    if (typeof event === 'string' || event instanceof Uint8Array) continue
    const content = contentOf(reader)
    const { name, filename, type } = event
    if (filename === undefined) fields.push([name, decodePart(content, event)])
    else files.push(new FormFile(name, filename, type?.essence ?? 'application/octet-stream', [content]))
  }
  return { fields, files }
}

function contentOf(reader: MultipartReader): Uint8Array {
  const pieces: Uint8Array[] = []
  for (let event = nextOf(reader); event instanceof Uint8Array; event = nextOf(reader)) pieces.push(event)
  return concatBytes(pieces)
}

function nextOf(reader: MultipartReader): MultipartEvent {
  const event = reader.next()
  if (event === undefined) throw endsEarly()
  return event
}

/** The exception for a part beyond its limit. */
export function partTooLarge({ filename }: PartHeader, limit: number): HTTPRequestEntityTooLarge {
  const key = filename === undefined ? 'propylon.form.fieldTooLarge' : 'propylon.form.fileTooLarge'
  return worded(HTTPRequestEntityTooLarge, key, { limit })
}

/** The exception for a form that ends before its last boundary. */
export function endsEarly(): HTTPBadRequest {
  return worded(HTTPBadRequest, 'propylon.form.incomplete')
}

/** The parsed header of a part. */
export interface PartHeader {
  /** Header fields, read-only. Repeated fields are joined with `, `. */
  readonly headers: RequestHeaders
  /** Name of the form's field. */
  readonly name: string
  /** File name as the client sent it; undefined for a text field. */
  readonly filename: string | undefined
  /** Parsed Content-Type; undefined if it is absent or malformed. */
  readonly type: MediaType | undefined
}

/**
 * Parses the header of a part.
 *
 * @throws HTTPBadRequest - it is malformed or has no name.
 */
function parsePartHeader(bytes: Uint8Array): PartHeader {
  const headers = new RequestHeaders(parseFields(bytes))
  const disposition = headers.get('content-disposition') ?? ''
  const semicolon = disposition.indexOf(';')
  const kind = (semicolon === -1 ? disposition : disposition.slice(0, semicolon)).trim().toLowerCase()
  const parameters: Record<string, string | undefined> = semicolon === -1 ? {} : parseParameters(disposition, semicolon)
  if (kind !== 'form-data' || parameters.name === undefined) {
    throw worded(HTTPBadRequest, 'propylon.form.name')
  }
  const { filename } = parameters
  return {
    headers,
    name: unescapeName(parameters.name),
    filename: extendedValue(parameters['filename*']) ?? (filename === undefined ? undefined : unescapeName(filename)),
    type: parseMediaType(headers.get('content-type') ?? ''),
  }
}

/**
 * Decodes the text of a part in the charset of its content type, UTF-8 by default. Malformed bytes become U+FFFD.
 *
 * @throws HTTPUnsupportedMediaType - the charset is unknown.
 */
export function decodePart(bytes: Uint8Array, { type }: PartHeader): string {
  return decodeForm(bytes, type?.parameters.charset ?? 'utf-8').text
}

const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/s
// A line break that does not continue a field, and NUL.
const FORBIDDEN = /[\r\n\0]/
const utf8 = new TextDecoder()

/** Returns the values of the fields by their keys in an environ, as the fields of a request. */
function parseFields(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  // A line that begins with a blank continues the field before it (RFC 5322 §2.2.3).
  const text = utf8.decode(bytes).replaceAll(/\r\n(?=[ \t])/g, '')
  if (text === '') return fields
  for (const line of text.split('\r\n')) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    if (name === '' || FORBIDDEN.test(line)) {
      throw worded(HTTPBadRequest, 'propylon.form.header')
    }
    const key = environKey(name)
    if (key === undefined) continue
    const before = fields[key]
    fields[key] = before === undefined ? value.trim() : `${before}, ${value.trim()}`
  }
  return fields
}

const ESCAPES: Readonly<Record<string, string>> = { '%0a': '\n', '%0d': '\r', '%22': '"' }

/** Decodes the three characters that browsers escape in names (HTML §4.10.21.8, "multipart form data"). */
function unescapeName(name: string): string {
  return name.replaceAll(/%(?:0a|0d|22)/gi, (code) => ESCAPES[code.toLowerCase()] ?? code)
}

/** Decodes `UTF-8''…` (RFC 8187). RFC 7578 forbids it in forms, but some clients send it for names beyond ASCII. */
function extendedValue(text: string | undefined): string | undefined {
  const encoded = text === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(text)?.[1]
  return encoded === undefined ? undefined : decodeUri(encoded)
}
