import { isBlank, nameEnd } from './characters.ts'
import { quote } from './errors.ts'
import { FaultCode } from './fault.ts'
import { candidate, EXTENSIONS, extensionTag, isNamed, TAG_NAMES } from './tags.ts'
import { TextReader } from './text.ts'

const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const MOST_ATTRIBUTES = 64

const DECLARATION =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/y

/**
 * Reads the tags of an XML-RPC document, one after the other. It knows XML-RPC's elements and no others, so
 * it needs no stack: whoever asks for an end tag says which one it must be. Everything that XML demands of a
 * document is checked as it is read (XML 1.0, fifth edition, without document type declarations).
 */
export abstract class Scanner extends TextReader {
  /** The start tag read last was an empty-element tag: its end has still to be reported. */
  protected selfClosed = false
  private elements = 0
  private last = 0
  /** The full name of the last element whose name had a prefix; its end tag must repeat it. */
  private prefixed = ''
  /** Other prefixes than `ex` that the document declared for Apache's extensions. */
  private prefixes: Set<string> | undefined

  /** Checks what concerns the document as a whole, and reads its declaration. */
  protected begin(): void {
    const { text } = this
    const noncharacter = Math.max(text.indexOf('\ufffe'), text.indexOf('\uffff'))
    if (noncharacter >= 0) this.malformed('XML does not allow this character', noncharacter)
    if (text.startsWith('<?xml') && isBlank(text.charCodeAt(5))) this.declaration()
  }

  /**
   * Goes to the next tag, past blanks, comments and instructions, and reads it.
   *
   * @returns the element's number for a start tag, the negated number for an end tag, 0 at the end.
   */
  protected next(): number {
    if (this.selfClosed) {
      this.selfClosed = false
      this.prefixed = ''
      return -this.last
    }
    const { text } = this
    for (;;) {
      const at = this.pos
      const code = text.charCodeAt(at)
      if (code === LT) {
        const second = text.charCodeAt(at + 1)
        if (second === SLASH) return -this.endTag(at + 2)
        if (second === 0x21) this.commentBetween()
        else if (second === 0x3f) this.instruction()
        else return this.startTag(at + 1)
      } else if (isBlank(code)) {
        this.pos = at + 1
      } else {
        return at >= text.length ? 0 : this.stray()
      }
    }
  }

  /** Reads the start tag of this very element, within that one. */
  protected open(tag: number, within: number): void {
    const found = this.next()
    if (found !== tag) this.unexpected(found, `<${TAG_NAMES[tag]}>`, within)
  }

  /** Reads the end tag of this very element. */
  protected close(tag: number): void {
    const { text } = this
    const at = this.pos
    if (!this.selfClosed && this.prefixed === '' && text.charCodeAt(at + 1) === SLASH) {
      const name = TAG_NAMES[tag] as string
      const end = at + 2 + name.length
      if (text.charCodeAt(end) === GT && isNamed(text, at + 2, tag) && text.charCodeAt(at) === LT) {
        this.pos = end + 1
        return
      }
    }
    const found = this.next()
    if (found !== -tag) this.unexpected(found, `</${TAG_NAMES[tag]}>`)
  }

  /** Passes these very tags if they stand here just so: the usual case, made quick. */
  protected skipTags(markup: string, startTags: number): boolean {
    if (!this.text.startsWith(markup, this.pos)) return false
    this.countElements(startTags)
    this.pos += markup.length
    return true
  }

  private countElements(more: number): void {
    this.elements += more
    if (this.elements > this.limits.maxElements) {
      this.fail(FaultCode.invalidRequest, `the document has more than ${this.limits.maxElements} elements`)
    }
  }

  /** Refuses a tag that may not stand where it was found; `within` is the element that could end here. */
  protected unexpected(found: number, wanted: string, within = 0): never {
    if (found === 0) this.malformed(`the document ends where ${wanted} is expected`)
    if (found === -within) this.fail(FaultCode.invalidRequest, `<${TAG_NAMES[within]}> lacks ${wanted}`)
    if (found < 0) this.malformed(`the end tag </${TAG_NAMES[-found]}> stands where ${wanted} is expected`)
    return this.fail(FaultCode.invalidRequest, `<${TAG_NAMES[found]}> stands where ${wanted} is expected`)
  }

  /** A comment; a CDATA section is one as little as text is. */
  private commentBetween(): void {
    const { text, pos } = this
    if (text.startsWith('<![CDATA[', pos)) this.strayText(text.slice(pos, pos + 50))
    this.comment()
  }

  private stray(): never {
    const end = this.text.indexOf('<', this.pos)
    const found = this.text.slice(this.pos, end < 0 ? this.pos + 50 : Math.min(end, this.pos + 50))
    this.checkCharacters(found, this.pos)
    return this.strayText(found.trim())
  }

