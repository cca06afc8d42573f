/**
 * Reads multipart forms (RFC 7578, RFC 2046 §5.1) in pieces of any size. Does no input and no output.
 *
 * @module
 */

import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
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

/** Position behind the boundary of a delimiter line. */
type AfterBoundary = 'boundary' | 'dash' | 'blanks' | 'return'

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
  readonly #delimiter: Uint8Array
  /** Distance by which the search may advance, by the byte at the end of its window (Boyer–Moore–Horspool). */
  readonly #skips: Uint8Array
  #piece: Uint8Array = new Uint8Array()
  #at = 0
  #state: 'content' | 'delimiter' | 'header' | 'end' = 'content'
  /** The part that is being read. Undefined in the preamble. */
  #part: PartHeader | undefined = undefined
  /** Whether {@link next} has returned the part. A file without a name is returned when it has content. */
  #isReported = false
  /** Content behind a part that has been returned. */
  #content: Uint8Array | undefined = undefined
  #count = 0
  /** Size of the content of the part. */
  #size = 0
  /** Number of bytes of the delimiter that the body has at the current position, partly in earlier pieces. */
  #matched = 2
  /** Number of those bytes that are not content if the match fails: a line begins at the start of body and content. */
  #assumed = 2
  #after: AfterBoundary = 'boundary'
  #header: Uint8Array[] = []
  #headerLength = 0
  #headersLength = 0
  /** Number of bytes of CR LF CR LF at the end of what has been read of a header. */
  #newlines = 0

  /**
   * @param boundary - the parameter of the content type.
   * @throws HTTPBadRequest - the boundary is absent or malformed (RFC 2046 §5.1.1).
   */
  constructor(boundary: string | undefined, limits: MultipartLimits) {
    if (boundary === undefined || !BOUNDARY.test(boundary)) {
      throw worded(HTTPBadRequest, 'propylon.form.boundary')
    }
    this.#limits = limits
    this.#delimiter = encodeUtf8(`\r\n--${boundary}`)
    const { length } = this.#delimiter
    this.#skips = new Uint8Array(256).fill(length)
    for (let at = 0; at < length - 1; at++) this.#skips[this.#delimiter[at] ?? 0] = length - 1 - at
  }

  /** Adds the next piece of the body. Call it when {@link next} has returned undefined. */
  push(piece: Uint8Array): void {
    this.#piece = piece
    this.#at = 0
  }

  /**
   * Returns the next event, or undefined if it needs another piece. Returns `'end'` again and again at the end.
   *
   * @throws HTTPBadRequest - a delimiter or a header is malformed, or a part has no name.
   * @throws HTTPRequestEntityTooLarge - a limit is exceeded.
   */
  next(): MultipartEvent | undefined {
    const content = this.#content
    if (content !== undefined) {
      this.#content = undefined
      return content
    }
    while (this.#at < this.#piece.length && this.#state !== 'end') {
      const event = this.#step()
      if (event !== undefined) return event
    }
    return this.#state === 'end' ? 'end' : undefined
  }

  #step(): MultipartEvent | undefined {
    switch (this.#state) {
      case 'header':
        return this.#readHeader()
      case 'delimiter':
        return this.#readDelimiter()
      default:
        return this.#ofPart(this.#matched > 0 ? this.#resume() : this.#search())
    }
  }

  /**
   * Returns content, unless it is empty or belongs to the preamble. Returns its part first if that has been held
   * back.
   */
  #ofPart(content: Uint8Array | undefined): PartHeader | Uint8Array | undefined {
    const part = this.#part
    if (part === undefined || content === undefined || content.length === 0) return undefined
    this.#size += content.length
    const { field, file } = this.#limits
    const most = part.filename === undefined ? field : file
    if (this.#size > most) throw partTooLarge(part, most)
    if (this.#isReported) return content
    this.#isReported = true
    this.#content = content
    return part
  }

  /** Continues a match of the delimiter that an earlier piece began. Returns its bytes if it fails. */
  #resume(): Uint8Array | undefined {
    const { length } = this.#delimiter
    while (this.#at < this.#piece.length && this.#piece[this.#at] === this.#delimiter[this.#matched]) {
      this.#at += 1
      this.#matched += 1
      if (this.#matched === length) {
        this.#state = 'delimiter'
        this.#after = 'boundary'
        return undefined
      }
    }
    return this.#at === this.#piece.length ? undefined : this.#release()
  }

  /** Returns the matched bytes as content. */
  #release(rest = ''): Uint8Array {
    const bytes = this.#delimiter.subarray(this.#assumed, this.#matched)
    this.#matched = 0
    this.#assumed = 0
    return rest === '' ? bytes.slice() : concatBytes([bytes, encodeUtf8(rest)])
  }

  /** Searches the piece for the delimiter, or for its beginning at the end. Returns the bytes before. */
  #search(): Uint8Array {
    const piece = this.#piece
    const start = this.#at
    const { length } = this.#delimiter
    const last = this.#delimiter[length - 1]
    const end = piece.length - length
    let at = start
    while (at <= end) {
      const byte = piece[at + length - 1] ?? 0
      if (byte === last && piece[at] === CR && this.#isDelimiter(at, length)) {
        this.#begin(at, length)
        this.#state = 'delimiter'
        this.#after = 'boundary'
        return piece.subarray(start, at)
      }
      at += this.#skips[byte] ?? 1
    }
    while (at < piece.length && !(piece[at] === CR && this.#isDelimiter(at, piece.length - at))) at += 1
    if (at >= piece.length) this.#at = piece.length
    else this.#begin(at, piece.length - at)
    return piece.subarray(start, at)
  }

  #begin(at: number, matched: number): void {
    this.#at = at + matched
    this.#matched = matched
    this.#assumed = 0
  }

  #isDelimiter(start: number, length: number): boolean {
    for (let at = 1; at < length; at++) {
      if (this.#piece[start + at] !== this.#delimiter[at]) return false
    }
    return true
  }

  /** Reads the line of a delimiter behind its boundary: two hyphens, or a line end, perhaps behind blanks. */
  #readDelimiter(): MultipartEvent | undefined {
    const byte = this.#piece[this.#at]
    const before = this.#after
    if (before === 'boundary' && byte === DASH) this.#after = 'dash'
    else if ((before === 'boundary' || before === 'blanks') && byte === CR) this.#after = 'return'
    else if ((before === 'boundary' || before === 'blanks') && (byte === SPACE || byte === TAB)) {
      this.#after = 'blanks'
    } else if (before === 'dash' && byte === DASH) return this.#endPart('end')
    else if (before === 'return' && byte === LF) {
      this.#at += 1
      return this.#endPart('header')
    } else if (before === 'boundary' || before === 'dash') {
      this.#state = 'content'
      return this.#ofPart(this.#release(before === 'dash' ? '-' : ''))
    } else throw worded(HTTPBadRequest, 'propylon.form.line')
    this.#at += 1
    return undefined
  }

  #endPart(state: 'header' | 'end'): MultipartEvent | undefined {
    const wasReported = this.#isReported
    this.#part = undefined
    this.#isReported = false
    this.#state = state
    this.#header = []
    this.#headerLength = 0
    // The line end of the delimiter: an empty line directly behind it ends an empty header.
    this.#newlines = 2
    return wasReported ? 'part-end' : undefined
  }

  /** Reads a header up to its empty line. Each byte is read once, however small the pieces are. */
  #readHeader(): PartHeader | undefined {
    const piece = this.#piece
    const start = this.#at
    let at = start
    while (at < piece.length && this.#newlines < 4) {
      const byte = piece[at]
      at += 1
      if (byte === (this.#newlines % 2 === 0 ? CR : LF)) this.#newlines += 1
      else this.#newlines = byte === CR ? 1 : 0
    }
    this.#at = at
    this.#header.push(piece.subarray(start, at))
    this.#headerLength += at - start
    this.#headersLength += at - start
    this.#limitHeaders()
    if (this.#newlines < 4) return undefined
    this.#state = 'content'
    this.#matched = 2
    this.#assumed = 2
    return this.#beginPart(concatBytes(this.#header))
  }

  #beginPart(header: Uint8Array): PartHeader | undefined {
    this.#header = []
    this.#count += 1
    this.#size = 0
    if (this.#count > this.#limits.parts) {
      throw worded(HTTPRequestEntityTooLarge, 'propylon.form.parts', { limit: this.#limits.parts })
    }
    const part = parsePartHeader(header.subarray(0, Math.max(0, header.length - 4)))
    this.#part = part
    this.#isReported = part.filename !== ''
    return this.#isReported ? part : undefined
  }

  #limitHeaders(): void {
    const { header: most, HeaderRefusal = HTTPRequestEntityTooLarge } = this.#limits
    // The empty line does not count.
    if (this.#headerLength > most + 4) {
      throw new HeaderRefusal(`The header of a part of the multipart form exceeds ${most} bytes.`)
    }
    if (this.#headersLength > MAX_HEADERS * most) {
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
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
