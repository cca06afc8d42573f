/**
 * The segments of a path, and matching those that mix literal text with values.
 *
 * @module
 */

import type { ControllerNames } from './conditions.ts'
import type { Expansion, Parameter, PathPart } from './pattern.ts'
import { isAlwaysEncoded, markerOf } from './percent.ts'
import { atom, compileRegex, escapeRegex, tokenizeRegex } from './regex.ts'
import { backtrackingLimit, type Requirement } from './requirement.ts'

/** A step from a node of the tree to the next. */
export type Step =
  /** A segment of literal text. */
  | { readonly kind: 'literal'; readonly text: string }
  /** A segment that is one value. */
  | { readonly kind: 'value' }
  /** One or more segments that are the name of a known controller. */
  | { readonly kind: 'controller' }
  /** A segment that mixes literal text and values. */
  | { readonly kind: 'mixed'; readonly matcher: SegmentMatcher }
  /** The rest of the path, as one value. */
  | { readonly kind: 'tail' }
  /** The rest of the path, with values that can span segments. */
  | { readonly kind: 'rest'; readonly matcher: SegmentMatcher }

/**
 * Returns the steps of an expanded path, or `undefined` if it does not begin with a slash and so matches nothing.
 *
 * @param controllers - the known controllers, or null if `{controller}` accepts any name.
 * @param route - the path as written, for error messages.
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - telling the values of a segment apart can take more than quadratic time.
 */
export function stepsOf(
  expansion: Expansion,
  controllers: ControllerNames | null,
  route: string,
): Step[] | undefined {
  const [front, ...segments] = segmentsOf(expansion.parts)
  if (front?.length !== 0) return undefined
  const steps: Step[] = []
  for (const [index, segment] of segments.entries()) {
    const [first] = segment
    if (canSpan(segment, controllers)) {
      const rest = segments.slice(index)
      const isTail = rest.length === 1 && segment.length === 1
      steps.push(
        isTail ? { kind: 'tail' } : { kind: 'rest', matcher: new SegmentMatcher(rest, controllers, route) },
      )
      break
    }
    if (segment.length > 1)
      steps.push({ kind: 'mixed', matcher: new SegmentMatcher([segment], controllers, route) })
    else if (first?.kind !== 'parameter') steps.push({ kind: 'literal', text: first?.text ?? '' })
    else steps.push({ kind: isKnownController(first, controllers) ? 'controller' : 'value' })
  }
  return steps
}

/** Splits the parts of a path at its slashes. */
export function segmentsOf(parts: readonly PathPart[]): PathPart[][] {
  const segments: PathPart[][] = [[]]
  for (const part of parts) {
    if (part.kind === 'parameter') {
      segments.at(-1)?.push(part)
      continue
    }
    for (const [index, text] of part.text.split('/').entries()) {
      if (index > 0) segments.push([])
      if (text) segments.at(-1)?.push({ kind: 'literal', text })
    }
  }
  return segments
}

/** Returns true if values in a segment can contain slashes. A controller that is a segment by itself has its own step. */
function canSpan(segment: readonly PathPart[], controllers: ControllerNames | null): boolean {
  return segment.some(
    (part) =>
      part.kind === 'parameter' &&
      (isKnownController(part, controllers) ? segment.length > 1 : part.requirement?.spans),
  )
}

function isKnownController(parameter: Parameter, controllers: ControllerNames | null): boolean {
  return parameter.controller && controllers !== null
}

/** A compiled expression for what follows the prefix of a segment. */
interface CompiledSegment {
  readonly regex: RegExp
  readonly maxLength: number
}

const MAX_CACHED = 1000
const cache = new Map<string, CompiledSegment>()

/** Finds the values in a segment, or in several segments if a value can span them. */
export class SegmentMatcher {
  /** The literal text before the first value. */
  readonly prefix: string
  /** Identifies the matcher. Two matchers with the same source match the same texts. */
  readonly source: string
  /** The delimiters in the literal text after the prefix, as a mask; see {@link delimitersIn}. */
  readonly delimiters: number
  readonly #compiled: CompiledSegment
  /** The numbers of the groups that hold the values. */
  readonly #groups: readonly number[]

  constructor(
    segments: readonly (readonly PathPart[])[],
    controllers: ControllerNames | null,
    route: string,
  ) {
    const parts = segments.flatMap((segment, index): readonly PathPart[] => {
      if (index === 0) return segment
      const [first, ...others] = segment
      return first?.kind === 'literal'
        ? [{ kind: 'literal', text: `/${first.text}` }, ...others]
        : [{ kind: 'literal', text: '/' }, ...segment]
    })
    const [first] = parts
    this.prefix = first?.kind === 'literal' ? first.text : ''
    const values = this.prefix === '' ? parts : parts.slice(1)
    const literals = values.map((part) => (part.kind === 'literal' ? part.text : ''))
    this.delimiters = delimitersIn(
      literals.join('').replace(/[\0-\x7f]/g, (one) => (isAlwaysEncoded(one) ? '' : one)),
    )
    const { source, model, groups } = sourceOf(values, segments.length > 1, controllers)
    this.source = `${this.prefix}\0${source}`
    this.#groups = groups
    let compiled = cache.get(source)
    if (compiled === undefined) {
      const owner = { route }
      const maxLength = backtrackingLimit(compileRegex(model, 's', owner), owner)
      compiled = { regex: compileRegex(`${source}$`, 'sy', owner), maxLength }
      if (cache.size >= MAX_CACHED) cache.clear()
      cache.set(source, compiled)
    }
    this.#compiled = compiled
  }

