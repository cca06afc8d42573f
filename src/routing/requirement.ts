/**
 * Requirements: the regular expressions that an application sets for the values of parameters.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { standIn } from './percent.ts'
import { type RegexToken, tokenizeRegex } from './regex-tokens.ts'

/** No value longer than this is given to an application's regular expression. */
export const MAX_VALUE_LENGTH = 8192

/** A compiled requirement. It holds for the whole decoded value. */
export interface Requirement {
  /** The regular expression as it was given, without outer anchors. */
  readonly source: string
  /** As compiled, for the whole of a value. */
  readonly regex: RegExp
  /** True when it matches in any case of letters. */
  readonly ignoreCase: boolean
  /** True when a value may hold a slash, so that the parameter may span several segments. */
  readonly spans: boolean
  /** True when it accepts every text (`.*`). */
  readonly anything: boolean
  /** Whether it fits the whole of a decoded value. */
  test(value: string): boolean
  readonly tokens: readonly RegexToken[]
}

/**
 * Compiles a requirement. The flags are `u` with `s` (a dot is any character); a pattern that only the `v` flag or only the old
 * flagless grammar understands gets that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT when no grammar understands it.
 */
export function compileRequirement(given: string | RegExp, route: string, parameter: string): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const ignoreCase = typeof given !== 'string' && given.ignoreCase
  const regex = compileRegex(`^(?:${source})$`, ignoreCase ? 'is' : 's', {
    route,
    parameter,
    pattern: source,
  })
  const tokens = tokenizeRegex(source, regex.unicodeSets)
  return {
    source,
    regex,
    ignoreCase,
    tokens,
    anything: source === '.*',
    spans: tokens.some((token) => token.type === 'atom' && atomAccepts(token.text, '/', regex.flags)),
    test: source === '.*' ? () => true : (value) => value.length <= MAX_VALUE_LENGTH && regex.test(value),
  }
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
