/**
 * Writing a path: a pattern and values become text that matches back to the same values.
 *
 * @module
 */

import { GenerationError } from './errors.ts'
import { accepts, type Parameter, type Pattern, valueIn } from './pattern.ts'
import {
  encodeLiteral,
  encodePath,
  encodeQueryPair,
  encodeSegment,
  encodeStrictly,
  encodeUrlLiteral,
  safeLocation,
  unfold,
} from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { stepsOf } from './segment.ts'
import { Tree } from './tree.ts'

/** Finds the value for a parameter; undefined or null when there is none. */
export type ValueLookup = (name: string) => unknown

/**
 * Writes a pattern out with values.
 *
 * @param strictly - encode all but letters and digits of values, for patterns in which a value's own characters could be taken
 *   for literal text.
 * @throws GenerationError E_PARAMETER_MISSING, E_PARAMETER_INVALID.
 */
export function writePattern(pattern: Pattern, lookup: ValueLookup, label: string, strictly = false): string {
  let path = ''
  const { pieces } = pattern
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'literal') {
      path += pattern.url ? encodeUrlLiteral(piece.text) : encodeLiteral(piece.text)
      continue
    }
    const value = textOf(piece, lookup(piece.name), pattern, label)
    if (value === undefined) {
      if (piece.suffix) continue
      throw missing(piece, pattern, label)
    }
    const next = pieces[index + 1]
    const suffixFollows =
      next?.kind === 'parameter' && next.suffix && (lookup(next.name) ?? undefined) !== undefined
    const encoded = encodeValue(piece, value, strictly, !suffixFollows, pattern, label)
    path +=
      (piece.suffix ? '.' : '') +
      (path === '/' && encoded.startsWith('/') ? `%2F${encoded.slice(1)}` : encoded)
  }
  if (hasDotSegment(path)) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${pattern.template}) would become "${path}", which every client shortens before it is sent: "." and ".." cannot be segments of a path.`,
      'Give a value other than "." and "..".',
      { route: label, pattern: pattern.template, value: path },
    )
  }
  if (path.startsWith('//') && !pattern.template.startsWith('//')) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${pattern.template}) would become "${path}", which leads to another host.`,
      'Give a value that is not empty for the first segment.',
      { route: label, pattern: pattern.template, value: path },
    )
  }
  return path
}

function hasDotSegment(path: string): boolean {
  return path.includes('/.') && /\/\.{1,2}(?:\/|$)/.test(path)
}

/** The decoded text that a given value stands for; `undefined` when there is none. */
function textOf(parameter: Parameter, value: unknown, pattern: Pattern, label: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol') {
    throw invalid(
      parameter,
      value,
      pattern,
      label,
      'is no text or number',
      'Give text, a number or a boolean.',
    )
  }
  const text = String(value)
  if (accepts(parameter, text)) return text
  if (parameter.reserved?.has(text)) {
    throw invalid(
      parameter,
      text,
      pattern,
      label,
      'is the name of another page of this resource',
      'Use another value.',
    )
  }
  const { requirement } = parameter
  if (text === '' && parameter.suffix) return undefined
  throw invalid(
    parameter,
    text,
    pattern,
    label,
    requirement ? `does not match ${requirement.source}` : 'is empty',
    requirement ? 'Give a value that matches the requirement as a whole.' : 'Give a value that is not empty.',
  )
}

function encodeValue(
  parameter: Parameter,
  value: string,
  strictly: boolean,
  guardSuffix: boolean,
  pattern: Pattern,
  label: string,
): string {
  try {
    if (parameter.requirement?.spans || parameter.controller) {
      return strictly ? value.split('/').map(encodeStrictly).join('/') : encodePath(value)
    }
    if (strictly) return encodeStrictly(value)
    const dot = guardSuffix && parameter.suffixes ? value.search(parameter.suffixes) : -1
    return dot < 0
      ? encodeSegment(value)
      : `${encodeSegment(value.slice(0, dot))}%2E${encodeSegment(value.slice(dot + 1))}`
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw invalid(parameter, value, pattern, label, 'is not well-formed Unicode', 'Give well-formed text.')
  }
}

