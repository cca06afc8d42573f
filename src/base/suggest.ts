/**
 * Suggestions for a mistyped word.
 *
 * @module
 */

import { describeValue } from './describe.ts'

/** Longer words are not compared: the cost grows with the product of the lengths. */
const MAX_LENGTH = 64

/**
 * Returns the known word that a mistyped one most likely means: the only one that begins with what was typed, or
 * the {@link similar} one.
 *
 * @example
 * ```ts
 * nearest('res', ['resource', 'redirect']) // 'resource'
 * ```
 */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  const words = [...known]
  const [only, ...others] = typed === '' ? [] : words.filter((word) => word.startsWith(typed))
  return only !== undefined && others.length === 0 ? only : similar(typed, words)
}

/**
 * Returns the known word at the smallest edit distance, whatever the case of letters, or `undefined` if more than a
 * third of the letters of the longer word differ.
 *
 * @param always - number of edits that are allowed however short the words are.
 *
 * @example
 * ```ts
 * similar('statik', ['static', 'filter']) // 'static'
 * ```
 */
export function similar(typed: string, known: Iterable<string>, always = 1): string | undefined {
  if (typed.length > MAX_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const word of known) {
    if (word.length > MAX_LENGTH) continue
    const distance = editDistance(typed.toLowerCase(), word.toLowerCase())
    if (distance >= bestDistance) continue
    best = word
    bestDistance = distance
  }
  if (best === undefined) return undefined
  return bestDistance <= Math.max(always, Math.floor(Math.max(typed.length, best.length) / 3)) ? best : undefined
}

/** Returns the path that was probably meant: a {@link similar} one, or a file of the same name in another folder. */
export function similarPath(typed: string, known: Iterable<string>): string | undefined {
  const paths = [...known]
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  return similar(typed, paths, 2) ?? paths.find((path) => nameOf(path) === nameOf(typed))
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
 * (Damerau's optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}

/** Returns the message for an option that does not exist, with the option that it most likely means. */
export function unknownOption(place: string, name: string, known: readonly string[]): string {
  const meant = similar(name, known)
  const fix = meant === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean ${meant}?`
  return `${place} has no option ${describeValue(name)}. ${fix}`
}

/** The words of a text. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** A text of all names of an interface, and of no others. */
type NamesOf<Options, Text extends string> = [keyof Options, Words<Text>] extends [Words<Text>, keyof Options]
  ? Text
  : never

/**
 * Refuses unknown options: a misspelt one would be ignored in silence.
 *
 * @param place - the function or option to which they belong, for error messages: `serve()`.
 * @param names - the names of the options, with blanks between them.
 * @throws TypeError - an option does not exist.
 */
export function checkNames<Options extends object, const Text extends string>(
  place: string,
  options: Options,
  names: Text & NamesOf<Options, Text>,
): void {
  const known = names.split(' ')
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(unknownOption(place, unknown, known))
}
