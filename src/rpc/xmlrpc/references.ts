import { describeValue } from '../../base/describe.ts'
import { forbiddenAt, nameEnd } from './characters.ts'

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(?:(\d+)|x([\da-fA-F]+)));/y
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

/** Reads references to characters and entities (XML 1.0 §4.1). */
export class References {
  /** Offset after the reference read last. */
  end = 0
  readonly #text: string
  readonly #malformed: (detail: string, offset: number) => never

  /** @param malformed - throws the error for a document that is not well-formed XML. */
  constructor(text: string, malformed: (detail: string, offset: number) => never) {
    this.#text = text
    this.#malformed = malformed
  }

  /** Reads a character reference or a reference to one of the five predefined entities. */
  read(start: number): string {
    const code = this.#codePoint(start)
    if (code >= 0xd800 && code <= 0xdbff && this.#text.startsWith('&#', this.end)) {
      // Some clients write a character above U+FFFF as a pair of references, one for each surrogate.
      const low = this.#codePoint(this.end)
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(code, low)
    }
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : '\ud800'
    if (forbiddenAt(char) >= 0) this.#malformed('XML does not allow the character of this reference', start)
    return char
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
