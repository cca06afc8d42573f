/**
 * Requirements: the regular expressions that an application sets for the values of parameters.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { standIn } from './percent.ts'
import { Automaton, type RegexToken, tokenizeRegex } from './regex.ts'

/** No value longer than this is given to an application's regular expression. */
export const MAX_VALUE_LENGTH = 8192

/** How long a value may be that an expression tries by backtracking, by how many of its parts vary in length. */
const BACKTRACKING_LENGTHS: readonly number[] = [MAX_VALUE_LENGTH, MAX_VALUE_LENGTH, 256, 96, 32]

/** How long a value may be for an expression of many ways that no automaton can do. */
const GUARDED_LENGTH = 6

/** How long it may be where the ways are many, but never grow exponentially. */
const POLYNOMIAL_LENGTH = 256

/** How many groups of alternatives may follow each other before their combinations count. */
const MOST_ALTERNATIVES = 3

/** A compiled requirement. It holds for the whole decoded value. */
export class Requirement {
  /** The regular expression as it was given, without outer anchors. */
  readonly source: string
  /** As compiled, for the whole of a value. */
  readonly regex: RegExp
  readonly tokens: readonly RegexToken[]
  /** True when a value may hold a slash, so that the parameter may span several segments. */
  readonly spans: boolean
  /** True when it accepts every text (`.*`). */
  readonly anything: boolean
  /** How many of its repetitions have no small bound. */
  readonly loops: number
  /** Whether a group is repeated without a small bound: only then can the ways to match a text grow exponentially. */
  readonly #loopsOverGroup: boolean
  /** How long a value may be that is tried by backtracking whatever else is known. */
  readonly #backtracks: number
  #automaton: Automaton | null | undefined
  #explosive: boolean | undefined
  #polynomial: boolean | undefined

  constructor(source: string, regex: RegExp) {
    this.source = source
    this.regex = regex
    this.tokens = tokenizeRegex(source, regex.unicodeSets)
    this.anything = source === '.*'
    this.spans = this.tokens.some(
      (token) => token.type === 'atom' && atomAccepts(token.text, '/', regex.flags),
    )
    this.loops = this.tokens.filter(isLoop).length
    this.#loopsOverGroup = this.tokens.some(
      (token, index) => token.type === 'close' && isLoop(this.tokens[index + 1]),
    )
    this.#backtracks = backtrackingLength(this.tokens)
  }

  /** True when it matches in any case of letters. */
  get ignoreCase(): boolean {
    return this.regex.ignoreCase
  }

  /** The same without backtracking; null where no automaton can do it. */
  get automaton(): Automaton | null {
    this.#automaton ??= Automaton.of(this.tokens, this.regex.flags) ?? null
    return this.#automaton
  }

  /** Whether some text can be matched in exponentially many ways; where that cannot be known, whether loops are nested. */
  get explosive(): boolean {
    this.#explosive ??= this.#loopsOverGroup && (this.automaton?.isExplosive() ?? hasNestedLoops(this.tokens))
    return this.#explosive
  }

  /** How many parts of a text it may divide by backtracking, beside others; `Infinity` where that is never safe. */
  get division(): number {
    if (this.#backtracks === 0) return Infinity
    return this.tokens.filter(isVarying).length
  }

  /** Whether it fits the whole of a decoded value. It takes no more than proportional time for a value of any length. */
  test(value: string): boolean {
    if (this.anything) return true
    if (value.length > MAX_VALUE_LENGTH) return false
    if (value.length <= this.#backtracks) return this.regex.test(value)
    if (this.automaton) return this.automaton.test(value)
    return (
      value.length <= (this.#isPolynomial() ? POLYNOMIAL_LENGTH : GUARDED_LENGTH) && this.regex.test(value)
    )
  }

  /** Whether the expression, its look-around aside, has no bounded repetition to multiply ways and none that explodes. */
  #isPolynomial(): boolean {
    this.#polynomial ??= !repeatsChoices(this.tokens, true) && isUnambiguous(this.tokens, this.regex.flags)
    return this.#polynomial
  }
}

const MOST_KEPT = 1000
const kept = new Map<string, Requirement>()

/**
 * Compiles a requirement. The flags are `u` with `s` (a dot is any character); a pattern that only the `v` flag or only the old
 * flagless grammar understands gets that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT when no grammar understands it.
 */
export function compileRequirement(given: string | RegExp, route: string, parameter: string): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const flags = typeof given !== 'string' && given.ignoreCase ? 'is' : 's'
  const key = `${flags}/${source}`
  const known = kept.get(key)
  if (known) return known
  const regex = compileRegex(`^(?:${source})$`, flags, { route, parameter, pattern: source })
  const requirement = new Requirement(source, regex)
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(key, requirement)
  return requirement
}

/** A repetition without a small bound. */
function isLoop(token: RegexToken | undefined): boolean {
  return token?.type === 'quantifier' && token.max > 3
}

/**
 * How long a value may be that is tried by backtracking. Each part that varies in length multiplies the ways by the length of
 * the value; a repetition of something that varies, or of alternatives, multiplies them by themselves, and allows none.
 */
function backtrackingLength(tokens: readonly RegexToken[]): number {
  if (repeatsChoices(tokens, false)) return 0
  const varying = tokens.filter(isVarying).length
  const withAlternatives = alternativesIn(tokens)
  if (withAlternatives > MOST_ALTERNATIVES) return 0
  return BACKTRACKING_LENGTHS[varying + Math.max(0, withAlternatives - 1)] ?? 0
}

