/**
 * Diagnosis: the table of routes, routes that can never be reached, and routes that nearly match.
 *
 * @module
 */

import { shownPlaces } from '../base/place.ts'
import { editDistance, nearest } from '../base/suggest.ts'
import { ANY_METHOD, type ControllerNames } from './conditions.ts'
import { accepts, type Expansion, isBare, type PathPart, valueIn } from './pattern.ts'
import { markEscapes } from './percent.ts'
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

/**
 * Returns the routes nearest to a request that none of them matches: first those whose path matches, then those whose
 * path is similar.
 *
 * @param rejections - of the routes whose path matches.
 * @param path - percent-encoded.
 * @param controllers - the known controllers, or `null` if any name is accepted.
 */
export function nearMisses(
  routes: readonly Route[],
  rejections: readonly NearMiss[],
  path: string,
  controllers: ControllerNames | null,
): NearMiss[] {
  if (path.length < 2 || markEscapes(path) === undefined) return [...rejections]
  const rejected = new Set(rejections.map(({ route }) => route))
  const near = routes
    .filter((route) => !rejected.has(route))
    .flatMap((route) =>
      route.expansions
        .flatMap(({ parts }) => nearest(path, filled(parts, path, controllers)) ?? [])
        // Only an unknown controller keeps a route from the path itself.
        .filter((meant) => meant !== path || route.parameter('controller') !== undefined)
        .map((meant) => ({ route, meant, distance: editDistance(path, meant) }))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, 1),
    )
    .sort((a, b) => a.distance - b.distance)
    .map(({ route, meant }) => {
      const detail = meant === path ? 'the path has no known controller' : `would match ${JSON.stringify(meant)}`
      return { route, condition: 'path' as const, detail, meant }
    })
  return [...rejections, ...near].slice(0, MAX_NEAR_MISSES)
}

/**
 * Returns the path of a route with the values that another path has in the same segments. None if that path lacks one.
 * The name of a parameter is compared as a part of a segment.
 */
function filled(parts: readonly PathPart[], path: string, controllers: ControllerNames | null): string[] {
  const given = path.split('/')
  const segments = segmentsOf(parts).map((segment, index) => {
    const [only, ...others] = segment
    if (only?.kind !== 'parameter' || others.length > 0) {
      return segment.map((part) => (part.kind === 'literal' ? part.text : `{${part.name}}`)).join('')
    }
    const value = given[index]
    if (!value || !only.controller || controllers === null || controllers.find(value) !== undefined) return value
    return nearest(value, controllers.texts()) ?? value
  })
  return segments.includes(undefined) ? [] : [segments.join('/')]
}
