/**
 * A variant of a path cut at its slashes: the steps that the tree is made of.
 *
 * @module
 */

import type { ControllerNames } from './controller-names.ts'
import { type Parameter, type Piece, type Variant, valueIn } from './pattern.ts'
import { decoded, literalForm } from './percent.ts'
import { compileRegex, countGroups, embeddedSource, escapeRegex } from './requirement.ts'
import type { Route } from './route.ts'

/** One step on the way through the tree. */
export type Step =
  /** A segment of literal text. */
  | { readonly kind: 'literal'; readonly text: string }
  /** A segment that is one value. */
  | { readonly kind: 'value' }
  /** One or more segments that name a known controller. */
  | { readonly kind: 'controller' }
  /** A segment of literal text and values. */
  | { readonly kind: 'mixed'; readonly matcher: SegmentMatcher }
  /** All that is left of the path is one value. */
  | { readonly kind: 'tail' }
  /** All that is left of the path; values in it may span segments. */
  | { readonly kind: 'rest'; readonly matcher: SegmentMatcher }

/**
 * The steps of a variant.
 *
 * @param controllers - the known controllers, or null where any name will do.
 * @returns `undefined` when no path can ever match, since the variant does not begin with a slash.
 */
export function stepsOf(
  variant: Variant,
  controllers: ControllerNames | null,
  template: string,
): Step[] | undefined {
  const segments = segmentsOf(variant.pieces)
  if (segments.shift()?.length !== 0) return undefined
  const steps: Step[] = []
  for (const [index, segment] of segments.entries()) {
    if (maySpan(segment, controllers)) {
      steps.push(restStep(segments.slice(index), controllers, template))
      return steps
    }
    steps.push(segmentStep(segment, controllers, template))
  }
  return steps
}

/** Whether values in a segment may hold slashes; a controller that is a segment by itself has a step of its own. */
function maySpan(segment: readonly Piece[], controllers: ControllerNames | null): boolean {
  return segment.some(
    (piece) =>
      piece.kind === 'parameter' &&
      (isController(piece, controllers) ? segment.length > 1 : piece.requirement?.spans),
  )
}

function isController(piece: Parameter, controllers: ControllerNames | null): boolean {
  return piece.controller && controllers !== null
}

/** The pieces between the slashes. */
export function segmentsOf(pieces: readonly Piece[]): Piece[][] {
  const segments: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind === 'parameter') {
      segments.at(-1)?.push(piece)
      continue
    }
    for (const [index, text] of piece.text.split('/').entries()) {
      if (index > 0) segments.push([])
      if (text) segments.at(-1)?.push({ kind: 'literal', text })
    }
  }
  return segments
}

function segmentStep(segment: readonly Piece[], controllers: ControllerNames | null, template: string): Step {
  const [first] = segment
  if (segment.length === 0 || !first) return { kind: 'literal', text: '' }
  if (segment.length === 1) {
    if (first.kind === 'literal') return first
    return isController(first, controllers) ? { kind: 'controller' } : { kind: 'value' }
  }
  return { kind: 'mixed', matcher: new SegmentMatcher([segment], controllers, template) }
}

function restStep(
  segments: readonly (readonly Piece[])[],
  controllers: ControllerNames | null,
  template: string,
): Step {
  const [first = []] = segments
  if (segments.length === 1 && first.length === 1) return { kind: 'tail' }
  return { kind: 'rest', matcher: new SegmentMatcher(segments, controllers, template) }
}

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

/** The demands of one route, or of several that ask the same: they are then examined once for all. */
export class Demands {
  readonly subDomain: boolean | readonly string[] | undefined
  readonly parameters: readonly Parameter[]
  /** True when any text will do that is not empty: what names a controller has been found in the tree. */
  readonly #plain: boolean

  constructor(route: Route, variant: Variant) {
    this.subDomain = route.subDomain
    this.parameters = variant.parameters
    this.#plain = variant.parameters.every(
      ({ requirement, separator, reserved }) => requirement === null && separator === '' && reserved === null,
    )
  }

  /** Whether two ask the same; when in doubt not. */
  equals(other: Demands): boolean {
    return (
      this.subDomain === other.subDomain &&
      this.parameters.length === other.parameters.length &&
      this.parameters.every((parameter, index) => asksTheSame(parameter, other.parameters[index]))
    )
  }

  /** Whether so many unfolded texts fit the parameters. */
  accept(
    texts: readonly string[],
    count: number,
    escaped: boolean,
    controllers: ControllerNames | null,
  ): boolean {
    const { parameters } = this
    if (count !== parameters.length) return false
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      const text = texts[index]
      if (parameter === undefined || text === undefined) return false
      if (this.#plain ? text === '' : !acceptsText(parameter, text, escaped, controllers)) return false
    }
    return true
  }
}

function asksTheSame(one: Parameter, other: Parameter | undefined): boolean {
  return (
    one.requirement === other?.requirement &&
    one.controller === other.controller &&
    one.separator === other.separator &&
    one.reserved === other.reserved &&
    one.suffixes?.source === other.suffixes?.source &&
    one.suffixes?.flags === other.suffixes?.flags
  )
}

/** Whether a parameter accepts what stands for it in an unfolded path. */
export function acceptsText(
  parameter: Parameter,
  text: string,
  escaped: boolean,
  controllers: ControllerNames | null,
): boolean {
  if (!parameter.controller || controllers === null) return valueIn(parameter, text, escaped) !== undefined
  const name = controllers.find(escaped ? literalForm(text) : text)
  return name !== undefined && valueIn(parameter, name, false) !== undefined
}