function missing(parameter: Parameter, pattern: Pattern, label: string): GenerationError {
  return new GenerationError(
    'E_PARAMETER_MISSING',
    `Route "${label}" (${pattern.template}) needs a value for "${parameter.name}".`,
    `Give it: { ${parameter.name}: … }.`,
    { route: label, parameter: parameter.name, pattern: pattern.template },
  )
}

function invalid(
  parameter: Parameter,
  value: unknown,
  pattern: Pattern,
  label: string,
  what: string,
  fix: string,
): GenerationError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return new GenerationError(
    'E_PARAMETER_INVALID',
    `In route "${label}" (${pattern.template}) the value ${shown} for "${parameter.name}" ${what}.`,
    fix,
    {
      route: label,
      parameter: parameter.name,
      pattern: parameter.requirement?.source ?? pattern.template,
      value,
    },
  )
}

const ambiguous = new WeakMap<Route, Tree | null>()

/** Where values stand amid literal text, makes sure that they are found again; encodes them strictly if need be. */
export function checked(route: Route, path: string, lookup: (name: string) => unknown): string {
  let tree = ambiguous.get(route)
  if (tree === undefined) {
    tree = needsCheck(route) ? new Tree([route], null) : null
    ambiguous.set(route, tree)
  }
  if (tree === null || findsAgain(route, tree, path, lookup)) return path
  const strict = writePattern(route.pattern, lookup, route.label, true)
  if (findsAgain(route, tree, strict, lookup)) return strict
  throw new GenerationError(
    'E_PARAMETER_INVALID',
    `Route "${route.label}" (${route.path}) would become "${path}", in which its values cannot be told apart.`,
    'Separate the parameters by text that their values do not hold, or set requirements.',
    { route: route.label, pattern: route.path, value: path },
  )
}

function needsCheck(route: Route): boolean {
  return route.variants.some((variant) =>
    stepsOf(variant, null, route.path)?.some(({ kind }) => kind === 'mixed' || kind === 'rest'),
  )
}

function findsAgain(route: Route, tree: Tree, path: string, lookup: (name: string) => unknown): boolean {
  if (route.parameter('controller') && String(lookup('controller')).includes('/')) return true
  const unfolded = unfold(path)
  if (unfolded === undefined) return false
  const escaped = unfolded !== path
  for (const { entry, texts } of tree.find(unfolded, escaped)) {
    const values = entry.variant.parameters.map((parameter, index) =>
      valueIn(parameter, texts[index] ?? '', escaped),
    )
    if (values.includes(undefined)) continue
    return (
      entry.variant.parameters.every(({ name }, index) => String(lookup(name)) === values[index]) &&
      entry.variant.absent.every((name) => (lookup(name) ?? '') === '')
    )
  }
  return false
}

/** Whether a URL names its own host. */
export function isExternal(url: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.test(url)
}

/** Adds a raw query to a URL that may have one already. */
export function withQuery(url: string, query: string | undefined): string {
  if (!query) return url
  const hash = url.indexOf('#')
  const front = hash < 0 ? url : url.slice(0, hash)
  const clean = query.replace(/[^!-~]+|#/g, (text) =>
    text === '#' ? '%23' : encodeURIComponent(text.toWellFormed()),
  )
  return front + (front.includes('?') ? '&' : '?') + clean + (hash < 0 ? '' : url.slice(hash))
}

/**
 * The location of a redirect route's destination: with the mount point in front, values that the destination does not take in
 * the query, and then the request's own query.
 *
 * @returns null when the destination cannot take the values: it leads nowhere then.
 */
export function redirectLocation(route: Route, match: Match, context: RouteContext): string | null {
  const { redirect } = route
  if (!redirect) return null
  const { pattern } = redirect
  let url: string
  try {
    url = writePattern(pattern, (name) => match[name], route.label)
  } catch (error) {
    if (error instanceof GenerationError) return null
    throw error
  }
  const taken = new Set(pattern.parameters.map(({ name }) => name))
  const extra = route.pattern.parameters
    .filter(({ name }) => !taken.has(name) && match[name] !== null && match[name] !== undefined)
    .map(({ name }) => encodeQueryPair(name, match[name] ?? ''))
    .join('&')
  const located =
    isExternal(pattern.template) || route.absolute
      ? url
      : safeLocation(encodePath(context.scriptName ?? '') + url)
  return withQuery(withQuery(located, extra), context.query)
}
