import { isBlank, NAME, nameEnd } from './characters.ts'
import { TextScanner } from './text-scanner.ts'

const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const EXCLAMATION = 0x21
const QUESTION = 0x3f

const MAX_ATTRIBUTES = 64
/** Length of the longest name of an element. */
const MAX_NAME = 'dateTime.iso8601'.length

const TAG_END = /[ \t\r\n]*(\/?)>/y
/** The name of an attribute, up to the quote before its value. */
const ATTRIBUTE = new RegExp(`[ \\t\\r\\n]+(${NAME.source})[ \\t\\r\\n]*=[ \\t\\r\\n]*(?=["'])`, 'uy')

/** The elements of XML-RPC. `i8` and `nil` are extensions without a prefix. */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'methodCall methodResponse methodName params param value fault array data struct member name ' +
    'string int i4 i8 boolean double dateTime.iso8601 base64 nil'
  ).split(' '),
)

/** Namespace of Apache ws-xmlrpc. Its client sends these elements with a prefix. */
const EXTENSION_NAMESPACE = 'http://ws.apache.org/xmlrpc/namespaces/extensions'

/** Elements with a prefix, and the elements that have the same values. */
const EXTENSION_TAGS: ReadonlyMap<string, string> = new Map([
  ['nil', 'nil'],
  ['i1', 'i1'],
  ['i2', 'i2'],
  ['i8', 'i8'],
  ['float', 'double'],
  ['biginteger', 'i8'],
  ['dateTime', 'dateTime.iso8601'],
])

/**
 * Reads the tags and texts of an XML-RPC document in order. Checks that the document is well formed (XML 1.0, fifth
 * edition) and has no document type declaration. Needs no stack of open elements, since only the elements of XML-RPC
 * occur and the caller names the end tag that it expects.
 */
export class Scanner extends TextScanner {
  /** Element of the tag read last; '' at the end of the document. */
  tag = ''
  /** Whether the tag read last is an end tag. */
  isEnd = false
  /** Whether the tag read last is an empty-element tag (`<nil/>`), whose end tag is still to be returned. */
  selfClosed = false
  #elements = 0
  /** Full name of the last start tag with a prefix, which its end tag must repeat; '' if there is none open. */
  #prefixed = ''
  #extensionPrefixes: Set<string> | undefined

  /** Throws the error for the tag read last; `within` is the element that could have ended there. */
  unexpected(wanted: string, within = ''): never {
    const { tag, isEnd } = this
    if (tag === '') this.malformed(`the document ends where ${wanted} is expected`)
    if (isEnd && tag === within) this.invalid(`<${within}> lacks ${wanted}`)
    if (isEnd) this.malformed(`the end tag is </${tag}> where ${wanted} is expected`)
    return this.#misplaced(`the tag is <${tag}> where ${wanted} is expected`)
  }

