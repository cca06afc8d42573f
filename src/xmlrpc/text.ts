import { detached, isBlank, isCharacter, nameEnd, normaliseLineEnds, uncarriableAt } from './characters.ts'
import { quote, XMLRPCDecodeError } from './errors.ts'
import { FaultCode } from './fault.ts'
import type { Limits } from './limits.ts'

const LT = 0x3c
const AMP = 0x26
const BRACKET = 0x5d

/** What the reader of character data must look at: 0 plain, 1 markup, 2 `]`, 3 a line end, 4 not XML. */
const CLASSES = new Uint8Array(128)
const PLAIN = 0
const MARKUP = 1
const CLOSING = 2
const RETURN = 3
const ILLEGAL = 4
CLASSES.fill(ILLEGAL, 0, 0x20)
CLASSES[0x09] = PLAIN
CLASSES[0x0a] = PLAIN
CLASSES[0x0d] = RETURN
CLASSES[LT] = MARKUP
CLASSES[AMP] = MARKUP
CLASSES[BRACKET] = CLOSING

/** Past this many characters the engine's own search is faster than a loop. */
const LONG = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: it stops at control characters
const PLAIN_RUN = /[^\0-\x08\x0b-\x1f<&\]]*/y

const ENTITIES: readonly (readonly [name: string, char: string])[] = [
  ['amp;', '&'],
  ['lt;', '<'],
  ['gt;', '>'],
  ['quot;', '"'],
  ['apos;', "'"],
]
/** After so many pieces a text is joined, so that a text of many references costs no more than a small multiple of itself. */
const PIECES = 512

/** A document, and the place up to which it is read: character data, references, comments, instructions. */
export abstract class TextReader {
  protected readonly text: string
  protected readonly limits: Limits
  protected pos = 0
  /** Whether a kept string would hold a document much larger than itself. */
  private readonly large: boolean

  constructor(text: string, limits: Limits) {
    this.text = text
    this.limits = limits
    this.large = text.length > 1024
  }

  /** Where in the value the reader is, for errors. */
  protected abstract path(): string

  protected fail(faultCode: FaultCode, detail: string, offset = this.pos): never {
    throw new XMLRPCDecodeError(faultCode, detail, { path: this.path(), offset })
  }

  protected malformed(detail: string, offset = this.pos): never {
    return this.fail(FaultCode.notWellFormed, detail, offset)
  }

  /** The character data from here to the next tag, comments and instructions left out. */
  protected characters(): string {
    const { text } = this
    const start = this.pos
    const end = this.plainRun(start)
    if (end < 0 || text.charCodeAt(end) !== LT) return this.mixed(start)
    const next = text.charCodeAt(end + 1)
    if (next === 0x21 || next === 0x3f) return this.mixed(start)
    this.pos = end
    this.checkTextLength(end - start, start)
    return this.cut(start, end)
  }

  /** A part of the document, to be kept. */
  protected cut(start: number, end: number): string {
    const part = this.text.slice(start, end)
    return this.large && (end - start) * 2 < this.text.length ? detached(part) : part
  }

