/**
 * Requirements: the regular expressions that an application sets for the values of parameters.
 *
 * @module
 */

import { backtrackingLimit } from './backtracking.ts'
import { atom, compileRegex, escapeRegex, type RegexOwner, tokenizeRegex } from './regex.ts'

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
    this.spans = tokenizeRegex(regex).some(
      ({ type, text }) => type === 'atom' && atom(text, regex.flags).test('/'),
    )
    this.#maxLength = maxLength
  }

  /** Returns true if the whole of a decoded value matches. */
  test(value: string): boolean {
    return this.acceptsAll || (value.length <= this.#maxLength && this.regex.test(value))
  }
}

const MAX_CACHED = 1000
const cache = new Map<string, Requirement>()

/**
 * Compiles a requirement with the flags `u` and `s`. An expression that only the `v` flag or only the older grammar without
 * flags allows is compiled with that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - the expression does not compile, or can backtrack too much.
 */
export function compileRequirement(given: string | RegExp, owner: RegexOwner): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const flags = typeof given !== 'string' && given.ignoreCase ? 'is' : 's'
  const key = `${flags}/${source}`
  const cached = cache.get(key)
  if (cached) return cached
  const maxLength = backtrackingLimit(compileRegex(source, flags, owner), owner)
  const requirement = new Requirement(source, compileRegex(`^(?:${source})$`, flags, owner), maxLength)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, requirement)
  return requirement
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