  /**
   * Throws the error for a start tag that XML-RPC does not allow here, in a document that may not be well formed
   * either.
   */
  #misplaced(detail: string): never {
    if (isNested(this.text)) this.invalid(detail)
    return this.malformed(`${detail}, and the document is not well formed`)
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
        if (second === EXCLAMATION) this.comment()
        else if (second === QUESTION) this.instruction()
        else {
          this.startTag()
          return
        }
      } else if (isBlank(code)) {
        this.pos++
      } else if (this.pos >= text.length) {
        this.tag = ''
        return
      } else {
        const [stray = ''] = text.slice(this.pos, this.pos + 50).split('<', 1)
        this.checkCharacters(this.pos, this.pos + stray.length)
        this.strayText(stray.trim())
      }
    }
  }

  /** Whether the tag read last is the start tag of this element. */
  isStart(tag: string): boolean {
    return this.tag === tag && !this.isEnd
  }

  /** Whether the tag read last is the end tag of this element. */
  isEndOf(tag: string): boolean {
    return this.tag === tag && this.isEnd
  }

  /** Reads the start tag of an element that is required within another. */
  open(tag: string, within = ''): void {
    this.next()
    if (!this.isStart(tag)) this.unexpected(`<${tag}>`, within)
  }

  /** Reads the end tag of an element. */
  close(tag: string): void {
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
    this.isEnd = false
    const start = this.pos + 1
    if (this.#plainTag(start)) return
    const end = nameEnd(text, start)
    if (end === start) this.malformed('the tag has no name')
    const name = text.slice(start, end)
    const after = this.#attributes(end)
    this.tag = ELEMENTS.has(name) ? name : this.#extension(name)
    this.pos = after
  }

  /** Reads the name of an element and `>`. Returns false for other tags, such as those with attributes. */
  #plainTag(start: number): boolean {
    const end = this.text.indexOf('>', start)
    const name = end - start > MAX_NAME ? '' : this.text.slice(start, end)
    if (!ELEMENTS.has(name)) return false
    this.tag = name
    this.pos = end + 1
    return true
  }

  #countElements(more: number): void {
    this.#elements += more
    const { maxElements } = this.limits
    if (this.#elements > maxElements) this.invalid(`the document has more than ${maxElements} elements`)
  }

  #extension(name: string): string {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(colon, 0))
    const isExtension = prefix === 'ex' || (colon > 0 && this.#extensionPrefixes?.has(prefix) === true)
    const tag = isExtension ? EXTENSION_TAGS.get(name.slice(colon + 1)) : undefined
    if (tag === undefined) this.#misplaced(`<${shorten(name)}> is not an element of XML-RPC`)
    this.#prefixed = name
    return tag
  }

  #endTag(): void {
    const { text } = this
    const start = this.pos + 2
    this.isEnd = true
    if (this.#prefixed === '' && this.#plainTag(start)) return
    const end = nameEnd(text, start)
    if (end === start) this.malformed('the end tag has no name')
    TAG_END.lastIndex = end
    if (TAG_END.exec(text)?.[1] !== '') this.malformed('the end tag is malformed')
    const after = TAG_END.lastIndex
    const name = text.slice(start, end)
    if (this.#prefixed !== '' && name === this.#prefixed) this.#prefixed = ''
    else if (this.#prefixed === '' && ELEMENTS.has(name)) this.tag = name
    else this.malformed(`the end tag </${shorten(name)}> ends no open element`)
    this.pos = after
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
      TAG_END.lastIndex = at
      const [end, slash] = TAG_END.exec(text) ?? []
      if (end !== undefined) {
        this.selfClosed = slash === '/'
        return at + end.length
      }
      ATTRIBUTE.lastIndex = at
      const [, name = ''] = ATTRIBUTE.exec(text) ?? this.malformed('the start tag is malformed', at)
      if (names.has(name)) this.malformed(`the attribute ${shorten(name)} occurs twice`, at)
      if (names.size === MAX_ATTRIBUTES) this.invalid(`an element has more than ${MAX_ATTRIBUTES} attributes`, at)
      names.add(name)
      at = this.#attributeValue(name, ATTRIBUTE.lastIndex)
    }
  }

  /** @returns the offset after the value. */
  #attributeValue(name: string, start: number): number {
    const { text } = this
    const end = text.indexOf(text.charAt(start), start + 1)
    if (end < 0) this.malformed(`the value of the attribute ${shorten(name)} has no end`, start)
    this.checkCharacters(start + 1, end)
    const value = text.slice(start + 1, end)
    if (value.includes('<')) this.malformed(`the value of the attribute ${shorten(name)} has a "<"`, start)
    for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', at + 1)) {
      this.pos = start + 1 + at
      this.reference()
      if (this.pos > end) this.malformed('the reference in an attribute is malformed', start)
    }
    if (value === EXTENSION_NAMESPACE && name.startsWith('xmlns:')) {
      this.#extensionPrefixes ??= new Set()
      this.#extensionPrefixes.add(name.slice(6))
    }
    return end + 1
  }
}

function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name
}

const TAG_PART = /["'>]/g

/**
 * Returns true if the tags of a document nest and it has one root element (XML 1.0 §2.1), whatever its elements are.
 * Checks nothing else, and nothing after a document type declaration.
 */
function isNested(text: string): boolean {
  const open: string[] = []
  let hasRoot = false
  let end = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', end)) {
    const second = text.charAt(at + 1)
    end = markupEnd(text, at)
    if (end < 0) return false
    if (second === '/') {
      if (open.pop() !== text.slice(at + 2, end - 1).trimEnd()) return false
    } else if (second !== '!' && second !== '?') {
      if (hasRoot && open.length === 0) return false
      hasRoot = true
      if (text.charAt(end - 2) !== '/') open.push(text.slice(at + 1, nameEnd(text, at + 1)))
    } else if (text.startsWith('<!DOCTYPE', at)) {
      return true
    }
  }
  return open.length === 0
}

/** Returns the offset after the tag, comment, CDATA section or instruction at `start`, or -1 if it has no end. */
function markupEnd(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return afterText(text, '-->', start + 4)
  if (text.startsWith('<![CDATA[', start)) return afterText(text, ']]>', start + 9)
  if (text.startsWith('<?', start)) return afterText(text, '?>', start + 2)
  TAG_PART.lastIndex = start
  for (let part = TAG_PART.exec(text)?.[0]; part !== undefined; part = TAG_PART.exec(text)?.[0]) {
    if (part === '>') return TAG_PART.lastIndex
    const quote = text.indexOf(part, TAG_PART.lastIndex)
    if (quote < 0) return -1
    TAG_PART.lastIndex = quote + 1
  }
  return -1
}

/** Returns the offset after the next occurrence of a text, or -1. */
function afterText(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start)
  return at < 0 ? -1 : at + end.length
}
