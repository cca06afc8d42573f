/**
 * What is wrong with the routes as a whole: found at start, not by a puzzled visitor.
 *
 * @module
 */

import { ANY_METHOD } from './conditions.ts'
import type { ControllerNames } from './controller-names.ts'
import { accepts, type Parameter, type Piece, type Variant } from './pattern.ts'
import { decoded, unfold } from './percent.ts'
import type { Rejection } from './resolver.ts'
import type { Route } from './route.ts'
import { segmentsOf } from './segment.ts'
import type { Tree } from './tree.ts'

/** One line of the table. */
export interface TableRow {
  readonly name: string | null
  /** Null for any method. */
  readonly methods: readonly string[] | null
  readonly path: string
  /** The fixed controller; null where the path or nothing names it. */
  readonly controller: string | null
  readonly action: string | null
  /** Where a redirect route leads. */
  readonly redirect: string | null
  /** `file:line:column`, where known. */
  readonly definedAt: string | null
}

/** Which lines are wanted: text that occurs anywhere, or parts that each must hold. */
export type TableFilter =
  | string
  | {
      readonly name?: string | undefined
      readonly method?: string | undefined
      readonly path?: string | undefined
      readonly controller?: string | undefined
      readonly action?: string | undefined
    }

/** The routes that match, one line each, in order. */
export function tableOf(routes: readonly Route[], filter: TableFilter = ''): TableRow[] {
  return routes
    .filter((route) => !route.static)
    .map((route) => ({
      name: route.name,
      methods: route.methods,
      path: route.path,
      controller: route.defaults.controller ?? null,
      action: route.defaults.action ?? null,
      redirect: route.redirect?.pattern.template ?? null,
      definedAt: route.definedAt ?? null,
    }))
    .filter((row) => isWanted(row, filter))
}

function isWanted(row: TableRow, filter: TableFilter): boolean {
  if (typeof filter === 'string') {
    const wanted = filter.toLowerCase()
    return [row.name, row.path, row.controller, row.action, ...(row.methods ?? [])].some((text) =>
      (text ?? '').toLowerCase().includes(wanted),
    )
  }
  const { name, method, path, controller, action } = filter
  return (
    (name === undefined || (row.name ?? '').includes(name)) &&
    (path === undefined || row.path.includes(path)) &&
    (controller === undefined || row.controller === controller) &&
    (action === undefined || row.action === action) &&
    (method === undefined || row.methods === null || row.methods.includes(method.toUpperCase()))
  )
}

const HEADER = ['Route name', 'Methods', 'Path', 'Controller', 'action']

