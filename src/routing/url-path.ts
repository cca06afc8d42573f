/**
 * The path of a URL, written from a pattern and values so that it matches back to the same values, and the query.
 *
 * @module
 */

import { oncePer } from '../base/once-per.ts'
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
  mountPointOf,
  safeLocation,
  withQuery,
} from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { type GenerationCode, GenerationError, type RoutingErrorDetails } from './routing-error.ts'
import { stepsOf } from './segment.ts'
import { inOrder, Tree, valuesIn } from './tree.ts'
import type { UrlParts } from './types.ts'

/** Returns the value for a parameter; undefined or null if there is none. */
export type ValueLookup = (name: string) => unknown

/** The name and the path of a route, for messages. */
interface Subject {
  readonly label: string
  readonly path: string
}

/** Creates the error of a route. `rest` follows its name and its path in the message. */
export function failure(
  code: GenerationCode,
  { label, path }: Subject,
  rest: string,
  fix: string,
  details: RoutingErrorDetails,
): GenerationError {
  const all = { route: label, pattern: path, ...details }
  return new GenerationError(code, `Route "${label}" (${path}) ${rest}`, fix, all)
}

/**
 * Returns the path of a route with values.
 *
 * If values are next to literal text, the path is matched to verify that they are found again; if they are not, all
 * characters but letters and digits are encoded.
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
  const rest = `would become "${path}", which does not match back to the same values.`
  const fix = 'Separate the parameters by text that their values do not contain, or set requirements.'
  throw failure('E_PARAMETER_INVALID', route, rest, fix, { value: path })
}

/** Returns a tree of one route if a segment mixes literal text and values, else null. */
const ambiguousTree = oncePer((route: Route): Tree | null => {
  const isAmbiguous = route.expansions.some((expansion) =>
    stepsOf(expansion, null, route.path)?.some(({ kind }) => kind === 'mixed'),
  )
  return isAmbiguous ? new Tree([route], null) : null
})

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
  const { parts, template } = pattern
  const subject = { label, path: template }
  const fail = (rest: string, fix: string, value: string) =>
    failure('E_PARAMETER_INVALID', subject, `would become "${value}"${rest}`, fix, { value })
  let path = ''
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      path += pattern.url ? encodeUrlLiteral(part.text) : encodeLiteral(part.text)
      continue
    }
    const value = textOf(part, lookup(part.name), subject)
    if (value === undefined) {
      if (part.suffix) continue
      const fix = `Add it to the values: { ${part.name}: … }.`
      const details = { parameter: part.name }
      throw failure('E_PARAMETER_MISSING', subject, `needs a value for "${part.name}".`, fix, details)
    }
    const next = parts[index + 1]
    const suffixFollows = next?.kind === 'parameter' && next.suffix && (lookup(next.name) ?? undefined) !== undefined
    const encoded = encodeValue(part, value, strictly, !suffixFollows)
    // A slash at the beginning of the path's first value would make it the URL of another host.
    const safe = path === '/' && encoded.startsWith('/') ? `%2F${encoded.slice(1)}` : encoded
    path += (part.suffix ? '.' : '') + safe
  }
  if (path.includes('/.') && /\/\.{1,2}(?:\/|$)/.test(path)) {
    throw fail('. Clients remove the segments "." and "..".', 'Use values other than "." and "..".', path)
  }
  if (path.startsWith('//') && !template.startsWith('//')) {
    throw fail(', the URL of another host.', 'Use a value for the first segment that is not empty.', path)
  }
  return path
}

/** Returns the text of a value, or `undefined` if there is none. */
function textOf(parameter: Parameter, value: unknown, subject: Subject): string | undefined {
  if (value === undefined || value === null) return undefined
  const { name, requirement, reserved } = parameter
  const fail = (what: string, fix: string) => {
    const shown =
      typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' ? 'an object' : String(value)
    return failure('E_PARAMETER_INVALID', subject, `has the value ${shown} for "${name}", which ${what}.`, fix, {
      parameter: name,
      pattern: requirement?.source ?? subject.path,
      value,
    })
  }
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol') {
    throw fail('is not text, a number or a boolean', 'Use text, a number or a boolean.')
  }
  const text = String(value)
  if (!text.isWellFormed()) throw fail('is not well-formed Unicode', 'Use well-formed text.')
  if (accepts(parameter, text)) return text
  if (text === '' && parameter.suffix) return undefined
  if (reserved?.has(text)) throw fail('is the name of another page of the resource', 'Use another value.')
  if (requirement) throw fail(`does not match ${requirement.source}`, fixFor(name, text))
  throw fail('is empty', 'Use a value that is not empty.')
}

/** Returns the fix for a value that does not match its requirement. The fix for a format is an option of the mapper. */
function fixFor(name: string, text: string): string {
  if (name !== 'format') return 'Use a value that matches as a whole.'
  const formats = `formats: ['html', 'json', ${JSON.stringify(text).replaceAll('"', "'")}]`
  return `Use a known format, or list it in the option formats of the mapper, resource or route: new Mapper({ ${formats} }).`
}

function encodeValue(parameter: Parameter, value: string, strictly: boolean, guardSuffix: boolean): string {
  if (parameter.requirement?.spans || parameter.controller) {
    return strictly ? value.split('/').map(encodeStrictly).join('/') : encodePath(value)
  }
  if (strictly) return encodeStrictly(value)
  const dot = guardSuffix && parameter.suffixes ? value.search(parameter.suffixes) : -1
  return dot < 0
    ? encodeSegment(value)
    : `${encodeSegment(value.slice(0, dot))}%2E${encodeSegment(value.slice(dot + 1))}`
}

/**
 * Returns the location of a redirect: the destination below the mount point, with values that it does not take in the
 * query, and then the query of the request.
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
  const others = route.pattern.parameters.filter(({ name }) => !taken.has(name))
  const query = queryOf(Object.fromEntries(others.map(({ name }) => [name, match[name]])))
  const isAbsolute = isExternal(pattern.template) || route.absolute
  const location = isAbsolute ? url : safeLocation(mountPointOf(context) + url)
  return withQuery(withQuery(location, query), context.query)
}

/** Values by name, for parameters, the query and parts of a URL. It has no prototype. */
export type Values = Record<string, unknown>

/** Copies the properties of an object, but none of its prototype. */
export function ownValues(given: object): Values {
  return Object.assign(Object.create(null), given)
}

/** Returns values with others in their place. Null removes a value. */
export function replaced(values: object, others: Values): Values {
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...values, ...Object.fromEntries(given) })
  return ownValues(Object.fromEntries(all.filter(([, value]) => value !== null)))
}

const PARTS = ['anchor', 'host', 'protocol', 'qualified', 'subDomain', 'method'] as const

/** Separates the parts of a URL from the values; a part's name followed by an underscore is a value of that name. */
export function separate(values: Values, isParameter: (name: string) => boolean): { parts: UrlParts; rest: Values } {
  const parts: Record<string, unknown> = {}
  const rest = ownValues(values)
  for (const name of PARTS) {
    const escaped = `${name}_`
    if (rest[name] !== undefined && !isParameter(name)) {
      parts[name] = rest[name]
      delete rest[name]
    }
    if (rest[escaped] !== undefined && !isParameter(escaped)) {
      rest[name] = rest[escaped]
      delete rest[escaped]
    }
  }
  return { parts, rest }
}

/** Returns the query string: a list repeats its key, null and undefined are left out. */
export function queryOf(values: object): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one] as const))
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => encodeQueryPair(name, String(value)))
    .join('&')
}
