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
} from './conditions.ts'
import { markEscapes, mountPointOf, safeLocation, withQuery } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { markedValues, type NearMiss, NO_SELECTION, Selector, splitPath, type Target } from './selection.ts'
import { type Candidates, inOrder, type Tree } from './tree.ts'
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

const NONE: NoResolution = Object.freeze({ kind: 'none' })
const NO_METHODS: readonly string[] = Object.freeze([])
const NO_CONTEXT: RouteContext = Object.freeze({})

/** Resolves requests against the routes of a tree. */
export class Resolver {
  readonly tree: Tree
  readonly #settings: ResolverSettings
  readonly #selector: Selector

  constructor(tree: Tree, settings: ResolverSettings) {
    this.tree = tree
    this.#settings = settings
    this.#selector = new Selector(tree, settings.subDomains)
  }

  /** See {@link Mapper.resolve}. */
  resolve(
    method: string,
    rawPath: string,
    context: RouteContext = NO_CONTEXT,
    target = this.#target(rawPath),
  ): Resolution {
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

  /** See {@link Mapper.lookup}. */
  lookup(rawPath: string, context: RouteContext = NO_CONTEXT): PathLookup {
    const found = this.#target(rawPath)
    const target = found && { ...found, candidates: this.#candidates(found) }
    const refused = target ? this.#selector.select(0, target, context).refused : 0
    return {
      methods: this.#settings.methods.names(refused),
      resolve: (method) => this.resolve(method, rawPath, context, target),
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
    const { leaf, match } = this.#selector.select(EVERY_ROUTE, target, context)
    return leaf && [match, leaf.route]
  }

  /** Returns why the routes whose path has the right shape do not match, in the order of definition. */
  rejections(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): NearMiss[] {
    const target = this.#target(rawPath)
    if (target === undefined) return []
    return inOrder(this.#candidates(target))
      .filter(({ leaf }, index, all) => leaf !== all[index - 1]?.leaf)
      .flatMap(
        ({ leaf, texts }) => this.#selector.rejection(leaf, texts, method, target.escaped, context) ?? [],
      )
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
    return { path, escaped, alternative, candidates: undefined }
  }

  #candidates({ path, escaped, alternative }: Target): readonly Candidates[] {
    const found = this.tree.find(path, escaped)
    return alternative === undefined ? found : [...found, ...this.tree.find(alternative, escaped)]
  }

  #choose(method: string, target: Target, context: RouteContext): Resolution {
    const { methods } = this.#settings
    const bit = methods.bits.get(method) ?? 0
    const first = this.#selector.select(bit | ANY_METHOD | (bit === HEAD_BIT ? GET_BIT : 0), target, context)
    if (first.leaf === null) {
      return first.refused === 0 ? NONE : { kind: 'method', allow: methods.allow(first.refused) }
    }
    // A route that names HEAD takes precedence over one that only has GET.
    const isOnlyGet = bit === HEAD_BIT && (first.leaf.route.methodMask & (HEAD_BIT | ANY_METHOD)) === 0
    const named =
      isOnlyGet && (this.tree.methodMask & HEAD_BIT) !== 0
        ? this.#selector.select(HEAD_BIT, target, context)
        : NO_SELECTION
    const { match, values } = named.leaf === null ? first : named
    const { route, expansion } = named.leaf ?? first.leaf
    if (route.redirect) {
      const location = redirectLocation(route, match, context)
      return location === null ? NONE : { kind: 'redirect', location, status: route.redirect.status }
    }
    const allow = first.refused === 0 || named.leaf !== null ? NO_METHODS : methods.allow(first.refused)
    const marked = target.escaped ? markedValues(target, expansion, values) : undefined
    if (!route.pathInfo) {
      return { kind: 'match', route, match, marked, allow, scriptName: undefined, pathInfo: undefined }
    }
    const { scriptName, pathInfo } = splitPath(target, expansion, values, match.path_info)
    return { kind: 'match', route, match, marked, allow, scriptName, pathInfo }
  }
}

function withOtherSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}
