/**
 * Regular expressions of routes: what the values of parameters must match.
 *
 * @module
 */

import { backtrackingOf } from '../base/backtracking.ts'
import { getOrCreate } from '../base/get-or-create.ts'
import { atom, escapeRegex, tokenizeRegex } from '../base/regex.ts'
import { RouteDefinitionError } from './routing-error.ts'

/** The route and parameter of an expression, for error messages. */
export interface RegexOwner {
  readonly route: string
  readonly parameter?: string | undefined
}

/**
 * Compiles an expression with the `u` flag, else with the `v` flag, else with neither.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - no grammar allows it.
 */
export function compileRegex(source: string, flags: string, owner: RegexOwner): RegExp {
  let cause: unknown
  for (const grammar of ['u', 'v', '']) {
    try {
      return new RegExp(source, flags + grammar)
    } catch (error) {
      cause ??= error
    }
  }
  const place = owner.parameter === undefined ? 'in' : `of parameter "${owner.parameter}" in`
  throw new RouteDefinitionError(
    'E_ROUTE_REQUIREMENT',
    `The regular expression ${source} ${place} route "${owner.route}" does not compile: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Correct the expression at the place that the message names.',
    { ...owner, pattern: source, cause },
  )
}

/**
 * Maximum length of a text, in UTF-16 code units, that is matched against an expression whose backtracking can take
 * quadratic time. Expressions that take linear time have no limit but the limit of the path.
 */
export const MAX_BACKTRACKING_LENGTH = 2048

/**
 * Returns the maximum length of a text that may be matched against an expression.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - matching can take more than quadratic time.
 */
export function maxLengthFor(regex: RegExp, owner: RegexOwner): number {
  const work = backtrackingOf(regex)
  if (work.growth !== 'more') return work.growth === 'linear' ? Infinity : MAX_BACKTRACKING_LENGTH
  const { source } = regex
  const { route, parameter } = owner
  const { culprit = source } = work
  const [message, fix] =
    parameter === undefined
      ? [
          `Route "${route}" can divide a text among its values in too many ways, which can make matching slow.`,
          'Exclude from each value the text that follows it, as {a:[^-]+}-{b}, or separate the values by slashes.',
        ]
      : [
          `The requirement ${source} of parameter "${parameter}" in route "${route}" can match a text in too many ways, which can make matching slow: see ${culprit}.`,
          `Rewrite ${culprit} so that it matches a text in one way only, as a+ instead of (?:a+)+, or [^-]+-[^-]+-.+ instead of .+-.+-.+.`,
        ]
  throw new RouteDefinitionError('E_ROUTE_REQUIREMENT', message, fix, { ...owner, pattern: source })
}

const MAX_CACHED = 1000

/** Returns the value of a key, which is created at its first use. A cache that is full is emptied. */
export function cached<Value>(cache: Map<string, Value>, key: string, create: () => Value): Value {
  if (cache.size >= MAX_CACHED && !cache.has(key)) cache.clear()
  return getOrCreate(cache, key, create)
}

/** A compiled requirement. It holds for the whole decoded value. */
export class Requirement {
  /** The expression as given, without outer anchors. */
  readonly source: string
  /** The expression, anchored. */
  readonly regex: RegExp
  /** True if a value may contain a slash, so that the parameter can span segments. */
  readonly spans: boolean
  /** True for `.*`, which accepts every text. */
  readonly acceptsAll: boolean
  readonly #maxLength: number

  constructor(source: string, regex: RegExp, maxLength: number) {
    this.source = source
    this.regex = regex
    this.acceptsAll = source === '.*'
    this.spans = tokenizeRegex(regex).some(({ type, text }) => type === 'atom' && atom(text, regex.flags).test('/'))
    this.#maxLength = maxLength
  }

  /** Returns true if the whole of a decoded value matches. */
  test(value: string): boolean {
    return this.acceptsAll || (value.length <= this.#maxLength && this.regex.test(value))
  }
}

const requirements = new Map<string, Requirement>()

/**
 * Compiles a requirement with the flags `u` and `s`. An expression that only the `v` flag or only the older grammar
 * without flags allows is compiled with that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - the expression does not compile, or can backtrack too much.
 */
export function compileRequirement(given: string | RegExp, owner: RegexOwner): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const flags = typeof given !== 'string' && given.ignoreCase ? 'is' : 's'
  return cached(requirements, `${flags}/${source}`, () => {
    const maxLength = maxLengthFor(compileRegex(source, flags, owner), owner)
    return new Requirement(source, compileRegex(`^(?:${source})$`, flags, owner), maxLength)
  })
}

/** Returns a requirement that accepts exactly the given texts. */
export function oneOf(texts: readonly string[], owner: RegexOwner): Requirement {
  return compileRequirement(texts.map(escapeRegex).join('|') || '[]', owner)
}

function withoutAnchors(source: string): string {
  const start = source.startsWith('^') ? 1 : 0
  const anchoredEnd = source.endsWith('$') && /(?:^|[^\\])(?:\\\\)*\$$/.test(source)
  return source.slice(start, anchoredEnd ? -1 : undefined)
}
