/**
 * Diagnosis: the table of routes, routes that can never be reached, and routes that nearly match.
 *
 * @module
 */

import { shownPlaces } from '../base/place.ts'
import { nearest, similar } from '../base/suggest.ts'
import { ANY_METHOD, type ControllerNames } from './conditions.ts'
import { accepts, type Expansion, isBare, type PathPart, valueIn } from './pattern.ts'
import { decodeMarked, markEscapes } from './percent.ts'
import type { NearMiss } from './resolver.ts'
import type { Route } from './route.ts'
import { segmentsOf } from './segment.ts'
import { inOrder, type Tree } from './tree.ts'

/** A row of the table of routes. */
export interface TableRow {
  readonly name: string | null
  /** Null for any method. */
  readonly methods: readonly string[] | null
  readonly path: string
  /** The fixed controller; null if the path has it or there is none. */
  readonly controller: string | null
  readonly action: string | null
  /** The destination of a redirect. */
  readonly redirect: string | null
  /** `file:line:column`, if known. */
  readonly definedAt: string | null
}

/** Returns the rows of routes, in order, without static ones. */
export function tableOf(routes: readonly Route[]): TableRow[] {
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
}

/** Formats rows in columns. */
export function formatTable(rows: readonly TableRow[]): string {
  const lines = [
    ['Route name', 'Methods', 'Path', 'Controller', 'action'],
    ...rows.map(({ name, methods, path, redirect, controller, action }) => [
      name ?? '',
      methods?.join(',') ?? '',
      path,
      redirect === null ? (controller ?? '') : `→ ${redirect}`,
      action ?? '',
    ]),
  ]
  const width = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0))
  const widths = [0, 1, 2, 3, 4].map(width)
  const format = (line: string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return lines.map((line) => format(line).trimEnd()).join('\n')
}

/** A finding about the routes as a whole. */
export interface Diagnosis {
  readonly code: 'unreachable' | 'duplicate-name'
  readonly route: Route
  /** The route that hides it, or has the same name. */
  readonly other: Route
  readonly message: string
  readonly fix: string
  /** `file:line:column` of the route, if known. */
  readonly definedAt: string | undefined
}

/** Returns all findings, in the order of the routes. */
export function diagnose(routes: readonly Route[], tree: Tree): Diagnosis[] {
  const byName = new Map<string, Route>()
  return routes.flatMap((route) => {
    const findings: Diagnosis[] = []
    const { name, definedAt } = route
    const other = name === null ? undefined : byName.get(name)
    if (name !== null) byName.set(name, route)
    if (other) {
      const message = `The name "${name}" of ${described(route)} is also the name of ${described(other)}. URLs are generated for the later route.`
      const fix = 'Rename one of them, or give its resource a namePrefix.'
      findings.push({ code: 'duplicate-name', route, other, message, fix, definedAt })
    }
    const first = hiddenBy(route, tree)
    if (first) {
      const message = `${described(route)} can never be reached: ${described(first)} is defined before it and matches all of its paths.`
      const fix = 'Define the more specific route first, or remove it.'
      findings.push({ code: 'unreachable', route, other: first, message, fix, definedAt })
    }
    return findings
  })
}

function described({ methods, path, name, definedAt }: Route): string {
  const place = definedAt === undefined ? '' : ` (${shownPlaces(definedAt)})`
  return `${methods ? `${methods.join(',')} ` : ''}${path}${name === null ? '' : ` "${name}"`}${place}`
}

/** A request for an action by a route. */
export interface ActionRequest {
  readonly method: string
  readonly controller: string
  readonly action: string
}

/**
 * Returns the route that receives all requests of a route for an action, because it is defined before it, and that
 * leads elsewhere. Undefined if there is none, or if some requests reach the action.
 */
export function takenBy(route: Route, request: ActionRequest, tree: Tree): Route | undefined {
  const { controller, action } = request
  const hiding = hiddenBy(route, tree, request)
  if (hiding === undefined || hiding.parameter('controller') || hiding.parameter('action')) return undefined
  const isSame = hiding.controller === controller && (hiding.action ?? 'index').replaceAll('-', '_') === action
  return isSame ? undefined : hiding
}

/**
 * Returns the route that matches all paths of another before it, if there is one. Aliases are not considered.
 *
 * @param request - limits the paths and the methods to an action.
 */
