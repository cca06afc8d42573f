/**
 * The path of a URL, written from a pattern and values so that it matches back to the same values, and the query.
 *
 * @module
 */

import { GenerationError } from './errors.ts'
import { accepts, type Parameter, type Pattern } from './pattern.ts'
import {
  encodeLiteral,
  encodePath,
  encodeQueryPair,
  encodeSegment,
  encodeStrictly,
  encodeUrlLiteral,
  isExternal,
  markEscapes,
  safeLocation,
  withQuery,
} from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { stepsOf } from './segment.ts'
import { valuesIn } from './selection.ts'
import { inOrder, Tree } from './tree.ts'
import type { UrlParts } from './types.ts'

/** Returns the value for a parameter; undefined or null if there is none. */
export type ValueLookup = (name: string) => unknown

/**
 * Returns the path of a route with values.
 *
 * If values are next to literal text, the path is matched to verify that they are found again; if they are not, all characters but
 * letters and digits are encoded.
 *
 * @throws GenerationError E_PARAMETER_MISSING - a parameter has no value.
 * @throws GenerationError E_PARAMETER_INVALID - a value does not match, or the path would not lead back to the values.
 */
export function writePath(route: Route, lookup: ValueLookup): string {
  const path = writePattern(route.pattern, lookup, route.label)
  const tree = ambiguousTree(route)
  if (tree === null || leadsBack(route, tree, path, lookup)) return path
  const strict = writePattern(route.pattern, lookup, route.label, true)
  if (leadsBack(route, tree, strict, lookup)) return strict
  throw new GenerationError(
    'E_PARAMETER_INVALID',
    `Route "${route.label}" (${route.path}) would become "${path}", which does not match back to the same values.`,
    'Separate the parameters by text that their values do not contain, or set requirements.',
    { route: route.label, pattern: route.path, value: path },
  )
}

const trees = new WeakMap<Route, Tree | null>()

/** Returns a tree of one route if a segment mixes literal text and values, else null. */
function ambiguousTree(route: Route): Tree | null {
  let tree = trees.get(route)
  if (tree === undefined) {
    const isAmbiguous = route.expansions.some((expansion) =>
      stepsOf(expansion, null, route.path)?.some(({ kind }) => kind === 'mixed'),
    )
    tree = isAmbiguous ? new Tree([route], null) : null
    trees.set(route, tree)
  }
  return tree
}

function leadsBack(route: Route, tree: Tree, path: string, lookup: ValueLookup): boolean {
  if (route.parameter('controller') && String(lookup('controller')).includes('/')) return true
  const marked = markEscapes(path)
  if (marked === undefined) return false
  const escaped = marked !== path
  for (const { leaf, texts } of inOrder(tree.find(marked, escaped))) {
    const { parameters, absent } = leaf.expansion
    const values = valuesIn(parameters, texts, escaped, null)
    if (values === null) continue
    return (
      parameters.every(({ name }, index) => String(lookup(name)) === values[index]) &&
      absent.every((name) => (lookup(name) ?? '') === '')
    )
  }
  return false
}

/** Writes a pattern with values; `strictly`: all characters of values but letters and digits are encoded. */
function writePattern(pattern: Pattern, lookup: ValueLookup, label: string, strictly = false): string {
  let path = ''
  const { parts, template } = pattern
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      path += pattern.url ? encodeUrlLiteral(part.text) : encodeLiteral(part.text)
      continue
    }
    const value = textOf(part, lookup(part.name), template, label)
    if (value === undefined) {
      if (part.suffix) continue
      throw missing(part, template, label)
    }
    const next = parts[index + 1]
    const suffixFollows =
      next?.kind === 'parameter' && next.suffix && (lookup(next.name) ?? undefined) !== undefined
    const encoded = encodeValue(part, value, strictly, !suffixFollows, template, label)
    // A slash at the beginning of the path's first value would make it the URL of another host.
    const safe = path === '/' && encoded.startsWith('/') ? `%2F${encoded.slice(1)}` : encoded
    path += (part.suffix ? '.' : '') + safe
  }
  if (path.includes('/.') && /\/\.{1,2}(?:\/|$)/.test(path)) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${template}) would become "${path}". Clients remove the segments "." and "..".`,
      'Use values other than "." and "..".',
      { route: label, pattern: template, value: path },
    )
  }
  if (path.startsWith('//') && !template.startsWith('//')) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${template}) would become "${path}", the URL of another host.`,
      'Use a value for the first segment that is not empty.',
      { route: label, pattern: template, value: path },
    )
  }
  return path
}