  /** Text where only elements may stand. */
  protected strayText(found: string, offset = this.pos): never {
    return this.fail(FaultCode.invalidRequest, `the text ${quote(found)} stands between elements`, offset)
  }

  protected startTag(at: number): number {
    const { text } = this
    this.countElements(1)
    let tag = candidate(text, at)
    let end = at
    if (tag !== 0) {
      const name = TAG_NAMES[tag] as string
      end = at + name.length
      if (isNamed(text, at, tag)) {
        if (text.charCodeAt(end) === GT) {
          this.pos = end + 1
          this.last = tag
          return tag
        }
        if (nameEnd(text, at) !== end) tag = 0
      } else {
        tag = 0
      }
    }
    if (tag === 0) {
      end = nameEnd(text, at)
      if (end === at) this.malformed('the tag has no name')
    }
    const unknownAt = this.pos
    this.attributes(end)
    if (tag === 0) tag = this.extension(text.slice(at, end), unknownAt)
    this.last = tag
    return tag
  }

  private extension(name: string, at: number): number {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(colon, 0))
    const known = prefix === 'ex' || this.prefixes?.has(prefix)
    const tag = known ? extensionTag(name.slice(colon + 1)) : 0
    if (tag === 0) this.fail(FaultCode.invalidRequest, `<${shown(name)}> is not an element of XML-RPC`, at)
    this.prefixed = name
    return tag
  }

  private endTag(at: number): number {
    const { text } = this
    const usual = candidate(text, at)
    if (usual !== 0 && this.prefixed === '') {
      const after = at + (TAG_NAMES[usual] as string).length
      if (text.charCodeAt(after) === GT && isNamed(text, at, usual)) {
        this.pos = after + 1
        return usual
      }
    }
    const end = nameEnd(text, at)
    if (end === at) this.malformed('the end tag has no name')
    const name = text.slice(at, end)
    let after = end
    while (isBlank(text.charCodeAt(after))) after++
    if (text.charCodeAt(after) !== GT) this.malformed('the end tag is malformed')
    const wanted = this.prefixed
    const tag = wanted === '' ? usual : this.last
    if (name !== (wanted === '' ? TAG_NAMES[tag] : wanted)) {
      this.malformed(`the end tag </${shown(name)}> ends no open element`)
    }
    this.prefixed = ''
    this.pos = after + 1
    return tag
  }

  /** Reads the rest of a start tag. Attributes mean nothing to XML-RPC, but must be well formed. */
  private attributes(start: number): void {
    const { text } = this
    let names: Set<string> | undefined
    let at = start
    for (;;) {
      const before = at
      while (isBlank(text.charCodeAt(at))) at++
      const code = text.charCodeAt(at)
      if (code === GT) {
        this.pos = at + 1
        return
      }
      if (code === SLASH && text.charCodeAt(at + 1) === GT) {
        this.selfClosed = true
        this.pos = at + 2
        return
      }
      const end = nameEnd(text, at)
      if (at === before || end === at) this.malformed('the start tag is malformed', at)
      const name = text.slice(at, end)
      names ??= new Set()
      if (names.has(name)) this.malformed(`the attribute ${shown(name)} occurs twice`, at)
      if (names.size === MOST_ATTRIBUTES) {
        this.fail(FaultCode.invalidRequest, `an element has more than ${MOST_ATTRIBUTES} attributes`, at)
      }
      names.add(name)
      at = this.attributeValue(name, end)
    }
  }

  /** @returns where the value ends. */
  private attributeValue(name: string, afterName: number): number {
    const { text } = this
    let at = afterName
    while (isBlank(text.charCodeAt(at))) at++
    if (text.charCodeAt(at) !== 0x3d) this.malformed(`the attribute ${shown(name)} has no value`, at)
    at++
    while (isBlank(text.charCodeAt(at))) at++
    const mark = text[at]
    const end = mark === '"' || mark === "'" ? text.indexOf(mark, at + 1) : -1
    if (end < 0) this.malformed(`the value of the attribute ${shown(name)} is not quoted`, at)
    const value = text.slice(at + 1, end)
    const less = value.indexOf('<')
    if (less >= 0) this.malformed('"<" stands in the value of an attribute', at + 1 + less)
    this.checkCharacters(value, at + 1)
    for (let amp = value.indexOf('&'); amp >= 0; amp = value.indexOf('&', this.pos - at - 1)) {
      this.pos = at + 1 + amp
      this.reference()
      if (this.pos > end) this.malformed('the reference in the value of an attribute is malformed', at)
    }
    if (value === EXTENSIONS && name.startsWith('xmlns:')) {
      this.prefixes ??= new Set()
      this.prefixes.add(name.slice(6))
    }
    return end + 1
  }

  private declaration(): void {
    DECLARATION.lastIndex = 0
    if (!DECLARATION.test(this.text)) this.malformed('the XML declaration is malformed')
    this.pos = DECLARATION.lastIndex
  }
}

function shown(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name
}