/** The table in columns, as wide as they must be. */
export function formatTable(rows: readonly TableRow[]): string {
  const lines = [
    HEADER,
    ...rows.map((row) => [
      row.name ?? '',
      row.methods?.join(',') ?? '',
      row.path,
      row.redirect === null ? (row.controller ?? '') : `→ ${row.redirect}`,
      row.action ?? '',
    ]),
  ]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Whether every path that fits `inner` fits `outer` too. It may say no where the answer is yes, never the other way. */
export function covers(outer: Variant, inner: Variant, controllers: ControllerNames | null): boolean {
  const outerSegments = segmentsOf(outer.pieces)
  const innerSegments = segmentsOf(inner.pieces)
  for (const [index, segment] of outerSegments.entries()) {
    const other = innerSegments[index]
    if (!other) return false
    if (index === outerSegments.length - 1 && segment.length === 1 && isTail(segment[0])) return true
    if (!coversSegment(segment, other, controllers)) return false
  }
  return outerSegments.length === innerSegments.length
}

function isTail(piece: Piece | undefined): boolean {
  return piece?.kind === 'parameter' && piece.requirement?.anything === true
}

function coversSegment(
  outer: readonly Piece[],
  inner: readonly Piece[],
  controllers: ControllerNames | null,
): boolean {
  if (
    outer.length === inner.length &&
    outer.every((piece, index) => isSame(piece, inner[index], controllers))
  )
    return true
  const [only] = outer
  if (outer.length !== 1 || only?.kind !== 'parameter') return false
  if (inner.some((piece) => piece.kind === 'parameter' && piece.requirement?.spans)) return false
  if (inner.every((piece) => piece.kind === 'literal'))
    return takesLiteral(only, inner[0]?.text ?? '', controllers)
  if (only.controller && controllers) return false
  const bare = only.requirement === null && only.separator === '' && only.reserved === null
  return bare && inner.some((piece) => piece.kind === 'literal' || piece.requirement === null)
}

function takesLiteral(parameter: Parameter, text: string, controllers: ControllerNames | null): boolean {
  if (parameter.controller && controllers && controllers.find(text) === undefined) return false
  return (parameter.separator === '' || !text.includes(parameter.separator)) && accepts(parameter, text)
}

function isSame(one: Piece, other: Piece | undefined, controllers: ControllerNames | null): boolean {
  if (one.kind === 'literal' || !other || other.kind === 'literal') {
    return one.kind === 'literal' && other?.kind === 'literal' && one.text === other.text
  }
  const sameNames = controllers === null || one.controller === other.controller
  const noFewer = one.separator === '' || one.separator === other.separator
  const reserved = [...(one.reserved ?? [])].every((name) => other.reserved?.has(name))
  const required = one.requirement === null || one.requirement.source === other.requirement?.source
  const nonEmpty = one.requirement !== null || other.requirement === null
  return sameNames && noFewer && reserved && required && nonEmpty
}

/** One finding. */
export interface Diagnosis {
  readonly code: 'unreachable' | 'duplicate-name' | 'explosive-pattern'
  readonly route: Route
  /** The route that stands in the way, or has the same name. */
  readonly other: Route | undefined
  readonly message: string
  readonly fix: string
  /** `file:line:column` of the route, where known. */
  readonly definedAt: string | undefined
}

/** All findings, in the order of the routes. */
export function diagnose(
  routes: readonly Route[],
  tree: Tree,
  controllers: ControllerNames | null,
): Diagnosis[] {
  const findings = [
    ...duplicateNames(routes),
    ...routes.flatMap((route) => unreachable(route, tree, controllers) ?? []),
    ...routes.flatMap(explosive),
  ]
  const place = new Map(routes.map((route, index) => [route, index]))
  return findings.sort((a, b) => (place.get(a.route) ?? 0) - (place.get(b.route) ?? 0))
}

function duplicateNames(routes: readonly Route[]): Diagnosis[] {
  const byName = new Map<string, Route>()
  const findings: Diagnosis[] = []
  for (const route of routes) {
    if (route.name === null) continue
    const other = byName.get(route.name)
    if (other) {
      findings.push({
        code: 'duplicate-name',
        route,
        other,
        message: `The name "${route.name}" of ${described(route)} belongs to ${described(other)} already; generation takes the later one.`,
        fix: 'Give one of them another name, or a namePrefix to its resource.',
        definedAt: route.definedAt,
      })
    }
    byName.set(route.name, route)
  }
  return findings
}

function unreachable(route: Route, tree: Tree, controllers: ControllerNames | null): Diagnosis | undefined {
  const own = route.variants.slice(0, route.variants.length - route.aliases.length)
  if (own.length === 0) return undefined
  let obstacle: Route | undefined
  for (const variant of own) {
    const found = obstacleTo(route, variant, tree, controllers)
    if (!found) return undefined
    obstacle = found
  }
  if (!obstacle) return undefined
  return {
    code: 'unreachable',
    route,
    other: obstacle,
    message: `${described(route)} can never be reached: ${described(obstacle)} comes first and takes all of its paths.`,
    fix: 'Define the more special route first, or remove it.',
    definedAt: route.definedAt,
  }
}

function obstacleTo(
  route: Route,
  variant: Variant,
  tree: Tree,
  controllers: ControllerNames | null,
): Route | undefined {
  const witness = witnessOf(variant, controllers)
  if (witness === undefined) return undefined
  for (const { entry } of tree.find(witness, false)) {
    if (entry.route === route) return undefined
    if (takesAllOf(entry.route, route) && covers(entry.variant, variant, controllers)) return entry.route
  }
  return undefined
}

function takesAllOf(earlier: Route, later: Route): boolean {
  if (earlier.condition) return false
  if (
    earlier.subDomain !== undefined &&
    JSON.stringify(earlier.subDomain) !== JSON.stringify(later.subDomain)
  )
    return false
  if (earlier.methodMask === ANY_METHOD) return true
  return later.methods?.every((method) => earlier.methods?.includes(method)) ?? false
}

const SAMPLES = [
  '1',
  '12',
  '123',
  '2024',
  'a',
  'ab',
  'abc',
  'A',
  'a1',
  'a-b',
  'html',
  'json',
  'x/y',
  '2024-01-31',
  '01',
]

/** A path that fits a variant; `undefined` when none can be guessed. */
function witnessOf(variant: Variant, controllers: ControllerNames | null): string | undefined {
  let path = ''
  for (const piece of variant.pieces) {
    const text = piece.kind === 'literal' ? piece.text : sample(piece, controllers)
    if (text === undefined) return undefined
    path += text
  }
  return path
}

function sample(parameter: Parameter, controllers: ControllerNames | null): string | undefined {
  if (parameter.controller && controllers) return controllers.texts()[0]
  if (parameter.requirement === null) return 'sample'
  return [...SAMPLES, ...parameter.requirement.source.split('|')].find((text) => accepts(parameter, text))
}

function explosive(route: Route): Diagnosis[] {
  return route.pattern.parameters.flatMap((parameter): Diagnosis[] => {
    const { requirement } = parameter
    if (!requirement?.explosive) return []
    return [
      {
        code: 'explosive-pattern',
        route,
        other: undefined,
        message: `The requirement ${requirement.source} of "${parameter.name}" in ${described(route)} can match the same text in exponentially many ways.`,
        fix: 'Write it so that each text can be matched in one way only: no repetition directly within a repetition.',
        definedAt: route.definedAt,
      },
    ]
  })
}

function described(route: Route): string {
  const methods = route.methods ? `${route.methods.join(',')} ` : ''
  const place = route.definedAt === undefined ? '' : ` (${route.definedAt})`
  return `${methods}${route.path}${route.name === null ? '' : ` "${route.name}"`}${place}`
}

/** A route that nearly matched. */
export interface NearMiss {
  readonly route: Route
  /** What failed. */
  readonly condition: Rejection['condition'] | 'path'
  /** In words, to stand behind the route. */
  readonly detail: string
}

const MOST = 10

/**
 * The routes nearest to a request that none of them takes: first those whose path fits, then those whose path differs little.
 *
 * @param rejections - of the routes whose path fits.
 */
export function nearMisses(
  routes: readonly Route[],
  rejections: readonly Rejection[],
  rawPath: string,
): NearMiss[] {
  const path = unfold(rawPath)
  if (path === undefined) return []
  const seen = new Set<Route>(rejections.map(({ route }) => route))
  const segments = decoded(path).split('/')
  const near = routes
    .filter((route) => !seen.has(route) && !route.static)
    .flatMap((route) => {
      const best = route.variants
        .map((variant) => difference(variant, segments))
        .reduce((least, other) => (other.distance < least.distance ? other : least))
      return best.distance <= 1
        ? [{ route, condition: 'path' as const, detail: best.detail, distance: best.distance }]
        : []
    })
    .sort((a, b) => a.distance - b.distance)
    .map(({ route, condition, detail }) => ({ route, condition, detail }))
  return [...rejections, ...near].slice(0, MOST)
}

interface Difference {
  /** 0 equal but for a slash or the case of letters, 1 one segment, more: too far. */
  readonly distance: number
  readonly detail: string
}

const FAR: Difference = { distance: Infinity, detail: '' }

function difference(variant: Variant, segments: readonly string[]): Difference {
  const wanted = segmentsOf(variant.pieces)
  const trimmed = withoutLastSlash(segments)
  const wantedTrimmed = withoutLastSlash(wanted)
  if (trimmed.length !== wantedTrimmed.length) {
    const [shorter, longer] =
      trimmed.length < wantedTrimmed.length ? [trimmed, wantedTrimmed] : [wantedTrimmed, trimmed]
    if (longer.length - shorter.length > 1 || shorter.length < 2) return FAR
    const equal = shorter.every((_, index) => fits(wanted[index] ?? [], segments[index] ?? '') !== 'no')
    if (!equal) return FAR
    const missing = trimmed.length < wantedTrimmed.length
    return { distance: 1, detail: missing ? 'has one segment more' : 'has one segment less' }
  }
  const kinds = trimmed.map((segment, index) => fits(wantedTrimmed[index] ?? [], segment))
  const wrong = kinds.flatMap((kind, index) => (kind === 'yes' ? [] : [{ kind, index }]))
  if (wrong.length === 0) {
    return segments.length === wanted.length
      ? FAR
      : { distance: 0, detail: 'differs in the slash at the end' }
  }
  const [only] = wrong
  if (wrong.length > 1 || !only || trimmed.length <= 1) return FAR
  const given = JSON.stringify(trimmed[only.index])
  const shown = JSON.stringify(wantedTrimmed[only.index]?.map(textOf).join('') ?? '')
  if (only.kind === 'case')
    return { distance: 0, detail: `has ${shown}, not ${given}: the case of letters counts` }
  if (only.kind === 'near') return { distance: 0.5, detail: `has ${shown}, not ${given}` }
  return trimmed.length > 2 ? { distance: 1, detail: `has ${shown}, not ${given}` } : FAR
}

function withoutLastSlash<T extends string | readonly Piece[]>(segments: readonly T[]): readonly T[] {
  return segments.length > 1 && segments.at(-1)?.length === 0 ? segments.slice(0, -1) : segments
}

function textOf(piece: Piece): string {
  return piece.kind === 'literal' ? piece.text : `{${piece.name}}`
}

function fits(pieces: readonly Piece[], segment: string): 'yes' | 'case' | 'near' | 'no' {
  const [first] = pieces
  if (!first) return segment === '' ? 'yes' : 'no'
  if (pieces.length > 1)
    return pieces.every((piece) => piece.kind === 'parameter' || segment.includes(piece.text)) ? 'yes' : 'no'
  if (first.kind === 'parameter') return segment === '' ? 'no' : 'yes'
  if (first.text === segment) return 'yes'
  if (first.text.toLowerCase() === segment.toLowerCase()) return 'case'
  return isNear(first.text, segment) ? 'near' : 'no'
}

/** Whether two words differ by one letter, one more or less, or two swapped. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || Math.max(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const room = Math.min(one.length, other.length) - start
  while (end < room && one.at(-1 - end) === other.at(-1 - end)) end++
  const left = one.slice(start, one.length - end)
  const right = other.slice(start, other.length - end)
  return (
    Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === [...right].reverse().join(''))
  )
}
