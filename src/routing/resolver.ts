/**
 * Resolving requests: among the routes whose path matches, the first that accepts the method and fulfils its
 * conditions.
 *
 * @module
 */

import { isRead } from '../base/methods.ts'
import {
  ANY_METHOD,
  EVERY_ROUTE,
  GET_BIT,
  HEAD_BIT,
  type MethodSet,
  type SubDomainSettings,
  subDomainMatches,
  subDomainOf,
} from './conditions.ts'
import { type Expansion, type Parameter, valueIn } from './pattern.ts'
import { decodeMarked, markEscapes, markerOf, mountPointOf, safeLocation, withQuery } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { Collector, inOrder, type Leaf, type Tree } from './tree.ts'
import { redirectLocation } from './url-path.ts'

/** A route matches. */
export interface MatchResolution {
  readonly kind: 'match'
  readonly route: Route
  /** The values; no prototype. */
  readonly match: Match
  /** The values before their escapes are decoded, as marked text. Undefined if no comma of the path is escaped. */
  readonly marked: ReadonlyMap<string, string> | undefined
  /** The `Allow` field for the routes defined earlier whose path matches but whose method does not; usually empty. */
  readonly allow: readonly string[]
  /** For a route with `path_info`: the decoded path before it, which becomes part of SCRIPT_NAME. */
  readonly scriptName: string | undefined
  /**
   * For a route with `path_info`: the rest of the decoded path, which begins with a slash, or is empty at the mount
   * point.
   */
  readonly pathInfo: string | undefined
}

/** A path matches, but no route accepts the method: 405, or the response to OPTIONS. */
export interface MethodResolution {
  readonly kind: 'method'
  /** Complete and sorted, with HEAD wherever GET is, and OPTIONS. */
  readonly allow: readonly string[]
}

/** The request is redirected. */
export interface RedirectResolution {
  readonly kind: 'redirect'
  /** A path on this host, with the mount point and the query, or the absolute URL of a redirect route. */
  readonly location: string
  readonly status: number
}

/** No route matches the path. */
export interface NoResolution {
  readonly kind: 'none'
}

export type Resolution = MatchResolution | MethodResolution | RedirectResolution | NoResolution

/** Treatment of a path that matches only with, or only without, a trailing slash. */
export type TrailingSlash = 'strict' | 'redirect' | 'ignore'

/** The settings of a resolver. */
export interface ResolverSettings {
  readonly methods: MethodSet
  readonly subDomains: SubDomainSettings
  readonly trailingSlash: TrailingSlash
  /** Longer raw paths match nothing. */
  readonly maxPathLength: number
}

/** A path to resolve. */
export interface Target {
  /** Marked text. */
  readonly path: string
  /** True if the raw path contained an escape. */
  readonly escaped: boolean
  /** The same path with, or without, a trailing slash, if that makes no difference. */
  readonly alternative: string | undefined
}

/** The first route that accepts a request. */
export interface Selection {
  /** Null if there is none. */
  readonly leaf: Leaf | null
  readonly match: Match
  /** The decoded values of the path. */
  readonly values: readonly string[]
  /** The methods of the routes that match the path but not the method: those before `leaf`, or all if it is null. */
  readonly refused: number
  /** Whether every request with this path and method selects it, whatever its host and its environ. */
  readonly isFixed: boolean
}

/** The routes of a path, as far as they are the same for all its requests. */
interface KnownPath {
  /** The methods that its routes name, if they were looked up. */
  readonly methods?: readonly string[]
  /** The route of the latest method. */
  readonly route?: KnownRoute
}

interface KnownRoute {
  readonly method: string
  readonly leaf: Leaf
  readonly values: readonly string[]
  readonly resolution: MatchResolution
}

/** Number and length of the paths that are remembered: clients choose them, and a path may keep its whole URL alive. */
const MAX_CACHED = 512
const MAX_CACHED_LENGTH = 128

