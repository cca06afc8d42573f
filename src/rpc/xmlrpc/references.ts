import { describeValue } from '../../base/describe.ts'
import { nameEnd } from './characters.ts'
import { htmlEntity } from './entities.ts'
import type { Policy } from './policy.ts'

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(?:(\d+)|x([\da-fA-F]+)));/y
/** Number of characters of a reference to an unknown entity that are looked at. The names of HTML have up to 31. */
const MAX_REFERENCE = 40
const LIKE_REFERENCE = /^&[a-z_:][\w:.-]*;/i
const HTML_REFERENCE = /^&([a-z]+\d*);/i
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

/** Reads references to characters and entities (XML 1.0 §4.1). */
export class References {
  /** Offset after the reference read last. */
  end = 0
  readonly #text: string
  readonly #policy: Policy
  readonly #malformed: (detail: string, offset: number) => never
  #declaresEntities: boolean | undefined

  /** @param malformed - throws the error for a document that is not well-formed XML. */
  constructor(text: string, policy: Policy, malformed: (detail: string, offset: number) => never) {
    this.#text = text
    this.#policy = policy
    this.#malformed = malformed
  }

  /** Reads a character reference or a reference to one of the five predefined entities. */
  read(start: number): string {
    if (this.#policy.allowsUnescaped) {
      if (!this.#isReference(start)) {
        this.end = start + 1
        return '&'
      }
      const character = this.#htmlCharacter(start)
      if (character !== undefined) return character
    }
    const code = this.#codePoint(start)
    if (code >= 0xd800 && code <= 0xdbff && this.#text.startsWith('&#', this.end)) {
      // Some clients write a character above U+FFFF as a pair of references, one for each surrogate.
      const low = this.#codePoint(this.end)
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(code, low)
    }
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : '\ud800'
    if (this.#policy.forbiddenAt(char) >= 0)
      this.#malformed('XML does not allow the character of this reference', start)
    return char
  }

  /** Reads a reference to an entity of HTML, unless the document declares entities, which can be others. */
  #htmlCharacter(start: number): string | undefined {
    const text = this.#text
    const [, name = ''] = HTML_REFERENCE.exec(text.slice(start, start + MAX_REFERENCE)) ?? []
    const character = htmlEntity(name)
    if (character === undefined) return undefined
    this.#declaresEntities ??= text.includes('<!ENTITY')
    if (this.#declaresEntities) return undefined
    this.end = start + name.length + 2
    return character
  }

  /** Returns true if a reference is there, or something that looks like one. */
  #isReference(start: number): boolean {
    REFERENCE.lastIndex = start
    return REFERENCE.test(this.#text) || LIKE_REFERENCE.test(this.#text.slice(start, start + MAX_REFERENCE))
  }

  #codePoint(start: number): number {
    const text = this.#text
    REFERENCE.lastIndex = start
    const match = REFERENCE.exec(text)
    if (match === null) {
      const name = text.slice(start, Math.max(nameEnd(text, start + 1) + 1, start + 1))
      this.#malformed(
        `${describeValue(name, 40)} is neither a character reference nor a predefined entity`,
        start,
      )
    }
    this.end = REFERENCE.lastIndex
    const [, entity, decimal, hexadecimal] = match
    if (entity !== undefined) return ENTITIES[entity] ?? 0
    return decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  }
}
