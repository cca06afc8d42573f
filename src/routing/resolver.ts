/**
 * Resolving requests: among the routes whose path matches, the first that accepts the method and fulfils its conditions.
 *
 * @module
 */

import {
  ANY_METHOD,
  acceptsText,
  type ControllerNames,
  EVERY_ROUTE,
  GET_BIT,
  HEAD_BIT,
  type MethodSet,
  parseHost,
  type SubDomainSettings,
  subDomainMatches,
} from './conditions.ts'
import type { Parameter } from './pattern.ts'
import { decodeMarked, encodePath, markEscapes, safeLocation, withQuery } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { matchOf, Selection, splitPath, type Target } from './selection.ts'
import type { Candidates, Leaf, Tree } from './tree.ts'
import { redirectLocation } from './url-path.ts'

/** A route matches. */
export interface MatchResolution {
  readonly kind: 'match'
  readonly route: Route
  /** The values; no prototype. */
  readonly match: Match
  /** The `Allow` field for the routes defined earlier whose path matches but whose method does not; usually empty. */
  readonly allow: readonly string[]
  /** For a route with `path_info`: the decoded path before it, which becomes part of SCRIPT_NAME. */
  readonly scriptName: string | undefined
  /** For a route with `path_info`: the rest of the decoded path, beginning with a slash. */
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

/** How to treat a path that matches only with, or only without, a trailing slash. */
export type TrailingSlash = 'strict' | 'redirect' | 'ignore'

/** The routes at a path, looked up once for several methods. */
export interface PathLookup {
  /** The methods that the routes name themselves, sorted. */
  readonly methods: readonly string[]
  /** As {@link Mapper.resolve}. */
  resolve(method: string): Resolution
}

/** The settings of a resolver. */
export interface ResolverSettings {
  readonly methods: MethodSet
  readonly subDomains: SubDomainSettings
  readonly trailingSlash: TrailingSlash
  /** Longer raw paths match nothing. */
  readonly maxPathLength: number
}

/** Why a route whose path has the right shape does not match. */
export interface Rejection {
  readonly route: Route
  readonly condition: 'requirement' | 'subDomain' | 'method' | 'function'
  /** The reason, as a phrase that follows the route. */
  readonly detail: string
}

const NONE: NoResolution = Object.freeze({ kind: 'none' })
const NO_METHODS: readonly string[] = Object.freeze([])
const NO_CONTEXT: RouteContext = Object.freeze({})

/** Resolves requests against the routes of a tree. */
export class Resolver {
  readonly tree: Tree
  readonly #settings: ResolverSettings
  /** A selection to use again. Null while it is in use: a condition function may resolve another path. */
  #spare: Selection | null = null

  constructor(tree: Tree, settings: ResolverSettings) {
    this.tree = tree
    this.#settings = settings
  }

  get controllers(): ControllerNames | null {
    return this.tree.controllers
  }

