/**
 * Regular expressions of routes: what the values of parameters must match.
 *
 * @module
 */

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
 * Maximum length of a text, in UTF-16 code units, that is matched against an expression with several repetitions. Its
 * backtracking can take quadratic time or more.
 */
export const MAX_BACKTRACKING_LENGTH = 2048

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
  /** Number of repetitions without an upper bound. */
  readonly repetitions: number

  constructor(source: string, regex: RegExp) {
    this.source = source
    this.regex = regex
    this.acceptsAll = source === '.*'
    const tokens = tokenizeRegex(regex)
    this.spans = tokens.some(({ type, text }) => type === 'atom' && atom(text, regex.flags).test('/'))
    this.repetitions = tokens.filter(
      ({ type, text }) => type === 'quantifier' && /^(?:[*+]|\{\d+,\})/.test(text),
    ).length
  }

  /** Returns true if the whole of a decoded value matches. */
  test(value: string): boolean {
    if (this.acceptsAll) return true
    return (this.repetitions < 2 || value.length <= MAX_BACKTRACKING_LENGTH) && this.regex.test(value)
  }
}

const requirements = new Map<string, Requirement>()

/**
 * Compiles a requirement with the flags `u` and `s`. An expression that only the `v` flag or only the older grammar
 * without flags allows is compiled with that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - the expression does not compile.
 */
export function compileRequirement(given: string | RegExp, owner: RegexOwner): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const flags = typeof given !== 'string' && given.ignoreCase ? 'is' : 's'
  return cached(requirements, `${flags}/${source}`, () => {
    // By itself: one that closes a bracket which it has not opened compiles in the group.
    compileRegex(source, flags, owner)
    return new Requirement(source, compileRegex(`^(?:${source})$`, flags, owner))
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
