/**
 * Finds the parts of a multipart body (RFC 2046 §5.1) in pieces of any size. Does no input and no output.
 *
 * @module
 */

import { concatBytes, encodeUtf8 } from '../base/bytes.ts'
import { worded } from './error-texts.ts'
import { HTTPBadRequest, type HTTPRequestEntityTooLarge } from './status-exceptions.ts'

const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/

/** Returns true for a boundary of a content type (RFC 2046 §5.1.1). */
export function isBoundary(boundary: string | undefined): boundary is string {
  return boundary !== undefined && BOUNDARY.test(boundary)
}

/** The header of a part: its lines without the empty line behind them. */
export class PartStart {
  readonly header: Uint8Array

  constructor(header: Uint8Array) {
    this.header = header
  }
}

/** Event of a scanner: the start of a part, bytes of its content, the end of the part, the end of the body. */
export type Found = PartStart | Uint8Array | 'part-end' | 'end'

/** Limits of a {@link MultipartScanner}. */
export interface ScannerLimits {
  /** Size of the header of a part, in bytes. */
  readonly header: number
  /** Exception for longer headers. */
  readonly Refusal: typeof HTTPBadRequest | typeof HTTPRequestEntityTooLarge
}

/**
 * Maximum size of the headers of all parts together, as a multiple of the limit for one. Reading a header costs a hundred
 * times more than skipping content.
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
 * Scans a multipart body. Text before the first delimiter and after the last one is ignored. A line that only begins with
 * the delimiter is content.
 *
 * The time is linear in the size of the body, for any content and boundary. Content is returned as views of the pieces.
 */
export class MultipartScanner {
  readonly #limits: ScannerLimits
  /** CR LF, two hyphens and the boundary. CR occurs only at the start, so a failed match never overlaps another. */
  readonly #delimiter: Uint8Array
  /** Distance by which the search may advance, by the byte at the end of its window (Boyer–Moore–Horspool). */
  readonly #skips: Uint8Array
  #piece: Uint8Array = new Uint8Array()
  #at = 0
  #state: 'content' | 'delimiter' | 'header' | 'end' = 'content'
  /** Whether the content belongs to a part. It is the preamble otherwise. */
  #isPart = false
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

  /** @param boundary - the parameter of the content type. See {@link isBoundary}. */
  constructor(boundary: string, limits: ScannerLimits) {
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
   * Returns the next finding, or undefined if it needs another piece. Returns `'end'` again and again at the end.
   *
   * @throws HTTPBadRequest - a delimiter is malformed.
   * @throws HTTPRequestEntityTooLarge - a header is too long, if `Refusal` is that class.
   */
  next(): Found | undefined {
    while (this.#at < this.#piece.length && this.#state !== 'end') {
      const found = this.#step()
      if (found !== undefined) return found
    }
    return this.#state === 'end' ? 'end' : undefined
  }

  #step(): Found | undefined {
    switch (this.#state) {
      case 'header':
        return this.#readHeader()
      case 'delimiter':
        return this.#readDelimiter()
      default:
        return this.#ofPart(this.#matched > 0 ? this.#resume() : this.#search())
    }
  }

  /** Returns content, unless it is empty or belongs to the preamble. */
  #ofPart(content: Uint8Array | undefined): Uint8Array | undefined {
    return this.#isPart && content !== undefined && content.length > 0 ? content : undefined
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
  #readDelimiter(): Found | undefined {
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

  #endPart(state: 'header' | 'end'): Found | undefined {
    const wasPart = this.#isPart
    this.#isPart = state === 'header'
    this.#state = state
    this.#header = []
    this.#headerLength = 0
    // The line end of the delimiter: an empty line directly behind it ends an empty header.
    this.#newlines = 2
    return wasPart ? 'part-end' : undefined
  }

  /** Reads a header up to its empty line. Each byte is read once, however small the pieces are. */
  #readHeader(): PartStart | undefined {
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
    const header = concatBytes(this.#header)
    this.#header = []
    this.#state = 'content'
    this.#matched = 2
    this.#assumed = 2
    return new PartStart(header.subarray(0, Math.max(0, header.length - 4)))
  }

  #limitHeaders(): void {
    const { header: most, Refusal } = this.#limits
    // The empty line does not count.
    if (this.#headerLength > most + 4) {
      throw new Refusal(`The header of a part of the multipart form exceeds ${most} bytes.`)
    }
    if (this.#headersLength > MAX_HEADERS * most) {
      throw new Refusal(`The headers of all parts together may have ${MAX_HEADERS * most} bytes at most.`)
    }
  }
}
