/**
 * Scans the texts of XML-RPC documents, and skips what has no meaning.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { detached, forbiddenAt, isBlank, nameEnd, normalizeLineEnds } from './characters.ts'
import { FaultCode, XMLRPCDecodeError } from './errors.ts'

const LT = 0x3c
const GT = 0x3e
const AMP = 0x26
const BRACKET = 0x5d
const SPACE = 0x20
const EXCLAMATION = 0x21
const QUESTION = 0x3f

/** Number of characters after which a regular expression is faster than a loop. */
const LOOPED = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
const PLAIN = /[^\0-\x08\x0b\x0c\x0e-\x1f<&\]]*/y
/** Number of pieces that are joined at a time, so that a text of many references needs little memory. */
const PIECES = 512
/** Length in code units above which a document must not be retained by a short string that was cut from it. */
const LARGE = 1024

/** A reference to a character or to a predefined entity (XML 1.0 §4.1, §4.6). */
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(?:(\d+)|x([\da-fA-F]+)));/y
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

const DECLARATION =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/y

/** Limits of a document. A document that exceeds one is refused. */
export interface Limits {
  /** Length of the document, in bytes, or in UTF-16 code units if it is a string. Default 32 MiB. */
  readonly maxLength: number
  /** Depth of nested arrays and structs. Default 64. */
  readonly maxDepth: number
  /** Number of elements in the document. Default 1,000,000. */
  readonly maxElements: number
  /** Length of one string, name or base64 text, in UTF-16 code units. Default 16 Mi. */
  readonly maxTextLength: number
}

/** Limits that apply if the options of a call do not set them. */
export const DEFAULT_LIMITS: Limits = {
  maxLength: 32 * 1024 * 1024,
  maxDepth: 64,
  maxElements: 1_000_000,
  maxTextLength: 16 * 1024 * 1024,
}

/**
 * Reads the texts of a document, and skips comments and processing instructions. Checks that they are well formed (XML
 * 1.0, fifth edition).
 */
export class TextScanner {
  readonly text: string
  readonly limits: Limits
  /** Offset of the next character. */
  pos = 0
  /** Whether `pos` is before or after the root element. */
  outside = true
  readonly #path: () => string
  readonly #large: boolean
  readonly #hasReturns: boolean

  /** @param path - returns the path of the current value, for error messages. */
  constructor(text: string, limits: Limits, path: () => string) {
    this.text = text
    this.#hasReturns = text.includes('\r')
    this.limits = limits
    this.#path = path
    this.#large = text.length > LARGE
    // Other forbidden characters are found while the document is scanned, which is faster.
    if (text.includes('\ufffe') || text.includes('\uffff')) this.checkCharacters(0, text.length)
    if (/^<\?xml[ \t\r\n]/.test(this.text)) {
      DECLARATION.lastIndex = 0
      if (!DECLARATION.test(this.text)) this.malformed('the XML declaration is malformed')
      this.pos = DECLARATION.lastIndex
    }
  }

  /** Throws the error for a document that is well formed but not XML-RPC, or exceeds a limit. */
  invalid(detail: string, offset = this.pos): never {
    throw new XMLRPCDecodeError(FaultCode.invalidRequest, detail, { path: this.#path(), offset })
  }

  /** Throws the error for a document that is not well-formed XML. */
  malformed(detail: string, offset = this.pos): never {
    throw new XMLRPCDecodeError(FaultCode.notWellFormed, detail, { path: this.#path(), offset })
  }

  /** Throws the error for text between two elements. Outside the root element XML itself forbids text. */
  strayText(text: string, offset = this.pos): never {
    if (this.outside) this.malformed(`${describeValue(text)} is text outside the root element`, offset)
    return this.invalid(`${describeValue(text)} is text between elements`, offset)
  }

  /** Reads the text up to the next tag. Resolves references and CDATA sections, skips comments and instructions. */
  characters(): string {
    const { text, pos: start } = this
    const end = this.#plainEnd(start)
    const next = text.charCodeAt(end + 1)
    if (text.charCodeAt(end) !== LT || next === EXCLAMATION || next === QUESTION) return this.#mixed(start)
    this.pos = end
    this.#checkTextLength(end - start, start)
    return this.#kept(this.#raw(start, end))
  }

  /** Cuts a part out of the document. Line ends become LF (XML 1.0 §2.11). */
  #raw(start: number, end: number): string {
    const part = this.text.slice(start, end)
    return this.#hasReturns ? normalizeLineEnds(part) : part
  }

  /** Returns a text that does not retain a document much longer than itself. */
  #kept(part: string): string {
    return this.#large && part.length * 2 < this.text.length ? detached(part) : part
  }

  /** Returns the offset of the next `<` or `&`. */
  #plainEnd(start: number): number {
    const { text } = this
    let search = start + LOOPED
    for (let at = start; ; at++) {
      if (at === search) {
        PLAIN.lastIndex = at
        PLAIN.test(text)
        at = PLAIN.lastIndex
        search = at + LOOPED
      }
      const code = text.charCodeAt(at)
      if (code === LT || code === AMP) return at
      if (code === BRACKET && text.startsWith(']]>', at)) this.malformed('"]]>" is outside a CDATA section', at)
      if (code < SPACE && !isBlank(code)) this.checkCharacters(at, at + 1)
      if (at >= text.length) this.malformed('the document ends within an element', text.length)
    }
  }

  #mixed(start: number): string {
    let whole = ''
    let length = 0
    const pieces: string[] = []
    for (;;) {
      const piece = this.#piece()
      if (piece === undefined) return this.#kept(whole + pieces.join(''))
      length += piece.length
      this.#checkTextLength(length, start)
      pieces.push(piece)
      if (pieces.length === PIECES) {
        whole += pieces.join('')
        pieces.length = 0
      }
    }
  }