function isVarying(token: RegexToken | undefined): boolean {
  return token?.type === 'quantifier' && token.min !== token.max
}

/** How many groups, the whole expression among them, have alternatives. */
function alternativesIn(tokens: readonly RegexToken[]): number {
  let count = 0
  const open = [false]
  for (const token of tokens) {
    if (token.type === 'open') open.push(false)
    else if (token.type === 'close') open.pop()
    else if (token.type === 'or' && open.at(-1) === false) {
      open[open.length - 1] = true
      count++
    }
  }
  return count
}

/** Whether a group that varies within is itself repeated; `bounded`: whether only repetitions with a bound count. */
function repeatsChoices(tokens: readonly RegexToken[], bounded: boolean): boolean {
  const varies = [false]
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'open') varies.push(false)
    else if (token.type === 'or' || isVarying(token)) varies[varies.length - 1] = true
    else if (token.type === 'close') {
      const inside = varies.pop() ?? false
      const next = tokens[index + 1]
      const repeated = next?.type === 'quantifier' && next.max > 1 && (!bounded || next.max !== Infinity)
      if (inside && repeated) return true
      if (inside) varies[varies.length - 1] = true
    }
  }
  return false
}

/** Whether the expression without its look-around has never exponentially many ways. */
function isUnambiguous(tokens: readonly RegexToken[], flags: string): boolean {
  const plain: RegexToken[] = []
  let depth = 0
  let looking = Infinity
  for (const token of tokens) {
    if (token.type === 'open') {
      depth++
      if (token.look) looking = Math.min(looking, depth)
    }
    if (depth < looking) plain.push(token)
    if (token.type === 'close') {
      if (depth === looking) looking = Infinity
      depth--
    }
  }
  return Automaton.of(plain, flags)?.isExplosive() === false
}

function hasNestedLoops(tokens: readonly RegexToken[]): boolean {
  const loopsInside: number[] = [0]
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'open') loopsInside.push(0)
    const next = tokens[index + 1]
    const loops = isLoop(next)
    if (token.type === 'close') {
      const inside = loopsInside.pop() ?? 0
      if (inside > 0 && loops) return true
      loopsInside[loopsInside.length - 1] = (loopsInside.at(-1) ?? 0) + inside
    }
    if (loops) loopsInside[loopsInside.length - 1] = (loopsInside.at(-1) ?? 0) + 1
  }
  return false
}

/** A requirement that accepts exactly the given texts. */
export function oneOf(texts: readonly string[], route: string, parameter: string): Requirement {
  return compileRequirement(texts.map(escapeRegex).join('|') || '[]', route, parameter)
}

/** Escapes text so that a regular expression takes it literally. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('-', '\\x2d')
}

/** Compiles with the `u` flag, else the `v` flag, else neither. */
export function compileRegex(
  source: string,
  flags: string,
  about: { route: string; parameter?: string | undefined; pattern: string },
): RegExp {
  let cause: unknown
  for (const grammar of ['u', 'v', '']) {
    try {
      return new RegExp(source, flags + grammar)
    } catch (error) {
      cause ??= error
    }
  }
  throw new RouteDefinitionError(
    'E_ROUTE_REQUIREMENT',
    `The regular expression ${about.pattern} of parameter "${about.parameter ?? ''}" in route "${about.route}" cannot be compiled: ${cause instanceof Error ? cause.message : String(cause)}`,
    'Correct the regular expression.',
    { ...about, cause },
  )
}

function withoutAnchors(source: string): string {
  const start = source.startsWith('^') ? 1 : 0
  const anchoredEnd = source.endsWith('$') && /(?:^|[^\\])(?:\\\\)*\$$/.test(source)
  return source.slice(start, anchoredEnd ? -1 : undefined)
}

function atomAccepts(atom: string, character: string, flags: string): boolean {
  return new RegExp(`^(?:${atom})$`, flags).test(character)
}

/**
 * The requirement's source for use inside a larger expression over an unfolded path: atoms also accept the stand-ins of the
 * characters they accept, and numbered back references count from `groupsBefore`.
 */
export function embeddedSource(requirement: Requirement, groupsBefore: number): string {
  const flags = requirement.ignoreCase ? 'isu' : 'su'
  let source = ''
  for (const token of requirement.tokens) {
    if (token.type === 'backreference') source += `(?:\\${token.group + groupsBefore})`
    else if (token.type === 'atom') source += withStandIns(token.text, flags)
    else source += token.text
  }
  return requirement.ignoreCase ? `(?i:${source})` : `(?:${source})`
}

const ENCODABLE = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[A-Za-z0-9]/.test(character),
)

function withStandIns(atom: string, flags: string): string {
  let regex: RegExp
  try {
    regex = new RegExp(`^(?:${atom})$`, flags)
  } catch {
    // An atom of another grammar (`v` sets, flagless escapes) keeps its own meaning; it just never accepts a stand-in.
    return atom
  }
  const accepted = ENCODABLE.filter((character) => regex.test(character) && !regex.test(standIn(character)))
  if (accepted.length === 0) return atom
  const codes = accepted.map((character) => `\\u${standIn(character).charCodeAt(0).toString(16)}`)
  return `(?:${atom}|[${codes.join('')}])`
}

/** How many capturing groups a requirement has. */
export function countGroups(requirement: Requirement): number {
  return requirement.tokens.filter((token) => token.type === 'open' && token.capturing).length
}