function hiddenBy(route: Route, tree: Tree, request?: ActionRequest): Route | undefined {
  const own = route.expansions.slice(0, route.expansions.length - route.aliases.length)
  const expansions =
    request === undefined ? own : own.map((expansion) => limitedTo(expansion, request, tree.controllers))
  const hiding = expansions.map((expansion) => {
    const sample = samplePath(expansion, tree.controllers)
    if (sample === undefined) return undefined
    const leaves = inOrder(tree.find(sample, false)).map(({ leaf }) => leaf)
    const own = leaves.findIndex((leaf) => leaf.route === route)
    return leaves
      .slice(0, own < 0 ? undefined : own)
      .find(
        (leaf) => isBroader(leaf.route, route, request?.method) && covers(leaf.expansion, expansion, tree.controllers),
      )?.route
  })
  return hiding.includes(undefined) ? undefined : hiding.at(-1)
}

/** Returns an expansion with the names of a controller and an action in place of the parameters that accept them. */
function limitedTo(
  expansion: Expansion,
  { controller, action }: ActionRequest,
  controllers: ControllerNames | null,
): Expansion {
  const names = new Map([
    ['controller', controller],
    ['action', action],
  ])
  const parts = expansion.parts.map((part): PathPart => {
    const name = part.kind === 'parameter' ? names.get(part.name) : undefined
    if (part.kind === 'literal' || name === undefined) return part
    return valueIn(part, name, false, controllers) === undefined ? part : { kind: 'literal', text: name }
  })
  return { ...expansion, parts }
}

/** Returns true if a route has no condition that another does not have, or none that refuses a method. */
function isBroader(one: Route, other: Route, method: string | undefined): boolean {
  if (one.condition) return false
  if (one.subDomain !== undefined && String(one.subDomain) !== String(other.subDomain)) return false
  if (one.methodMask === ANY_METHOD) return true
  const methods = method === undefined ? other.methods : [method]
  return methods?.every((each) => one.methods?.includes(each)) ?? false
}

const SAMPLES = ['1', '12', '123', '2024', 'a', 'ab', 'abc', 'A', 'a1', 'a-b', 'x/y', '2024-01-31', '01']

/** Returns a path that matches an expansion, or `undefined` if none can be guessed. */
function samplePath({ parts }: Expansion, controllers: ControllerNames | null): string | undefined {
  const texts = parts.map((part) => {
    if (part.kind === 'literal') return part.text
    if (part.controller && controllers) return controllers.texts()[0]
    if (part.requirement === null) return 'sample'
    return [...SAMPLES, ...part.requirement.source.split('|')].find((text) => accepts(part, text))
  })
  return texts.includes(undefined) ? undefined : texts.join('')
}

/**
 * Returns true if every path that matches `inner` also matches `outer`. Conservative: may return false although it
 * does.
 */
function covers(outer: Expansion, inner: Expansion, controllers: ControllerNames | null): boolean {
  const [outerSegments, innerSegments] = [segmentsOf(outer.parts), segmentsOf(inner.parts)]
  const [last, ...others] = outerSegments.at(-1) ?? []
  const isOpen = last?.kind === 'parameter' && last.requirement?.acceptsAll && others.length === 0
  const fixed = isOpen ? outerSegments.slice(0, -1) : outerSegments
  return (
    (isOpen ? innerSegments.length > fixed.length : innerSegments.length === fixed.length) &&
    fixed.every((segment, index) => coversSegment(segment, innerSegments[index] ?? [], controllers))
  )
}

function coversSegment(
  outer: readonly PathPart[],
  inner: readonly PathPart[],
  controllers: ControllerNames | null,
): boolean {
  if (outer.length === inner.length && outer.every((part, index) => isAsBroad(part, inner[index], controllers)))
    return true
  const [only, ...others] = outer
  if (only?.kind !== 'parameter' || others.length > 0) return false
  const [first, ...more] = inner
  if (first?.kind === 'literal' && more.length === 0) {
    return valueIn(only, first.text, false, controllers) !== undefined
  }
  const isNeverEmpty = inner.some((part) => part.kind === 'literal' || part.requirement === null)
  const staysInside = inner.every((part) => part.kind === 'literal' || !part.requirement?.spans)
  return isBare(only) && !(only.controller && controllers) && isNeverEmpty && staysInside
}