  /** Reads a plain text, a reference, a CDATA section, a comment or an instruction; undefined at a tag. */
  #piece(): string | undefined {
    const { text, pos: start } = this
    const code = text.charCodeAt(start)
    if (code === AMP) return this.reference()
    if (code !== LT) {
      this.pos = this.#plainEnd(start)
      return this.#raw(start, this.pos)
    }
    const next = text.charCodeAt(start + 1)
    if (next === QUESTION) this.instruction()
    else if (next !== EXCLAMATION) return undefined
    else if (!text.startsWith('<![CDATA[', start)) this.comment()
    else {
      const end = text.indexOf(']]>', start + 9)
      if (end < 0) this.malformed('the CDATA section has no end')
      this.checkCharacters(start, end)
      this.pos = end + 3
      return this.#raw(start + 9, end)
    }
    return ''
  }

  /** Reads the reference at `pos` to a character or to one of the five predefined entities. */
  reference(): string {
    const start = this.pos
    const code = this.#codePoint(start)
    if (code >= 0xd800 && code <= 0xdbff && this.text.startsWith('&#', this.pos)) {
      // Some clients write a character above U+FFFF as a pair of references, one for each surrogate.
      const low = this.#codePoint(this.pos)
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(code, low)
    }
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\ud800'
    if (forbiddenAt(character) >= 0) this.malformed('XML does not allow the character of this reference', start)
    return character
  }

  #codePoint(start: number): number {
    const { text } = this
    REFERENCE.lastIndex = start
    const match = REFERENCE.exec(text)
    if (match === null) {
      const name = text.slice(start, Math.max(nameEnd(text, start + 1) + 1, start + 1))
      const detail = `${describeValue(name, 40)} is neither a character reference nor a predefined entity`
      return this.malformed(detail, start)
    }
    this.pos = REFERENCE.lastIndex
    const [, entity, decimal, hexadecimal] = match
    if (entity !== undefined) return ENTITIES[entity] ?? 0
    return decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  }

  /** Skips the comment at `pos`. Throws if other markup that begins with `<!` is there. */
  comment(): void {
    const { text, pos: start } = this
    if (text.startsWith('<![CDATA[', start)) this.strayText(text.slice(start, start + 50))
    if (text.startsWith('<!DOCTYPE', start)) this.invalid('XML-RPC has no document type declarations')
    if (!text.startsWith('<!--', start)) this.malformed('the markup is malformed')
    const end = text.indexOf('--', start + 4)
    if (end < 0) this.malformed('the comment has no end')
    if (text.charCodeAt(end + 2) !== GT) this.malformed('the comment has a "--"', end)
    this.checkCharacters(start, end)
    this.pos = end + 3
  }

  /** Skips the processing instruction at `pos`. */
  instruction(): void {
    const { text, pos: start } = this
    const afterName = nameEnd(text, start + 2)
    if (/^xml$/i.test(text.slice(start + 2, Math.min(afterName, start + 6)))) {
      this.malformed('the XML declaration is not at the start of the document')
    }
    const end = text.indexOf('?>', afterName)
    if (afterName === start + 2 || end < 0 || (end > afterName && !isBlank(text.charCodeAt(afterName)))) {
      this.malformed('the processing instruction is malformed')
    }
    this.checkCharacters(start, end)
    this.pos = end + 2
  }

  checkCharacters(start: number, end: number): void {
    const at = forbiddenAt(this.text.slice(start, end))
    if (at >= 0) this.malformed('XML does not allow this character', start + at)
  }

  #checkTextLength(length: number, start: number): void {
    const { maxTextLength } = this.limits
    if (length > maxTextLength) this.invalid(`a text is longer than ${maxTextLength} characters`, start)
  }
}