  /** See {@link Mapper.resolve}. */
  resolve(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Resolution {
    return this.#resolve(method, rawPath, this.#target(rawPath), context)
  }

  /** See {@link Mapper.lookup}. */
  lookup(rawPath: string, context: RouteContext = NO_CONTEXT): PathLookup {
    const found = this.#target(rawPath)
    const target = found && { ...found, candidates: found.candidates ?? this.#candidates(found) }
    const refused = target ? this.#select(0, target, context).refused : 0
    return {
      methods: this.#settings.methods.names(refused),
      resolve: (method) => this.#resolve(method, rawPath, target, context),
    }
  }

  /** See {@link Mapper.routematch}. Without a method, every route accepts the request. */
  first(
    method: string | undefined,
    rawPath: string,
    context: RouteContext = NO_CONTEXT,
  ): [Match, Route] | null {
    const target = this.#target(rawPath)
    if (target === undefined) return null
    if (method !== undefined) {
      const found = this.#choose(method, target, context)
      return found.kind === 'match' ? [found.match, found.route] : null
    }
    const { leaf, match } = this.#select(EVERY_ROUTE, target, context)
    return leaf && match && [match, leaf.route]
  }

  /** Returns why the routes whose path has the right shape do not match, in the order of definition. */
  rejections(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Rejection[] {
    const target = this.#target(rawPath)
    if (target === undefined) return []
    return this.#candidates(target)
      .flatMap(({ leaves, texts }) => leaves.map((leaf) => ({ leaf, texts })))
      .sort((a, b) => a.leaf.order - b.leaf.order)
      .filter(({ leaf }, index, all) => leaf !== all[index - 1]?.leaf)
      .flatMap(({ leaf, texts }) => this.#rejection(leaf, texts, method, target.escaped, context) ?? [])
  }

  #target(rawPath: string): Target | undefined {
    if (rawPath.length > this.#settings.maxPathLength) return undefined
    const raw = rawPath || '/'
    const candidates = this.tree.fixed(raw)
    const path = candidates === undefined ? markEscapes(raw) : raw
    if (path === undefined) return undefined
    const ignoresSlash = this.#settings.trailingSlash === 'ignore' && path !== '/'
    if (!ignoresSlash) return { path, escaped: path !== raw, alternative: undefined, candidates }
    return { path, escaped: path !== raw, alternative: withOtherSlash(path), candidates: undefined }
  }

  #candidates({ path, escaped, alternative }: Target): readonly Candidates[] {
    const found = this.tree.find(path, escaped)
    return alternative === undefined ? found : [...found, ...this.tree.find(alternative, escaped)]
  }

  #resolve(method: string, rawPath: string, target: Target | undefined, context: RouteContext): Resolution {
    const found = target === undefined ? NONE : this.#choose(method, target, context)
    if (found.kind !== 'none' || this.#settings.trailingSlash !== 'redirect') return found
    const other = withOtherSlash(rawPath)
    const otherTarget = other === '' ? undefined : this.#target(other)
    if (otherTarget === undefined) return NONE
    const elsewhere = this.#choose(method, otherTarget, context)
    if (elsewhere.kind !== 'match' && elsewhere.kind !== 'redirect') return elsewhere
    const location = safeLocation(encodePath(context.scriptName ?? '') + other)
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    return { kind: 'redirect', location: withQuery(location, context.query), status }
  }

  #choose(method: string, target: Target, context: RouteContext): Resolution {
    const { methods } = this.#settings
    const bit = methods.bit(method)
    const wanted = bit | ANY_METHOD | (bit === HEAD_BIT ? GET_BIT : 0)
    const selection = this.#select(wanted, target, context)
    const { leaf, match, refused, texts } = selection
    if (leaf === null || match === null) {
      return refused === 0 ? NONE : { kind: 'method', allow: methods.allow(refused) }
    }
    const isGet = bit === HEAD_BIT && (leaf.route.methodMask & (HEAD_BIT | ANY_METHOD)) === 0
    if (isGet && (this.tree.methodMask & HEAD_BIT) !== 0) {
      // A route that names HEAD takes precedence over one that only has GET.
      const named = this.#select(HEAD_BIT, target, context)
      if (named.leaf && named.match)
        return this.#resolution(named.leaf, named.match, named.texts, 0, target, context)
    }
    return this.#resolution(leaf, match, texts, refused, target, context)
  }

  #resolution(
    { route, expansion }: Leaf,
    match: Match,
    texts: readonly string[],
    refused: number,
    target: Target,
    context: RouteContext,
  ): Resolution {
    if (route.redirect) {
      const location = redirectLocation(route, match, context)
      return location === null ? NONE : { kind: 'redirect', location, status: route.redirect.status }
    }
    const allow = refused === 0 ? NO_METHODS : this.#settings.methods.allow(refused)
    if (!route.pathInfo) {
      return { kind: 'match', route, match, allow, scriptName: undefined, pathInfo: undefined }
    }
    const { scriptName, pathInfo } = splitPath(target, expansion.parts, texts, match.path_info)
    return { kind: 'match', route, match, allow, scriptName, pathInfo }
  }

  #select(wanted: number, target: Target, context: RouteContext): Selection {
    const selection = this.#spare ?? new Selection(this.tree, this.#settings.subDomains)
    this.#spare = null
    selection.make(wanted, target, context)
    this.#spare = selection
    return selection
  }

  #rejection(
    { route, expansion }: Leaf,
    texts: readonly string[],
    method: string,
    escaped: boolean,
    context: RouteContext,
  ): Rejection | undefined {
    for (const [index, parameter] of expansion.parameters.entries()) {
      const text = texts[index] ?? ''
      if (acceptsText(parameter, text, escaped, this.controllers)) continue
      return { route, condition: 'requirement', detail: unacceptable(parameter, decodeMarked(text)) }
    }
    const { subDomains } = this.#settings
    const { subDomain } = parseHost(context.host ?? '', subDomains)
    if (!subDomainMatches(route.subDomain, subDomain)) {
      const wanted = Array.isArray(route.subDomain)
        ? route.subDomain.join(' or ')
        : route.subDomain
          ? 'one'
          : 'none'
      const detail = `requires the sub-domain ${wanted}; the host is ${context.host ?? 'unknown'}`
      return { route, condition: 'subDomain', detail }
    }
    const { methods } = route
    if (methods !== null && !methods.includes(method) && !(method === 'HEAD' && methods.includes('GET'))) {
      return { route, condition: 'method', detail: `takes ${methods.join(', ')}, not ${method}` }
    }
    const match = matchOf(route, expansion, texts, escaped, this.controllers)
    if (subDomains.enabled) match.subDomain = subDomain
    if (route.condition === undefined || route.condition(context, match)) return undefined
    return { route, condition: 'function', detail: 'its condition function returned false' }
  }
}

function withOtherSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

function unacceptable({ name, controller, requirement }: Parameter, value: string): string {
  const shown = JSON.stringify(value)
  if (controller) return `${shown} is not a known controller`
  return requirement
    ? `${name} = ${shown} does not match ${requirement.source}`
    : `${name} cannot be ${shown}`
}
