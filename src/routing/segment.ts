/**
 * The segments of a path, and matching those that mix literal text with values.
 *
 * @module
 */

import { atom, codeUnit, escapeRegex, tokenizeRegex } from '../base/regex.ts'
import type { ControllerNames } from './conditions.ts'
import { type Expansion, isBare, MEMBER_SEPARATOR, type Parameter, type PathPart } from './pattern.ts'
import { decodePrefix, isAlwaysEncoded, markerOf } from './percent.ts'
import { cached, compileRegex, MAX_BACKTRACKING_LENGTH, type Requirement } from './requirement.ts'

/** A step from a node of the tree to the next. */
export type Step =
  /** A segment of literal text. */
  | { readonly kind: 'literal'; readonly text: string }
  /** A segment that is one value. */
  | { readonly kind: 'value' }
  /** One or more segments that are the name of a known controller. */
  | { readonly kind: 'controller' }
  /** The rest of the path, as one value. */
  | { readonly kind: 'tail' }
  /** A segment, or the rest of the path, that mixes literal text and values. */
  | { readonly kind: 'mixed'; readonly matcher: Matcher }

/**
 * Returns the steps of an expanded path, or `undefined` if it does not begin with a slash and so matches nothing.
 *
 * @param controllers - the known controllers, or null if `{controller}` accepts any name.
 * @param route - the path as written, for error messages.
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - the requirements of a segment do not compile together.
 */