/** A route that does not match a request, but nearly. */
export interface NearMiss {
  readonly route: Route
  /** The condition that failed. */
  readonly condition: 'path' | 'requirement' | 'subDomain' | 'method' | 'function'
  /** The reason, as a phrase that follows the route. */
  readonly detail: string
  /** A path that the route matches, percent-encoded. It has the names of parameters where values are not known. */
  readonly meant?: string
}

const NO_MATCH: Match = Object.freeze({})
const NO_SELECTION: Selection = { leaf: null, match: NO_MATCH, values: [], refused: 0, isFixed: true }
const NONE: NoResolution = Object.freeze({ kind: 'none' })
const NOT_SPLIT = { scriptName: undefined, pathInfo: undefined }
const NO_METHODS: readonly string[] = Object.freeze([])
const NO_CONTEXT: RouteContext = Object.freeze({})

/** Resolves requests against the routes of a tree. */
export class Resolver {
  readonly tree: Tree
  readonly #settings: ResolverSettings
  /** By raw path. Most requests are for few paths. */
  readonly #known = new Map<string, KnownPath>()

  constructor(tree: Tree, settings: ResolverSettings) {
    this.tree = tree
    this.#settings = settings
  }

  /** See {@link Mapper.resolve}. */
  resolve(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Resolution {
    const known = this.#known.get(rawPath)?.route
    if (known?.method === method) {
      const { leaf, values, resolution } = known
      return { ...resolution, match: this.#matchOf(leaf, values, context) }
    }
    const target = this.#target(rawPath)
    const found = target === undefined ? NONE : this.#choose(method, target, context)
    if (found.kind !== 'none' || this.#settings.trailingSlash !== 'redirect') return found
    const other = withOtherSlash(rawPath)
    const otherTarget = other === '' ? undefined : this.#target(other)
    if (otherTarget === undefined) return NONE
    const elsewhere = this.#choose(method, otherTarget, context)
    if (elsewhere.kind !== 'match' && elsewhere.kind !== 'redirect') return elsewhere
    const location = safeLocation(mountPointOf(context) + other)
    const status = isRead(method) ? 301 : 308
    return { kind: 'redirect', location: withQuery(location, context.query), status }
  }

  /** See {@link Mapper.methodsAt}. */
  methodsAt(rawPath: string, context: RouteContext = NO_CONTEXT): readonly string[] {
    const known = this.#known.get(rawPath)?.methods
    if (known !== undefined) return known
    const target = this.#target(rawPath)
    const { refused, isFixed } = target ? this.#select(0, target, context) : NO_SELECTION
    const methods = this.#settings.methods.names(refused)
    if (target !== undefined && isFixed && refused !== 0) this.#remember(target, { methods })
    return methods
  }

  /** See {@link Mapper.routematch}. Without a method, every route accepts the request. */
  first(method: string | undefined, rawPath: string, context: RouteContext = NO_CONTEXT): [Match, Route] | null {
    const target = this.#target(rawPath)
    if (target === undefined) return null
    if (method !== undefined) {
      const found = this.#choose(method, target, context)
      return found.kind === 'match' ? [found.match, found.route] : null
    }
    const { leaf, match } = this.#select(EVERY_ROUTE, target, context)
    return leaf && [match, leaf.route]
  }

  /** Returns why the routes whose path has the right shape do not match, in the order of definition. */
  rejections(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): NearMiss[] {
    const target = this.#target(rawPath)
    if (target === undefined) return []
    const { path, escaped, alternative } = target
    const others = alternative === undefined ? [] : this.tree.find(alternative, escaped)
    return inOrder([...this.tree.find(path, escaped), ...others])
      .filter(({ leaf }, index, all) => leaf !== all[index - 1]?.leaf)
      .flatMap(({ leaf, texts }) => this.#rejection(leaf, texts, method, escaped, context) ?? [])
  }

  /** Returns undefined for a path that matches nothing because it is too long or cannot be decoded. */
  #target(rawPath: string): Target | undefined {
    const { maxPathLength, trailingSlash } = this.#settings
    if (rawPath.length > maxPathLength) return undefined
    const raw = rawPath || '/'
    const escaped = raw.includes('%')
    const path = escaped || !raw.isWellFormed() ? markEscapes(raw) : raw
    if (path === undefined) return undefined
    const alternative = trailingSlash === 'ignore' && path !== '/' ? withOtherSlash(path) : undefined
    return { path, escaped, alternative }
  }

  #choose(method: string, target: Target, context: RouteContext): Resolution {
    const { methods } = this.#settings
    const bit = methods.bits.get(method) ?? 0
    const first = this.#select(bit | ANY_METHOD | (bit === HEAD_BIT ? GET_BIT : 0), target, context)
    if (first.leaf === null) {
      return first.refused === 0 ? NONE : { kind: 'method', allow: methods.allow(first.refused) }
    }
    // A route that names HEAD takes precedence over one that only has GET.
    const isOnlyGet = bit === HEAD_BIT && (first.leaf.route.methodMask & (HEAD_BIT | ANY_METHOD)) === 0
    const named =
      isOnlyGet && (this.tree.methodMask & HEAD_BIT) !== 0 ? this.#select(HEAD_BIT, target, context) : NO_SELECTION
    const { match, values } = named.leaf === null ? first : named
    const leaf = named.leaf ?? first.leaf
    const { route, expansion } = leaf
    if (route.redirect) {
      const location = redirectLocation(route, match, context)
      return location === null ? NONE : { kind: 'redirect', location, status: route.redirect.status }
    }
    const allow = first.refused === 0 || named.leaf !== null ? NO_METHODS : methods.allow(first.refused)
    const marked = target.escaped ? markedValues(target, expansion, values) : undefined
    const { scriptName, pathInfo } = route.pathInfo ? splitPath(target, expansion, values, match.path_info) : NOT_SPLIT
    const resolution = { kind: 'match', route, match, marked, allow, scriptName, pathInfo } as const
    if (first.isFixed && named.isFixed) this.#remember(target, { route: { method, leaf, values, resolution } })
    return resolution
  }

  #remember({ path, escaped }: Target, known: KnownPath): void {
    if (escaped || path.length > MAX_CACHED_LENGTH) return
    if (this.#known.size === MAX_CACHED) this.#known.clear()
    this.#known.set(path, { ...this.#known.get(path), ...known })
  }

  /** @param wanted - the methods to accept, with {@link ANY_METHOD} for routes that accept any; 0 to refuse all. */
  #select(wanted: number, target: Target, context: RouteContext): Selection {
    const { path, escaped, alternative } = target
    const found = new Collector(this.tree.controllers, this.#settings.subDomains, wanted, escaped, context)
    this.tree.walk(path, escaped, found)
    if (alternative !== undefined) this.tree.walk(alternative, escaped, found)
    const { bound, leaf, values, isFixed } = found
    let { refused } = found
    for (const one of found.conditional?.sort((a, b) => a.leaf.order - b.leaf.order) ?? []) {
      const { condition, methodMask } = one.leaf.route
      if (one.leaf.order >= bound) break
      const match = this.#matchOf(one.leaf, one.values, context)
      if (!condition?.(context, match)) continue
      if ((methodMask & wanted) !== 0)
        return { ...one, match, refused: methodsBefore(one.leaf.order, refused ?? []), isFixed: false }
      refused = [...(refused ?? []), one.leaf]
    }
    if (leaf === null && refused === null) return NO_SELECTION
    const match = leaf === null ? NO_MATCH : this.#matchOf(leaf, values, context)
    return { leaf, match, values, refused: refused === null ? 0 : methodsBefore(bound, refused), isFixed }
  }

  /** Returns the defaults of a route and the values of its parameters. */
  #matchOf({ route, expansion }: Leaf, values: readonly string[], context: RouteContext): Match {
    const match: Match = Object.create(null)
    for (const [name, value] of route.defaultEntries) match[name] = value
    let index = 0
    for (const { name } of expansion.parameters) {
      const value = values[index++] ?? ''
      if (value !== '' || !match[name]) match[name] = value
    }
    // A mount point itself has nothing behind it.
    for (const name of expansion.absent) match[name] ??= name === 'path_info' ? '' : null
    if (this.#settings.subDomains.enabled) match.subDomain = subDomainOf(context, this.#settings.subDomains)
    return match
  }

  /** Returns why a leaf whose path has the right shape does not accept a request, or undefined if it does. */
  #rejection(
    leaf: Leaf,
    texts: readonly string[],
    method: string,
    escaped: boolean,
    context: RouteContext,
  ): NearMiss | undefined {
    const { route, expansion } = leaf
    const values: string[] = []
    for (const [index, parameter] of expansion.parameters.entries()) {
      const text = texts[index] ?? ''
      const value = valueIn(parameter, text, escaped, this.tree.controllers)
      if (value === undefined)
        return { route, condition: 'requirement', detail: unacceptable(parameter, decodeMarked(text)) }
      values.push(value)
    }
    const { methods, subDomain } = route
    if (!subDomainMatches(subDomain, subDomainOf(context, this.#settings.subDomains))) {
      const wanted = Array.isArray(subDomain) ? subDomain.join(' or ') : subDomain ? 'one' : 'none'
      const detail = `requires the sub-domain ${wanted}; the host is ${context.host ?? 'unknown'}`
      return { route, condition: 'subDomain', detail }
    }
    if (methods !== null && !methods.includes(method) && !(method === 'HEAD' && methods.includes('GET'))) {
      return { route, condition: 'method', detail: `takes ${methods.join(', ')}, not ${method}` }
    }
    if (route.condition === undefined || route.condition(context, this.#matchOf(leaf, values, context)))
      return undefined
    return { route, condition: 'function', detail: 'its condition function returned false' }
  }
}

function withOtherSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

function unacceptable({ name, controller, requirement }: Parameter, value: string): string {
  const shown = JSON.stringify(value)
  if (controller) return `${shown} is not a known controller`
  return requirement ? `${name} = ${shown} does not match ${requirement.source}` : `${name} cannot be ${shown}`
}

/** Returns the mask of the methods of leaves before a place in the order of definition. */
function methodsBefore(order: number, leaves: readonly Leaf[]): number {
  return leaves.reduce((mask, leaf) => (leaf.order < order ? mask | leaf.route.methodMask : mask), 0)
}

/** Splits a path where `path_info` begins, into SCRIPT_NAME and PATH_INFO. */
function splitPath(
  { path, escaped }: Target,
  expansion: Expansion,
  values: readonly string[],
  fallback: string | null | undefined,
): { readonly scriptName: string; readonly pathInfo: string } {
  const decoded = escaped ? decodeMarked(path) : path
  const start = placesOf(expansion, values).get('path_info')?.[0]
  if (start !== undefined) {
    const cut = path[start - 1] === '/' ? start - 1 : start
    const pathInfo = cut === decoded.length ? '' : withSlash(decoded.slice(cut))
    return { scriptName: decoded.slice(0, cut), pathInfo }
  }
  if (expansion.absent.includes('path_info')) return { scriptName: decoded, pathInfo: '' }
  return { scriptName: decoded, pathInfo: withSlash(fallback ?? '') }
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * Returns the marked values of a path with an escaped comma, which belongs to an item of a list. Undefined for other
 * paths.
 */
function markedValues(
  { path }: Target,
  expansion: Expansion,
  values: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (!path.includes(COMMA)) return undefined
  return new Map([...placesOf(expansion, values)].map(([name, [start, end]]) => [name, path.slice(start, end)]))
}

const COMMA = markerOf(',')

/** Returns where the values are in a path, by name. Decoded values are as long as in the path. */
function placesOf({ parts }: Expansion, values: readonly string[]): ReadonlyMap<string, [number, number]> {
  const places = new Map<string, [number, number]>()
  let end = 0
  let index = 0
  for (const part of parts) {
    const start = end
    end += part.kind === 'literal' ? part.text.length : (values[index++]?.length ?? 0)
    if (part.kind === 'parameter') places.set(part.name, [start, end])
  }
  return places
}