/** Returns the text of a value, or `undefined` if there is none. */
function textOf(parameter: Parameter, value: unknown, template: string, label: string): string | undefined {
  if (value === undefined || value === null) return undefined
  const fail = (what: string, fix: string) => invalid(parameter, value, template, label, what, fix)
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol') {
    throw fail('is not text, a number or a boolean', 'Use text, a number or a boolean.')
  }
  const text = String(value)
  if (accepts(parameter, text)) return text
  if (text === '' && parameter.suffix) return undefined
  if (parameter.reserved?.has(text)) {
    throw fail('is the name of another page of the resource', 'Use another value.')
  }
  const { requirement } = parameter
  if (requirement) throw fail(`does not match ${requirement.source}`, 'Use a value that matches as a whole.')
  throw fail('is empty', 'Use a value that is not empty.')
}

function encodeValue(
  parameter: Parameter,
  value: string,
  strictly: boolean,
  guardSuffix: boolean,
  template: string,
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
    throw invalid(parameter, value, template, label, 'is not well-formed Unicode', 'Use well-formed text.')
  }
}

function missing({ name }: Parameter, template: string, label: string): GenerationError {
  return new GenerationError(
    'E_PARAMETER_MISSING',
    `Route "${label}" (${template}) needs a value for "${name}".`,
    `Add it to the values: { ${name}: … }.`,
    { route: label, parameter: name, pattern: template },
  )
}

function invalid(
  { name, requirement }: Parameter,
  value: unknown,
  template: string,
  label: string,
  what: string,
  fix: string,
): GenerationError {
  const shown =
    typeof value === 'object'
      ? 'an object'
      : typeof value === 'string'
        ? JSON.stringify(value)
        : String(value)
  return new GenerationError(
    'E_PARAMETER_INVALID',
    `Route "${label}" (${template}) has the value ${shown} for "${name}", which ${what}.`,
    fix,
    { route: label, parameter: name, pattern: requirement?.source ?? template, value },
  )
}

/**
 * Returns the location of a redirect: the destination below the mount point, with values that it does not take in the query,
 * and then the query of the request.
 *
 * @returns null if the destination does not accept the values.
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
  const query = route.pattern.parameters
    .flatMap(({ name }) => {
      const value = match[name]
      return taken.has(name) || typeof value !== 'string' ? [] : [encodeQueryPair(name, value)]
    })
    .join('&')
  const isAbsolute = isExternal(pattern.template) || route.absolute
  const location = isAbsolute ? url : safeLocation(encodePath(context.scriptName ?? '') + url)
  return withQuery(withQuery(location, query), context.query)
}

/** Values by name, for parameters, the query and parts of a URL. */
export type Values = Record<string, unknown>

/** Returns an own property, never one of the prototype. */
export function own(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Returns values with others in their place. Null removes a value. */
export function replaced(values: Values, others: Values): Values {
  const all = {
    ...values,
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

const PARTS = ['anchor', 'host', 'protocol', 'qualified', 'subDomain', 'method'] as const

/** Separates the parts of a URL from the values; a part's name followed by an underscore is a value of that name. */
export function separate(
  values: Values,
  isParameter: (name: string) => boolean,
): { parts: UrlParts; rest: Values } {
  let parts: Record<string, unknown> | undefined
  let rest: Values | undefined
  for (const name of PARTS) {
    const escaped = `${name}_`
    if (own(values, name) !== undefined && !isParameter(name)) {
      parts ??= {}
      rest ??= { ...values }
      parts[name] = values[name]
      delete rest[name]
    }
    if (own(values, escaped) !== undefined && !isParameter(escaped)) {
      rest ??= { ...values }
      delete rest[escaped]
      rest[name] = values[escaped]
    }
  }
  return { parts: parts ?? {}, rest: rest ?? values }
}

/** Returns the query string: a list repeats its key, null and undefined are left out. */
export function queryOf(values: Values, isQuery: (name: string) => boolean): string {
  return Object.entries(values)
    .filter(([name]) => isQuery(name))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one] as const))
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => encodeQueryPair(name, String(value)))
    .join('&')
}