/** Returns true if one part matches all texts that another does, by the same means. */
function isAsBroad(one: PathPart, other: PathPart | undefined, controllers: ControllerNames | null): boolean {
  if (one.kind === 'literal' || other?.kind !== 'parameter') {
    return one.kind === 'literal' && other?.kind === 'literal' && one.text === other.text
  }
  return (
    one.requirement === other.requirement &&
    (controllers === null || one.controller === other.controller) &&
    (one.reserved === null || (other.reserved !== null && [...one.reserved].every((name) => other.reserved?.has(name))))
  )
}

const MAX_NEAR_MISSES = 10

/** Maximum distance of a near miss: another segment, or two that are similar. */
const MAX_DISTANCE = 1

/**
 * Returns the routes nearest to a request that none of them matches: first those whose path matches, then those whose
 * path differs a little.
 *
 * @param rejections - of the routes whose path matches.
 * @param controllers - the known controllers, or `null` if any name is accepted.
 */
export function nearMisses(
  routes: readonly Route[],
  rejections: readonly NearMiss[],
  rawPath: string,
  controllers: ControllerNames | null,
): NearMiss[] {
  const path = markEscapes(rawPath)
  if (path === undefined) return []
  const rejected = new Set(rejections.map(({ route }) => route))
  const segments = decodeMarked(path).split('/').slice(1)
  const near = routes
    .filter((route) => !rejected.has(route))
    .flatMap((route) =>
      route.expansions
        .flatMap(({ parts }) => differenceOf(segmentsOf(parts).slice(1), segments, controllers) ?? [])
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 1)
        .map(({ distance, detail }) => ({ route, distance, detail })),
    )
    .sort((a, b) => a.distance - b.distance)
    .map(({ route, detail }) => ({ route, condition: 'path' as const, detail }))
  return [...rejections, ...near].slice(0, MAX_NEAR_MISSES)
}

interface Difference {
  readonly distance: number
  readonly detail: string
}

/** Returns how the segments of a path differ from the segments of a route, or `undefined` if too much. */
function differenceOf(
  wanted: readonly (readonly PathPart[])[],
  segments: readonly string[],
  controllers: ControllerNames | null,
): Difference | undefined {
  const wrong = wanted.flatMap((parts, index) => mismatch(parts, segments[index], controllers) ?? [])
  const more = wanted.length - segments.length
  if (more === 0) {
    const distance = wrong.reduce((sum, each) => sum + each.distance, 0)
    const isFar = distance > MAX_DISTANCE || (distance === MAX_DISTANCE && wrong.length === wanted.length)
    const detail = wrong.map((each) => each.detail).join('; ')
    return isFar || wrong.length === 0 ? undefined : { distance, detail }
  }
  const longer = more > 0 ? wanted : segments
  if (Math.abs(more) > 1 || wrong.length > Math.max(0, more)) return undefined
  if (longer.at(-1)?.length === 0) return { distance: 0, detail: 'differs in the trailing slash' }
  return longer.length < 2 ? undefined : { distance: 1, detail: `has one segment ${more > 0 ? 'more' : 'less'}` }
}

function mismatch(
  parts: readonly PathPart[],
  segment: string | undefined,
  controllers: ControllerNames | null,
): Difference | undefined {
  if (segment === undefined) return { distance: 1, detail: 'has another segment' }
  const [only, ...others] = parts
  if (only?.kind === 'parameter' && only.controller && others.length === 0 && controllers && segment) {
    if (controllers.find(segment) !== undefined) return undefined
    const suggested = nearest(segment, controllers.texts())
    const hint = suggested === undefined ? '' : `: did you mean ${JSON.stringify(suggested)}?`
    return { distance: 0.5, detail: `${JSON.stringify(segment)} is not a known controller${hint}` }
  }
  const text = parts.map((part) => (part.kind === 'literal' ? part.text : `{${part.name}}`)).join('')
  const isLiteral = parts.every((part) => part.kind === 'literal')
  const hasLiterals = parts.every((part) => part.kind === 'parameter' || segment.includes(part.text))
  if (isLiteral ? segment === text : segment !== '' && hasLiterals) return undefined
  const detail = `has ${JSON.stringify(text)}, not ${JSON.stringify(segment)}`
  if (segment.toLowerCase() === text.toLowerCase()) return { distance: 0, detail: `${detail}: case matters` }
  return { distance: similar(segment, [text]) === undefined ? 1 : 0.5, detail }
}
