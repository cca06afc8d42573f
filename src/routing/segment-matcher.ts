/**
 * Finding values that stand amid literal text.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import type { Parameter, Piece } from './pattern.ts'
import { PieceWalk } from './piece-walk.ts'
import { compileRegex, countGroups, embeddedSource, escapeRegex } from './requirement.ts'

/** Up to this length of text any expression may backtrack. */
const HARMLESS_LENGTH = 12

/** Finds the values in one segment, or in several that belong together. */
export class SegmentMatcher {
  /** The literal text that it begins with. */
  readonly prefix: string
  /** The delimiters in its literal text: a text that lacks one does not fit. */
  readonly delimiters: number
  /** What tells it from other matchers. */
  readonly source: string
  /** Literal text that must occur: a quick test before the regular expression is tried. */
  readonly #needle: string
  readonly #regex: RegExp
  /** Which groups of the expression hold the values, in order. */
  readonly #groups: number[] = []
  readonly #pieces: Piece[]
  #longest: number | undefined

  constructor(
    segments: readonly (readonly Piece[])[],
    controllers: ControllerNames | null,
    template: string,
  ) {
    this.#pieces = segments.flatMap((segment, index) =>
      index === 0 ? [...segment] : [{ kind: 'literal', text: '/' } as const, ...segment],
    )
    const literals = this.#pieces.map((piece) => (piece.kind === 'literal' ? piece.text : ''))
    this.#needle = literals.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
    this.prefix = literals[0] ?? ''
    this.delimiters = delimitersIn(literals.join(''))
    let count = 0
    this.source = this.#pieces
      .map((piece) => {
        if (piece.kind === 'literal') return escapeRegex(piece.text)
        this.#groups.push(++count)
        const inner = innerSource(piece, controllers, count)
        count +=
          piece.requirement && !isKnownController(piece, controllers) ? countGroups(piece.requirement) : 0
        return `(${inner})`
      })
      .join('')
    this.#regex = compileRegex(`^${this.source}$`, 's', { route: template, pattern: this.source })
  }

  /** The texts that stand for the parameters, in order; null when the text does not fit. */
  match(text: string): readonly string[] | null {
    if (!text.includes(this.#needle)) return null
    this.#longest ??= longestToBacktrack(this.#pieces)
    if (text.length > this.#longest) return new PieceWalk(this.#pieces, text).values()
    const found = this.#regex.exec(text)
    return found && this.#groups.map((group) => found[group] ?? '')
  }
}

/** Which of the characters from space to `?` a text has, as a bit mask: among them is what commonly stands between values. */
export function delimitersIn(text: string): number {
  let mask = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 32 && code < 64) mask |= 1 << (code - 32)
  }
  return mask
}

function isKnownController(parameter: Parameter, controllers: ControllerNames | null): boolean {
  return parameter.controller && controllers !== null
}

function innerSource(parameter: Parameter, controllers: ControllerNames | null, groups: number): string {
  if (controllers && parameter.controller) return controllers.texts().map(escapeRegex).join('|') || '[]'
  return parameter.requirement
    ? embeddedSource(parameter.requirement, groups)
    : `[^/${parameter.separator}]+?`
}

/** How long a text may be divided by backtracking, by the number of loops that share it. */
const LONGEST_BY_LOOPS: readonly number[] = [Infinity, Infinity, 1500, 200, 64, 32]

/** With several loops, the ways to divide a text grow as a power of its length. */
function longestToBacktrack(pieces: readonly Piece[]): number {
  const parameters = pieces.filter((piece) => piece.kind === 'parameter')
  const loops = parameters.reduce((sum, { requirement }) => sum + Math.max(1, requirement?.division ?? 1), 0)
  return LONGEST_BY_LOOPS[loops] ?? (loops === Infinity ? 0 : HARMLESS_LENGTH)
}