export function stepsOf(expansion: Expansion, controllers: ControllerNames | null, route: string): Step[] | undefined {
  const [front, ...segments] = segmentsOf(expansion.parts)
  if (front?.length !== 0) return undefined
  const isSpanning = segments.findIndex((segment) => canSpan(segment, controllers))
  const steps = segments.slice(0, isSpanning < 0 ? undefined : isSpanning).map((segment): Step => {
    const [first] = segment
    if (segment.length > 1) return { kind: 'mixed', matcher: new Matcher([segment], controllers, route) }
    if (first?.kind !== 'parameter') return { kind: 'literal', text: first?.text ?? '' }
    return { kind: isKnownController(first, controllers) ? 'controller' : 'value' }
  })
  if (isSpanning < 0) return steps
  const rest = segments.slice(isSpanning)
  const isTail = rest.length === 1 && rest[0]?.length === 1
  return [...steps, isTail ? { kind: 'tail' } : { kind: 'mixed', matcher: new Matcher(rest, controllers, route) }]
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

/**
 * Returns true if values in a segment can contain slashes. A controller that is a segment by itself has its own step.
 */
function canSpan(segment: readonly PathPart[], controllers: ControllerNames | null): boolean {
  return segment.some((part) => {
    if (part.kind === 'literal') return false
    if (part.controller && segment.length > 1) return true
    return part.requirement?.spans && !isKnownController(part, controllers)
  })
}

function isKnownController(parameter: Parameter, controllers: ControllerNames | null): boolean {
  return parameter.controller && controllers !== null
}

/** Expressions for the text after the prefix, by their source. */
const compiled = new Map<string, RegExp>()

/** The characters of literal text that represent themselves in marked text, whether or not they could be escaped. */
const DELIMITER = /[!$&'()*+,.:;=@]/

/** Finds the values in a segment, or in the rest of a path if a value can span segments. */
export class Matcher {
  /** The literal text before the first value. */
  readonly prefix: string
  /** Identifies the matcher. Two matchers with the same source match the same texts. */
  readonly source: string
  /** A character without which no text matches; '' if there is none. */
  readonly delimiter: string
  /** True if it matches the rest of a path. */
  readonly spans: boolean
  readonly #regex: RegExp
  readonly #maxLength: number
  /** The numbers of the groups that hold the values. */
  readonly #groups: readonly number[]

  constructor(segments: readonly (readonly PathPart[])[], controllers: ControllerNames | null, route: string) {
    this.spans = canSpan(segments[0] ?? [], controllers)
    const [first, ...others] = joined(segments)
    this.prefix = first?.kind === 'literal' ? first.text : ''
    const parts = first === undefined || first.kind === 'literal' ? others : [first, ...others]
    const literals = [first, ...others].map((part) => (part?.kind === 'literal' ? part.text.split('/')[0] : ''))
    this.delimiter = DELIMITER.exec(literals.join(''))?.[0] ?? ''
    const separators = this.spans ? '/' : ''
    const { source, groups } = sourceOf(parts, separators, controllers)
    this.source = `${this.prefix}\0${source}`
    this.#groups = groups
    this.#regex = cached(compiled, source, () => compileRegex(`${source}$`, 'sy', { route }))
    this.#maxLength = maxLengthFor(parts)
  }

  /**
   * Returns the texts of the values in order, or null if the text does not match.
   *
   * @param text - marked text that begins with the prefix.
   */
  match(text: string): readonly string[] | null {
    if (text.length > this.#maxLength || !text.includes(this.delimiter)) return null
    this.#regex.lastIndex = this.prefix.length
    const found = this.#regex.exec(text)
    return found && this.#groups.map((group) => found[group] ?? '')
  }
}

/** Returns the maximum length of a text. Values without requirements are found in linear time. */
function maxLengthFor(parts: readonly PathPart[]): number {
  const values = parts.filter((part) => part.kind === 'parameter')
  const bare = values.filter(({ requirement }) => requirement === null).length
  const repetitions = values.reduce((sum, { requirement }) => sum + (requirement?.repetitions ?? 0), 0)
  return repetitions > 0 && repetitions + bare > 1 ? MAX_BACKTRACKING_LENGTH : Infinity
}

/** Returns the parts of several segments, with the slashes between them. */
function joined(segments: readonly (readonly PathPart[])[]): PathPart[] {
  return segments.flatMap((segment, index): readonly PathPart[] => {
    if (index === 0) return segment
    const [first, ...others] = segment
    return first?.kind === 'literal'
      ? [{ kind: 'literal', text: `/${first.text}` }, ...others]
      : [{ kind: 'literal', text: '/' }, ...segment]
  })
}

/**
 * Returns the source of the expression for some parts, and the numbers of the groups that hold the values.
 *
 * A value without a requirement is as short as possible, one with a requirement is as long as its expression makes it.
 */
function sourceOf(
  parts: readonly PathPart[],
  separators: string,
  controllers: ControllerNames | null,
): { readonly source: string; readonly groups: readonly number[] } {
  let groupCount = 0
  const groups: number[] = []
  const sources = parts.map((part, index) => {
    if (part.kind === 'literal') return literalSource(part.text, index + 1 < parts.length)
    groups.push(++groupCount)
    if (part.controller && controllers) return `(${controllers.texts().map(escapeRegex).join('|') || '[]'})`
    if (part.requirement === null) {
      const excluded = part.reserved === null ? separators : separators + MEMBER_SEPARATOR
      return `(${bareSource(excluded, parts, index)})`
    }
    const source = `(${embeddedSource(part.requirement, groupCount)})`
    groupCount += countGroups(part.requirement)
    return source
  })
  return { source: sources.join(''), groups }
}

/**
 * Returns an expression for literal text behind a value, which may go on in further segments. There it takes encoded
 * characters as the tree does in segments without values and in front of values. In the segment of the value they are
 * part of the value, unless every URL encodes them.
 *
 * @param precedesValue - whether a value follows in the last segment of the text.
 */
function literalSource(text: string, precedesValue: boolean): string {
  const [behind = '', ...segments] = text.split('/')
  const sources = segments.map((segment, index) => {
    const isPrefix = precedesValue && index === segments.length - 1
    return characters(segment, (one) => one < '\x80' && (!isPrefix || decodePrefix(markerOf(one)) === one))
  })
  return [characters(behind, isAlwaysEncoded), ...sources].join('/')
}

/** An expression for text whose characters may be encoded if the predicate holds for them. */
function characters(text: string, mayBeEncoded: (character: string) => boolean): string {
  return [...text]
    .map((character) =>
      /[A-Za-z0-9]/.test(character) || !mayBeEncoded(character)
        ? escapeRegex(character)
        : `[${codeUnit(character)}${codeUnit(markerOf(character))}]`,
    )
    .join('')
}

function classSource(characters: string): string {
  return [...characters]
    .map((character) => {
      if (character > '\uffff') return character
      const units = isAlwaysEncoded(character) ? [character, markerOf(character)] : [character]
      return units.map(codeUnit).join('')
    })
    .join('')
}

/**
 * The source for a value without a requirement. If another such value follows, the value ends where the text between
 * them first occurs: should the other not match from there, it does not match from any later place either.
 */
function bareSource(excluded: string, parts: readonly PathPart[], index: number): string {
  const one = `[^${classSource(excluded)}]`
  const next = parts[index + 1]
  if (next === undefined) return `${one}+`
  if (isBareValue(next)) return one
  if (next.kind !== 'literal' || !isBareValue(parts[index + 2])) return `${one}+?`
  const [first = '', ...others] = next.text
  if (others.length === 0) return `${one}[^${classSource(excluded + first)}]*`
  return `${one}(?:(?!${literalSource(next.text, true)})${one})*`
}

function isBareValue(part: PathPart | undefined): boolean {
  return part?.kind === 'parameter' && isBare(part) && !part.controller
}

/** The characters that an atom is tried with when it is rewritten: ASCII, Latin, Greek and Cyrillic. */
const WRITABLE = Array.from({ length: 0x530 }, (_, code) => String.fromCharCode(code))

/**
 * Returns the source of a requirement for use inside a larger expression over marked text: each atom also accepts the
 * markers of the characters that it accepts, a flag `i` is written out, and numbered back references count from
 * `groupsBefore`.
 */
function embeddedSource({ regex }: Requirement, groupsBefore: number): string {
  const tokens = tokenizeRegex(regex).map((token) => {
    if (token.type === 'backreference' && !token.text.startsWith('\\k'))
      return `(?:\\${Number(token.text.slice(1)) + groupsBefore})`
    return token.type === 'atom' ? withMarkers(token.text, regex) : token.text
  })
  return tokens.slice(1, -1).join('')
}

function withMarkers(text: string, { flags, ignoreCase }: RegExp): string {
  if (!ignoreCase && /^[A-Za-z0-9]$/.test(text)) return text
  const plain = atom(text, flags.replace('i', ''))
  const full = ignoreCase ? atom(text, flags) : plain
  const letters = ignoreCase ? WRITABLE.filter((character) => full.test(character) && !plain.test(character)) : []
  const markers = WRITABLE.slice(0, 128)
    .filter((character) => !/[A-Za-z0-9]/.test(character) && full.test(character))
    .map(markerOf)
    .filter((marker) => !plain.test(marker))
  const more = [...letters, ...markers].map(codeUnit).join('')
  return more === '' ? text : `(?:${text}|[${more}])`
}

function countGroups({ regex }: Requirement): number {
  return tokenizeRegex(regex).filter(({ type, text }) => type === 'open' && /^\((?:$|\?<[^=!])/.test(text)).length
}