  /** Where the plain characters from here end; -1 when they hold a carriage return. Leaves no other trace. */
  private plainRun(start: number): number {
    const { text } = this
    const { length } = text
    let at = start
    let turn = start + LONG
    let returns = false
    for (; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code < 128) {
        const kind = CLASSES[code] as number
        if (kind !== PLAIN) {
          if (kind === MARKUP) return returns ? -1 : at
          if (kind === ILLEGAL) this.malformed('XML does not allow this control character', at)
          if (kind === RETURN) returns = true
          else if (text.charCodeAt(at + 1) === BRACKET && text.charCodeAt(at + 2) === 0x3e) {
            this.malformed('"]]>" stands outside a CDATA section', at)
          }
        }
      }
      if (at === turn) {
        PLAIN_RUN.lastIndex = at
        PLAIN_RUN.test(text)
        // The loop looks at the character that stopped the search itself.
        at = Math.max(at, PLAIN_RUN.lastIndex - 1)
        turn = at + LONG
      }
    }
    return this.malformed('the document ends within an element', length)
  }

  /** Character data with references, CDATA sections, comments, instructions or carriage returns in it. */
  private mixed(start: number): string {
    const { text } = this
    let whole = ''
    let chunk = ''
    let pieces = 0
    let length = 0
    this.pos = start
    for (;;) {
      const piece = this.piece()
      if (piece === undefined) break
      length += piece.length
      this.checkTextLength(length, start)
      chunk += piece
      if (++pieces === PIECES) {
        whole += detached(chunk)
        chunk = ''
        pieces = 0
      }
    }
    return this.large && length * 2 < text.length ? detached(whole + chunk) : whole + chunk
  }

  /** The next piece of character data; `undefined` at a tag. */
  private piece(): string | undefined {
    const { text } = this
    const at = this.pos
    const code = text.charCodeAt(at)
    if (code === AMP) return this.reference()
    if (code !== LT) {
      const end = this.plainRun(at)
      if (end >= 0) {
        this.pos = end
        return text.slice(at, end)
      }
      this.pos = at
      while (text.charCodeAt(this.pos) !== LT && text.charCodeAt(this.pos) !== AMP) this.pos++
      return normaliseLineEnds(text.slice(at, this.pos))
    }
    const next = text.charCodeAt(at + 1)
    if (next === 0x3f) {
      this.instruction()
      return ''
    }
    if (next !== 0x21) return undefined
    if (!text.startsWith('<![CDATA[', at)) {
      this.comment()
      return ''
    }
    const end = text.indexOf(']]>', at + 9)
    if (end < 0) this.malformed('the CDATA section has no end')
    const data = text.slice(at + 9, end)
    this.checkCharacters(data, at + 9)
    this.pos = end + 3
    return normaliseLineEnds(data)
  }

  /** One of the five entities, or a character reference; at `&`. */
  protected reference(): string {
    const { text } = this
    const at = this.pos
    if (text.charCodeAt(at + 1) === 0x23) return this.characterReference()
    const found = ENTITIES.find(([name]) => text.startsWith(name, at + 1))
    if (found === undefined) {
      const known = nameEnd(text, at + 1)
      const shown = quote(text.slice(at, Math.max(known + 1, at + 1)))
      this.malformed(`${shown} is neither a character reference nor one of XML's five entities`)
    }
    const [name, char] = found
    this.pos = at + 1 + name.length
    return char
  }

  private characterReference(): string {
    const at = this.pos
    const code = this.codePoint()
    if (isCharacter(code)) return String.fromCodePoint(code)
    // Some clients write a character beyond U+FFFF as two references, one for each half of its surrogate pair.
    if (code >= 0xd800 && code <= 0xdbff && this.text.startsWith('&#', this.pos)) {
      const low = this.codePoint()
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(code, low)
    }
    return this.malformed('XML does not allow the character of this reference', at)
  }

  /** The number of a character reference; at `&#`. Numbers beyond Unicode come out as 0x110000. */
  private codePoint(): number {
    const { text } = this
    const start = this.pos
    const hexadecimal = text.charCodeAt(start + 2) === 0x78
    const base = hexadecimal ? 16 : 10
    let at = start + (hexadecimal ? 3 : 2)
    const first = at
    let code = 0
    for (; ; at++) {
      const digit = digitOf(text.charCodeAt(at))
      if (!(digit < base)) break
      code = Math.min(code * base + digit, 0x110000)
    }
    if (at === first || text.charCodeAt(at) !== 0x3b)
      this.malformed('the character reference is malformed', start)
    this.pos = at + 1
    return code
  }

  /** At `<!`: a comment, the only thing that may stand here. */
  protected comment(): void {
    const { text } = this
    const at = this.pos
    if (!text.startsWith('<!--', at)) {
      if (text.startsWith('<!DOCTYPE', at)) {
        this.fail(FaultCode.invalidRequest, 'document type declarations are not allowed in XML-RPC')
      }
      this.malformed('the markup is malformed')
    }
    const end = text.indexOf('--', at + 4)
    if (end < 0) this.malformed('the comment has no end')
    if (text.charCodeAt(end + 2) !== 0x3e) this.malformed('"--" stands within a comment', end)
    this.checkCharacters(text.slice(at + 4, end), at + 4)
    this.pos = end + 3
  }

  /** At `<?`: a processing instruction, which is passed over. */
  protected instruction(): void {
    const { text } = this
    const at = this.pos
    const afterName = nameEnd(text, at + 2)
    if (afterName === at + 2) this.malformed('the processing instruction has no name')
    if (/^xml$/i.test(text.slice(at + 2, Math.min(afterName, at + 6)))) {
      this.malformed('an XML declaration may stand only at the very beginning')
    }
    const end = text.indexOf('?>', afterName)
    if (end < 0) this.malformed('the processing instruction has no end')
    if (end !== afterName && !isBlank(text.charCodeAt(afterName))) {
      this.malformed('the processing instruction is malformed')
    }
    this.checkCharacters(text.slice(afterName, end), afterName)
    this.pos = end + 2
  }

  protected checkCharacters(part: string, offset: number): void {
    const at = uncarriableAt(part)
    if (at >= 0) this.malformed('XML does not allow this character', offset + at)
  }

  protected checkTextLength(length: number, start: number): void {
    const { maxTextLength } = this.limits
    if (length > maxTextLength) {
      this.fail(FaultCode.invalidRequest, `a text is longer than ${maxTextLength} characters`, start)
    }
  }
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  if (code >= 0x61 && code <= 0x66) return code - 0x57
  if (code >= 0x41 && code <= 0x46) return code - 0x37
  return Number.NaN
}