  /**
   * Returns the texts of the values in order, or null if the text does not match.
   *
   * @param text - marked text that begins with the prefix.
   */
  match(text: string): readonly string[] | null {
    const { regex, maxLength } = this.#compiled
    if (text.length > maxLength) return null
    regex.lastIndex = this.prefix.length
    const found = regex.exec(text)
    return found && this.#groups.map((group) => found[group] ?? '')
  }
}

/**
 * Returns the source of the expression for some parts, with a group for each value, and a model of it that takes at least as
 * much work but has no look-ahead and no names of controllers.
 *
 * A value without a requirement is as short as possible, one with a requirement is as long as its expression makes it.
 */
function sourceOf(
  parts: readonly PathPart[],
  spanning: boolean,
  controllers: ControllerNames | null,
): { source: string; model: string; groups: number[] } {
  let source = ''
  let model = ''
  let count = 0
  const groups: number[] = []
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      const text = [...part.text].map((character) => characterSource(character)).join('')
      source += text
      model += text
      continue
    }
    groups.push(++count)
    const excluded = (spanning ? '/' : '') + part.separator
    if (isKnownController(part, controllers)) {
      source += `(${controllers?.texts().map(escapeRegex).join('|') || '[]'})`
      model += `(?:${bareSource(excluded, parts, index).model})`
    } else if (part.requirement) {
      const inner = embeddedSource(part.requirement, count)
      count += countGroups(part.requirement)
      source += `(${inner})`
      model += `(${inner})`
    } else {
      const inner = bareSource(excluded, parts, index)
      source += `(${inner.source})`
      model += `(${inner.model})`
    }
  }
  return { source, model, groups }
}

/** An expression for a character of literal text: one that every URL encodes may be encoded. */
function characterSource(character: string): string {
  return isAlwaysEncoded(character) ? `[${classSource(character)}]` : escapeRegex(character)
}

function classSource(characters: string): string {
  return [...characters]
    .map((character) => {
      if (character > '\uffff') return character
      const units = isAlwaysEncoded(character) ? [character, markerOf(character)] : [character]
      return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    })
    .join('')
}

/**
 * The source for a value without a requirement. If another such value follows, the value ends where the text between them
 * first occurs: should the other not match from there, it does not match from any later place either.
 */
function bareSource(
  excluded: string,
  parts: readonly PathPart[],
  index: number,
): { source: string; model: string } {
  const one = `[^${classSource(excluded)}]`
  const next = parts[index + 1]
  if (next === undefined) return { source: `${one}+`, model: `${one}+` }
  if (isBare(next)) return { source: one, model: one }
  const [first = '', ...others] = next.kind === 'literal' ? next.text : ''
  if (next.kind !== 'literal' || !isBare(parts[index + 2])) return { source: `${one}+?`, model: `${one}+?` }
  const model = `${one}[^${classSource(excluded + first)}]*`
  if (others.length === 0) return { source: model, model }
  const text = [...next.text].map(characterSource).join('')
  return { source: `${one}(?:(?!${text})${one})*`, model }
}

function isBare(part: PathPart | undefined): boolean {
  return part?.kind === 'parameter' && !part.requirement && !part.controller && part.separator === ''
}

/** Returns which of the characters from space to `?` a text contains, as a bit mask: most delimiters are among them. */
export function delimitersIn(text: string): number {
  let mask = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 32 && code < 64) mask |= 1 << (code - 32)
  }
  return mask
}

/** The characters that an atom is tried with when it is rewritten: ASCII, Latin, Greek and Cyrillic. */
const WRITABLE = Array.from({ length: 0x530 }, (_, code) => String.fromCharCode(code))

/**
 * Returns the source of a requirement for use inside a larger expression over marked text: each atom also accepts the markers
 * of the characters that it accepts, a flag `i` is written out, and numbered back references count from `groupsBefore`.
 */
function embeddedSource({ regex }: Requirement, groupsBefore: number): string {
  const tokens = tokenizeRegex(regex).map((token) => {
    if (token.type === 'backreference' && token.group !== undefined)
      return `(?:\\${token.group + groupsBefore})`
    return token.type === 'atom' ? withMarkers(token.text, regex) : token.text
  })
  return tokens.slice(1, -1).join('')
}

function withMarkers(text: string, { flags, ignoreCase }: RegExp): string {
  const plain = atom(text, flags.replace('i', ''))
  const full = ignoreCase ? atom(text, flags) : plain
  const letters = ignoreCase
    ? WRITABLE.filter((character) => full.test(character) && !plain.test(character))
    : []
  const markers = WRITABLE.slice(0, 128)
    .filter((character) => !/[A-Za-z0-9]/.test(character) && full.test(character))
    .map(markerOf)
    .filter((marker) => !plain.test(marker))
  const more = [...letters, ...markers].map(
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return more.length === 0 ? text : `(?:${text}|[${more.join('')}])`
}

/** Returns the number of capturing groups of a requirement. */
function countGroups({ regex }: Requirement): number {
  return tokenizeRegex(regex).filter((token) => token.type === 'open' && token.capturing).length
}
