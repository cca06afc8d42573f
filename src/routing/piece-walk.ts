/**
 * Dividing a long text among literal text and values without backtracking into what has failed before.
 *
 * @module
 */

import type { Parameter, Piece } from './pattern.ts'
import { decoded } from './percent.ts'

/**
 * A longer text is not divided where a value has a requirement, nor a fraction of it where several have: each beginning of
 * each costs a run through the text.
 */
const LONGEST_WITH_REQUIREMENTS = 2048

/** One way through the pieces of a pattern. Bare values are taken as short as possible, those with requirements as long as possible. */
export class PieceWalk {
  readonly #pieces: readonly Piece[]
  readonly #text: string
  /** As long as the text, with what was encoded in it decoded: for requirements. */
  readonly #decoded: string
  readonly #failed: Set<number>[]
  /** The latest run in which a bare value failed: from where it began to where no value goes on. */
  readonly #failedRuns: { from: number; until: number }[]
  readonly #values: string[] = []

  constructor(pieces: readonly Piece[], text: string) {
    this.#pieces = pieces
    this.#text = text
    this.#decoded = decoded(text)
    this.#failed = pieces.map(() => new Set<number>())
    this.#failedRuns = pieces.map(() => ({ from: 0, until: 0 }))
  }

  /** The texts for the parameters in order; null when there is no way. */
  values(): readonly string[] | null {
    const demanding = this.#pieces.filter((piece) => piece.kind === 'parameter' && piece.requirement).length
    if (this.#text.length * demanding > LONGEST_WITH_REQUIREMENTS) return null
    return this.#walk(0, 0) ? this.#values : null
  }

  #walk(index: number, start: number): boolean {
    const piece = this.#pieces[index]
    if (!piece) return start === this.#text.length
    if (piece.kind === 'literal') {
      return this.#text.startsWith(piece.text, start) && this.#walk(index + 1, start + piece.text.length)
    }
    const failed = this.#failed[index]
    const run = this.#failedRuns[index]
    if (!failed || !run || failed.has(start)) return false
    // A bare value that begins later in the same run could only end where the earlier one has tried to.
    if (!piece.requirement && start >= run.from && start < run.until) return false
    const depth = this.#values.length
    const ends = piece.requirement
      ? this.#longestFirst(piece, start)
      : this.#shortestFirst(piece, start, failed)
    let last = start
    for (const end of ends) {
      this.#values.push(this.#text.slice(start, end))
      if (this.#walk(index + 1, end)) return true
      this.#values.length = depth
      last = end
    }
    failed.add(start)
    run.until = Math.max(last, run.from <= last ? run.until : 0)
    run.from = start
    return false
  }

  *#shortestFirst({ separator }: Parameter, start: number, failed: Set<number>): Iterable<number> {
    for (let at = start; at < this.#text.length; at++) {
      const character = this.#text.charAt(at)
      if (character === '/' || (separator !== '' && character === separator)) return
      // What failed from here has tried every end that is left.
      if (failed.has(at)) return
      yield at + 1
    }
  }

  #longestFirst({ requirement }: Parameter, start: number): number[] {
    return requirement?.automaton?.ends(this.#decoded, start).reverse() ?? []
  }
}
