/** A piece of an excerpt. */
export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

/** Characters around the first match. */
const CONTEXT = 80

/** Returns the words of a query, each once. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.split(/\s+/u).filter((word) => word !== ''))]
}

/** Returns the part of a content where one of the words occurs first, or else its beginning. */
export function excerpt(content: string, words: readonly string[]): Piece[] {
  const literals = words.map((word) => word.normalize('NFC').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`(${literals.join('|')})`, 'iu')
  const text = content.normalize('NFC').replace(/\s+/g, ' ')
  const at = Math.max(0, text.search(pattern) - CONTEXT)
  const part = text.slice(at, at + 3 * CONTEXT).toWellFormed()
  const pieces = part.split(pattern).map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
  return [...(at > 0 ? [{ text: '…', isMatch: false }] : []), ...pieces]
}
