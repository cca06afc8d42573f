import { describeValue } from '../wsgi/describe.ts'
import { detached, isBlank, nameEnd, normalizeLineEnds } from './characters.ts'
import { htmlEntity } from './entities.ts'
import { XMLRPCDecodeError } from './errors.ts'
import { FaultCode } from './fault.ts'
import type { Limits } from './limits.ts'
import type { Policy } from './policy.ts'
import { EXTENSION_NAMESPACE, likelyTag, type Tag } from './tags.ts'

const LT = 0x3c
const GT = 0x3e
const AMP = 0x26
const SLASH = 0x2f
const BRACKET = 0x5d
const SPACE = 0x20
const EXCLAMATION = 0x21
const COLON = 0x3a
const QUESTION = 0x3f
/** First code of the letters, with which names begin; `_` is above. */
const LETTERS = 0x41

const MAX_ATTRIBUTES = 64
/** Number of characters after which a regular expression is faster than a loop. */
const LOOPED = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids control characters
const PLAIN = /[^\0-\x08\x0b\x0c\x0e-\x1f<&\]]*/y
/** Number of pieces that are joined at a time, so that a text of many references needs little memory. */
const PIECES = 512
/** Length in code units above which a document must not be retained by a short string that was cut from it. */
const LARGE = 1024

