/** Finds the fields of forms in HTML, with their positions in the source. */
import type { Token } from 'parse5'
import { optionalPackage } from '../../base/optional-package.ts'

/** A start tag in the source. Positions are in UTF-16 code units. */
export interface Tag {
  readonly name: string
  readonly start: number
  readonly end: number
  /** The attributes, with names in lower case. Of a repeated name the first counts. */
  readonly attributes: ReadonlyMap<string, Attribute>
}

export interface Attribute {
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface Option {
  readonly tag: Tag
  readonly value: string
}

/** A field of a form that has a name. */
export interface Field {
  readonly name: string
  /** The type of an `input`, or `textarea` or `select`. In lower case. */
  readonly type: string
  readonly tag: Tag
  /** The options of a `select`. */
  readonly options: Option[]
  /** End of the text of a `textarea`. */
  contentEnd: number
}

/** A placeholder of FormEncode: `form:error` or `form:iferror`. */
export interface Placeholder {
  readonly tag: Tag
  /** Name of the field. `not ` before it reverses `form:iferror`. */
  readonly name: string
  /** End of `form:iferror` with its end tag. */
  end: number
  /** Start of the end tag. */
  contentEnd: number
}

export interface HtmlFields {
  readonly fields: readonly Field[]
  readonly placeholders: readonly Placeholder[]
  /** The place of errors without a field: behind the start tag of the first form, else of the body, else at the start. */
  readonly start: number
}

/** Elements whose text has no tags (HTML §13.2.6). */
const RAW_TEXT: ReadonlySet<string> = new Set(['style', 'xmp', 'iframe', 'noembed', 'noframes'])

/**
 * Reads the tags of HTML. It may be a part of a page, such as rows of a table, because no tree is built.
 *
 * @throws Error - the package `parse5` is not installed.
 */
export function htmlFields(html: string): HtmlFields {
  const { Tokenizer, TokenizerMode } = optionalPackage('parse5', 'fillForm()')
  const fields: Field[] = []
  const placeholders: Placeholder[] = []
  const openPlaceholders = new OpenPlaceholders()
  let select: Field | undefined
  let textarea: Field | undefined
  let option: { readonly tag: Tag; text: string } | undefined
  let formStart: number | undefined
  let bodyStart = 0

  const endOption = (): void => {
    if (option === undefined) return
    const value =
      option.tag.attributes.get('value')?.value ?? option.text.replace(/[\t\n\f\r ]+/g, ' ').trim()
    select?.options.push({ tag: option.tag, value })
    option = undefined
  }
  const addText = ({ chars }: Token.CharacterToken): void => {
    if (option !== undefined) option.text += chars
  }
  const addField = (tag: Tag, type: string): Field => {
    const name = tag.attributes.get('name')?.value ?? ''
    const field = { name, type, tag, options: [], contentEnd: html.length }
    if (name !== '') fields.push(field)
    return field
  }
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(token) {
        const tag = tagOf(token)
        if (tag.name === 'textarea' || tag.name === 'title') tokenizer.state = TokenizerMode.RCDATA
        else if (tag.name === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA
        else if (tag.name === 'plaintext') tokenizer.state = TokenizerMode.PLAINTEXT
        else if (RAW_TEXT.has(tag.name)) tokenizer.state = TokenizerMode.RAWTEXT
        switch (tag.name) {
          case 'form':
            formStart ??= tag.end
            break
          case 'body':
            bodyStart = tag.end
            break
          case 'input':
            addField(tag, tag.attributes.get('type')?.value.toLowerCase() || 'text')
            break
          case 'textarea':
            textarea = addField(tag, 'textarea')
            break
          case 'select':
            endOption()
            select = addField(tag, 'select')
            break
          case 'option':
            endOption()
            option = { tag, text: '' }
            break
          case 'optgroup':
            endOption()
            break
          case 'form:error':
          case 'form:iferror': {
            const name = tag.attributes.get('name')?.value ?? openPlaceholders.last?.name.replace(/^not /, '')
            const placeholder = { tag, name: name ?? '', end: tag.end, contentEnd: tag.end }
            placeholders.push(placeholder)
            if (!token.selfClosing) openPlaceholders.open(placeholder)
          }
        }
      },
      onEndTag(token) {
        const { start, end, name } = tagOf(token)
        switch (name) {
          case 'textarea':
            if (textarea !== undefined) textarea.contentEnd = start
            textarea = undefined
            break
          case 'option':
          case 'optgroup':
            endOption()
            break
          case 'select':
            endOption()
            select = undefined
            break
          case 'form:error':
          case 'form:iferror': {
            const open = openPlaceholders.close(name)
            if (open === undefined) break
            open.contentEnd = start
            open.end = end
          }
        }
      },
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  )
  tokenizer.write(html, true)
  endOption()
  return { fields, placeholders, start: formStart ?? bodyStart }
}

/** The placeholders whose end tags are not read yet, the innermost last. */
class OpenPlaceholders {
  readonly #open: Placeholder[] = []
  /** Number of open placeholders by the name of the tag, so that an end tag that closes none costs no search. */
  readonly #counts = new Map<string, number>()

  get last(): Placeholder | undefined {
    return this.#open.at(-1)
  }

  open(placeholder: Placeholder): void {
    this.#open.push(placeholder)
    this.#count(placeholder.tag.name, 1)
  }

  /**
   * Closes the innermost placeholder with a tag of this name, and those within it.
   *
   * @returns the placeholder, undefined if there is none.
   */
  close(name: string): Placeholder | undefined {
    if (!this.#counts.get(name)) return undefined
    let closed: Placeholder | undefined
    do {
      closed = this.#open.pop()
      if (closed !== undefined) this.#count(closed.tag.name, -1)
    } while (closed !== undefined && closed.tag.name !== name)
    return closed
  }

  #count(name: string, change: 1 | -1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + change)
  }
}

function tagOf({ tagName, attrs, location }: Token.TagToken): Tag {
  const attributes = new Map<string, Attribute>()
  for (const { name, value } of attrs) {
    const { startOffset: start = 0, endOffset: end = 0 } = location?.attrs?.[name] ?? {}
    attributes.set(name, { value, start, end })
  }
  return { name: tagName, start: location?.startOffset ?? 0, end: location?.endOffset ?? 0, attributes }
}