const DECLARATION =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/y
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(?:(\d+)|x([\da-fA-F]+)));/y
/** Number of characters of a reference to an unknown entity that are looked at. The names of HTML have up to 31. */
const MAX_REFERENCE = 40
const LIKE_REFERENCE = /^&[a-z_:][\w:.-]*;/i
const HTML_REFERENCE = /^&([a-z]+\d*);/i
const EQUALS = /[ \t\r\n]*=[ \t\r\n]*(?=["'])/y
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

/**
 * Reads the tags and texts of an XML-RPC document in order. Checks that the document is well formed (XML 1.0, fifth
 * edition) and has no document type declaration. Needs no stack of open elements, since only the elements of XML-RPC
 * occur and the caller names the end tag that it expects.
 */
export class Scanner {
  readonly text: string
  /** Offset of the next character. */
  pos = 0
  /** Element of the tag read last; '' at the end of the document. */
  tag: Tag | '' = ''
  /** Whether the tag read last is an end tag. */
  isEnd = false
  /** Whether the tag read last is an empty-element tag (`<nil/>`), whose end tag is still to be returned. */
  selfClosed = false
  /** The last text between elements that the policy ignored; '' for none. */
  ignoredText = ''
  /** Whether `pos` is before or after the root element. */
  outside = true
  readonly #limits: Limits
  readonly #policy: Policy
  readonly #path: () => string
  readonly #large: boolean
  readonly #hasReturns: boolean
  #declaresEntities: boolean | undefined
  #elements = 0
  /** Full name of the last start tag with a prefix, which its end tag must repeat; '' if there is none open. */
  #prefixed = ''
  #extensionPrefixes: Set<string> | undefined

  /** @param path - returns the path of the current value, for error messages. */
  constructor(text: string, limits: Limits, policy: Policy, path: () => string) {
    this.text = text
    this.#hasReturns = text.includes('\r')
    this.#limits = limits
    this.#policy = policy
    this.#path = path
    this.#large = text.length > LARGE
    // Other forbidden characters are found while the document is scanned, which is faster.
    if (text.includes('\ufffe') || text.includes('\uffff')) this.#checkCharacters(0, text.length)
    const root = policy.rootAt(text)
    if (root >= 0) this.pos = root
    else if (/^<\?xml[ \t\r\n]/.test(this.text)) {
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

  /** Throws the error for the tag read last; `within` is the element that could have ended there. */
  unexpected(wanted: string, within: Tag | '' = ''): never {
    const { tag, isEnd } = this
    if (tag === '') this.malformed(`the document ends where ${wanted} is expected`)
    if (isEnd && tag === within) this.invalid(`<${within}> lacks ${wanted}`)
    if (isEnd) this.malformed(`the end tag is </${tag}> where ${wanted} is expected`)
    return this.invalid(`the tag is <${tag}> where ${wanted} is expected`)
  }

  /** Throws the error for text between two elements. Outside the root element XML itself forbids text. */
  strayText(text: string, offset = this.pos): never {
    if (this.outside) this.malformed(`${describeValue(text)} is text outside the root element`, offset)
    return this.invalid(`${describeValue(text)} is text between elements`, offset)
  }

  /** Reads the next tag into `tag` and `isEnd`. Skips blanks, comments and processing instructions. */
  next(): void {
    if (this.selfClosed) {
      this.selfClosed = false
      this.#prefixed = ''
      this.isEnd = true
      return
    }
    const { text } = this
    for (;;) {
      const code = text.charCodeAt(this.pos)
      if (code === LT) {
        const second = text.charCodeAt(this.pos + 1)
        if (second === SLASH) {
          this.#endTag()
          return
        }
        if (second === EXCLAMATION) this.#comment()
        else if (second === QUESTION) this.#instruction()
        else {
          this.startTag()
          return
        }
      } else if (isBlank(code)) {
        this.pos++
      } else if (this.pos >= text.length) {
        this.tag = ''
        return
      } else if (this.#policy.ignoresText) {
        const next = text.indexOf('<', this.pos)
        const end = next < 0 ? text.length : next
        this.ignoredText = detached(text.slice(this.pos, Math.min(end, this.pos + 50)))
        this.pos = end
      } else {
        const [stray = ''] = text.slice(this.pos, this.pos + 50).split('<', 1)
        this.#checkCharacters(this.pos, this.pos + stray.length)
        this.strayText(stray.trim())
      }
    }
  }

  /** Whether the tag read last is the start tag of this element. */
  isStart(tag: Tag): boolean {
    return this.tag === tag && !this.isEnd
  }

  /** Whether the tag read last is the end tag of this element. */
  isEndOf(tag: Tag): boolean {
    return this.tag === tag && this.isEnd
  }

  /** Reads the start tag of an element that is required within another. */
  open(tag: Tag, within: Tag | '' = ''): void {
    this.next()
    if (!this.isStart(tag)) this.unexpected(`<${tag}>`, within)
  }

  /** Reads the end tag of an element. */
  close(tag: Tag): void {
    const { text, pos } = this
    const end = pos + 2 + tag.length
    if (
      !this.selfClosed &&
      this.#prefixed === '' &&
      text.charCodeAt(pos + 1) === SLASH &&
      text.charCodeAt(end) === GT &&
      text.charCodeAt(pos) === LT &&
      text.startsWith(tag, pos + 2)
    ) {
      this.pos = end + 1
      return
    }
    this.next()
    if (!this.isEndOf(tag)) this.unexpected(`</${tag}>`)
  }

  /** Skips exactly this markup, if it comes next. A fast path for the usual sequences of tags. */
  skip(markup: string, startTags: number): boolean {
    if (this.selfClosed || !this.text.startsWith(markup, this.pos)) return false
    this.#countElements(startTags)
    this.pos += markup.length
    return true
  }

  /** Reads the start tag at `pos`. */
  startTag(): void {
    const { text } = this
    this.#countElements(1)
    const start = this.pos + 1
    const likely = likelyTag(text, start)
    this.isEnd = false
    if (isPlainTag(text, start, likely)) {
      this.pos = start + likely.length + 1
      this.tag = likely
      return
    }
    const end = nameEnd(text, start)
    if (end === start) this.malformed('the tag has no name')
    const name = text.slice(start, end)
    const after = this.#attributes(end)
    this.tag = name === likely ? likely : this.#extension(name)
    this.pos = after
  }

  #countElements(more: number): void {
    this.#elements += more
    const { maxElements } = this.#limits
    if (this.#elements > maxElements) this.invalid(`the document has more than ${maxElements} elements`)
  }

  #extension(name: string): Tag {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(colon, 0))
    const isExtension = prefix === 'ex' || (colon > 0 && this.#extensionPrefixes?.has(prefix) === true)
    const tag = this.#policy.extension(name.slice(colon + 1), isExtension)
    if (tag === undefined) this.invalid(`<${shorten(name)}> is not an element of XML-RPC`)
    this.#prefixed = name
    return tag
  }

  #endTag(): void {
    const { text } = this
    const start = this.pos + 2
    const likely = likelyTag(text, start)
    this.isEnd = true
    if (this.#prefixed === '' && isPlainTag(text, start, likely)) {
      this.pos = start + likely.length + 1
      this.tag = likely
      return
    }
    const end = nameEnd(text, start)
    if (end === start) this.malformed('the end tag has no name')
    let after = end
    while (isBlank(text.charCodeAt(after))) after++
    if (text.charCodeAt(after) !== GT) this.malformed('the end tag is malformed')
    const name = text.slice(start, end)
    if (this.#prefixed !== '' && name === this.#prefixed) this.#prefixed = ''
    else if (this.#prefixed === '' && name === likely) this.tag = likely
    else this.malformed(`the end tag </${shorten(name)}> ends no open element`)
    this.pos = after + 1
  }

  /**
   * Reads the attributes of a start tag and its end. XML-RPC has no attributes, but they must be well formed.
   *
   * @returns the offset after the tag.
   */
  #attributes(start: number): number {
    const { text } = this
    const names = new Set<string>()
    let at = start
    for (;;) {
      const before = at
      while (isBlank(text.charCodeAt(at))) at++
      if (text.charCodeAt(at) === GT) return at + 1
      if (text.charCodeAt(at) === SLASH && text.charCodeAt(at + 1) === GT) {
        this.selfClosed = true
        return at + 2
      }
      const end = nameEnd(text, at)
      if (at === before || end === at) this.malformed('the start tag is malformed', at)
      const name = text.slice(at, end)
      if (names.has(name)) this.malformed(`the attribute ${shorten(name)} occurs twice`, at)
      if (names.size === MAX_ATTRIBUTES)
        this.invalid(`an element has more than ${MAX_ATTRIBUTES} attributes`, at)
      names.add(name)
      at = this.#attributeValue(name, end)
    }
  }

  /** @returns the offset after the value. */
  #attributeValue(name: string, afterName: number): number {
    const { text } = this
    EQUALS.lastIndex = afterName
    const start = EQUALS.test(text) ? EQUALS.lastIndex : -1
    const end = start < 0 ? -1 : text.indexOf(text.charAt(start), start + 1)
    if (end < 0) this.malformed(`the attribute ${shorten(name)} has no quoted value`, afterName)
    this.#checkCharacters(start + 1, end)
    const value = text.slice(start + 1, end)
    if (value.includes('<')) this.malformed(`the value of the attribute ${shorten(name)} has a "<"`, start)
    for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', at + 1)) {
      this.pos = start + 1 + at
      this.#reference()
      if (this.pos > end) this.malformed('the reference in an attribute is malformed', start)
    }
    if (value === EXTENSION_NAMESPACE && name.startsWith('xmlns:')) {
      this.#extensionPrefixes ??= new Set()
      this.#extensionPrefixes.add(name.slice(6))
    }
    return end + 1
  }

  /** Reads the text up to the next tag. Resolves references and CDATA sections, skips comments and instructions. */
  characters(): string {
    const { text, pos: start } = this
    const end = this.#plainEnd(start)
    const next = text.charCodeAt(end + 1)
    if (text.charCodeAt(end) !== LT || next === EXCLAMATION || next === QUESTION || this.#isBareLess(end))
      return this.#mixed(start)
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
      if (code === BRACKET && text.startsWith(']]>', at) && !this.#policy.allowsUnescaped)
        this.malformed('"]]>" is outside a CDATA section', at)
      if (code < SPACE && !isBlank(code)) this.#checkCharacters(at, at + 1)
      if (at >= text.length) this.malformed('the document ends within an element', text.length)
    }
  }

  /** Returns true for a `<` that the policy takes as itself, because no tag can begin with the next character. */
  #isBareLess(at: number): boolean {
    const next = this.text.charCodeAt(at + 1)
    // An end tag is the usual case, so it is looked at first.
    return (
      next !== SLASH &&
      next < LETTERS &&
      next !== EXCLAMATION &&
      next !== QUESTION &&
      next !== COLON &&
      this.#policy.allowsUnescaped
    )
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
    if (code === AMP) return this.#reference()
    if (code !== LT) {
      this.pos = this.#plainEnd(start)
      return this.#raw(start, this.pos)
    }
    if (this.#isBareLess(start)) {
      this.pos++
      return '<'
    }
    const next = text.charCodeAt(start + 1)
    if (next === QUESTION) this.#instruction()
    else if (next !== EXCLAMATION) return undefined
    else if (!text.startsWith('<![CDATA[', start)) this.#comment()
    else {
      const end = text.indexOf(']]>', start + 9)
      if (end < 0) this.malformed('the CDATA section has no end')
      this.#checkCharacters(start, end)
      this.pos = end + 3
      return this.#raw(start + 9, end)
    }
    return ''
  }

  /** Reads a character reference or a reference to one of the five predefined entities. */
  #reference(): string {
    const { pos: start } = this
    if (this.#policy.allowsUnescaped) {
      if (!this.#isReference()) {
        this.pos++
        return '&'
      }
      const character = this.#htmlCharacter()
      if (character !== undefined) return character
    }
    const code = this.#codePoint()
    if (code >= 0xd800 && code <= 0xdbff && this.text.startsWith('&#', this.pos)) {
      // Some clients write a character above U+FFFF as a pair of references, one for each surrogate.
      const low = this.#codePoint()
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(code, low)
    }
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : '\ud800'
    if (this.#policy.forbiddenAt(char) >= 0)
      this.malformed('XML does not allow the character of this reference', start)
    return char
  }

  /** Reads a reference to an entity of HTML, unless the document declares entities, which can be others. */
  #htmlCharacter(): string | undefined {
    const { text, pos: start } = this
    const [, name = ''] = HTML_REFERENCE.exec(text.slice(start, start + MAX_REFERENCE)) ?? []
    const character = htmlEntity(name)
    if (character === undefined) return undefined
    this.#declaresEntities ??= text.includes('<!ENTITY')
    if (this.#declaresEntities) return undefined
    this.pos = start + name.length + 2
    return character
  }

  /** Returns true if a reference is at `pos`, or something that looks like one. */
  #isReference(): boolean {
    REFERENCE.lastIndex = this.pos
    return (
      REFERENCE.test(this.text) || LIKE_REFERENCE.test(this.text.slice(this.pos, this.pos + MAX_REFERENCE))
    )
  }

  #codePoint(): number {
    const { text, pos: start } = this
    REFERENCE.lastIndex = start
    const match = REFERENCE.exec(text)
    if (match === null) {
      const name = text.slice(start, Math.max(nameEnd(text, start + 1) + 1, start + 1))
      this.malformed(`${describeValue(name, 40)} is neither a character reference nor a predefined entity`)
    }
    this.pos = REFERENCE.lastIndex
    const [, entity, decimal, hexadecimal] = match
    if (entity !== undefined) return ENTITIES[entity] ?? 0
    return decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  }

  /** Skips the comment at `pos`. Throws if other markup that begins with `<!` is there. */
  #comment(): void {
    const { text, pos: start } = this
    if (text.startsWith('<![CDATA[', start)) this.strayText(text.slice(start, start + 50))
    if (text.startsWith('<!DOCTYPE', start)) this.invalid('XML-RPC has no document type declarations')
    if (!text.startsWith('<!--', start)) this.malformed('the markup is malformed')
    const end = text.indexOf(this.#policy.allowsUnescaped ? '-->' : '--', start + 4)
    if (end < 0) this.malformed('the comment has no end')
    if (text.charCodeAt(end + 2) !== GT) this.malformed('the comment has a "--"', end)
    this.#checkCharacters(start, end)
    this.pos = end + 3
  }

  /** Skips the processing instruction at `pos`. */
  #instruction(): void {
    const { text, pos: start } = this
    const afterName = nameEnd(text, start + 2)
    if (/^xml$/i.test(text.slice(start + 2, Math.min(afterName, start + 6)))) {
      this.malformed('the XML declaration is not at the start of the document')
    }
    const end = text.indexOf('?>', afterName)
    if (afterName === start + 2 || end < 0 || (end > afterName && !isBlank(text.charCodeAt(afterName)))) {
      this.malformed('the processing instruction is malformed')
    }
    this.#checkCharacters(start, end)
    this.pos = end + 2
  }

  #checkCharacters(start: number, end: number): void {
    const at = this.#policy.forbiddenAt(this.text.slice(start, end))
    if (at >= 0) this.malformed('XML does not allow this character', start + at)
  }

  #checkTextLength(length: number, start: number): void {
    const { maxTextLength } = this.#limits
    if (length > maxTextLength) this.invalid(`a text is longer than ${maxTextLength} characters`, start)
  }
}

/** Returns true if the tag has this name, and neither blanks nor attributes. */
function isPlainTag(text: string, start: number, name: Tag | ''): boolean {
  return name !== '' && text.charCodeAt(start + name.length) === GT && text.startsWith(name, start)
}

function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name
}
