/**
 * Choosing among the routes whose path fits: values, conditions, methods, redirects.
 *
 * @module
 */

import { Choice } from './choice.ts'
import type { ControllerNames } from './controllers.ts'
import { acceptsText } from './demands.ts'
import { matchOf } from './match-values.ts'
import { ANY_METHOD, EVERY_ROUTE, GET_BIT, HEAD_BIT, type MethodSet } from './methods.ts'
import type { Match, RouteContext } from './options.ts'
import type { Parameter, Piece } from './pattern.ts'
import { decoded, encodePath, safeLocation, unfold } from './percent.ts'
import { redirectLocation, withQuery } from './redirect.ts'
import type { MatchResolution, NoResolution, Resolution } from './resolution.ts'
import type { Route } from './route.ts'
import { hostParts, type SubDomainSettings, subDomainFits } from './subdomain.ts'
import type { Candidate, Tree } from './tree.ts'
import type { Entry } from './tree-node.ts'

/** What a path with or without a trailing slash is to its twin. */
export type TrailingSlash = 'strict' | 'redirect' | 'ignore'

/** What the choice depends on beside the request. */
export interface ResolverSettings {
  readonly controllers: ControllerNames | null
  readonly methods: MethodSet
  readonly subDomains: SubDomainSettings
  readonly trailingSlash: TrailingSlash
  readonly maxPathLength: number
}

const NONE: NoResolution = Object.freeze({ kind: 'none' })
const NO_METHODS: readonly string[] = Object.freeze([])
const NO_CONTEXT: RouteContext = Object.freeze({})

/** Why a route whose path has the right shape does not take a request. */
export interface Rejection {
  readonly route: Route
  readonly condition: 'requirement' | 'subDomain' | 'method' | 'function'
  /** In words, to stand behind the route. */
  readonly detail: string
}

/** Answers requests from one state of the routes. */
export class Resolver {
  readonly tree: Tree
  readonly #settings: ResolverSettings
  /** Null while it is in use: a condition function may ask the mapper about another path. */
  #spare: Choice | null = null

  constructor(tree: Tree, settings: ResolverSettings) {
    this.tree = tree
    this.#settings = settings
  }

  get controllers(): ControllerNames | null {
    return this.#settings.controllers
  }

  /** See {@link Mapper.resolve}. */
  resolve(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Resolution {
    const found = this.#choose(method, rawPath, context)
    if (found.kind !== 'none' || this.#settings.trailingSlash !== 'redirect') return found
    return this.#twin(method, rawPath, context)
  }

  /** See {@link Mapper.routematch}. Without a method any will do. */
  first(
    method: string | undefined,
    rawPath: string,
    context: RouteContext = NO_CONTEXT,
  ): [Match, Route] | null {
    if (method !== undefined) {
      const found = this.#choose(method, rawPath, context)
      return found.kind === 'match' ? [found.match, found.route] : null
    }
    const choice = this.#choice(EVERY_ROUTE, rawPath, context)
    return choice?.entry && choice.match ? [choice.match, choice.entry.route] : null
  }

  /** See {@link Mapper.methodsAt}. */
  methodsAt(rawPath: string, context: RouteContext = NO_CONTEXT): readonly string[] {
    const { trailingSlash, maxPathLength } = this.#settings
    if (rawPath.length > maxPathLength) return NO_METHODS
    // The path that means the same may lead elsewhere.
    const known = trailingSlash === 'ignore' ? undefined : this.tree.fixed(rawPath)?.methods
    const missed = known ?? this.#choice(0, rawPath, context)?.missed ?? 0
    return missed === 0 ? NO_METHODS : this.#settings.methods.explicit(missed)
  }

  /** Why the routes whose path has the right shape do not take a request; in order. */
  rejections(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Rejection[] {
    if (rawPath.length > this.#settings.maxPathLength) return []
    const raw = rawPath || '/'
    const path = unfold(raw)
    if (path === undefined) return []
    const escaped = path !== raw
    return this.#candidates(path, escaped).flatMap(
      (candidate) => this.#rejection(candidate, method, escaped, context) ?? [],
    )
  }

  #rejection(
    { entry, texts }: Candidate,
    method: string,
    escaped: boolean,
    context: RouteContext,
  ): Rejection | undefined {
    const { route, variant } = entry
    for (const [index, parameter] of variant.parameters.entries()) {
      const text = texts[index] ?? ''
      if (acceptsText(parameter, text, escaped, this.controllers)) continue
      return { route, condition: 'requirement', detail: unfit(parameter, escaped ? decoded(text) : text) }
    }
    const { methods, subDomain } = route
    if (
      subDomain !== undefined &&
      !subDomainFits(subDomain, hostParts(context.host ?? '', this.#settings.subDomains).subDomain)
    ) {
      const wanted =
        subDomain === true ? 'a sub-domain' : subDomain === false ? 'no sub-domain' : subDomain.join(' or ')
      return {
        route,
        condition: 'subDomain',
        detail: `the host ${context.host ?? '(none)'} does not have ${wanted}`,
      }
    }
    const taken =
      methods === null || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))
    if (!taken) return { route, condition: 'method', detail: `takes ${methods.join(', ')}, not ${method}` }
    if (route.condition === undefined) return undefined
    const match = matchOf(entry, texts, escaped, this.controllers, this.#subDomain(context))
    return route.condition(context, match)
      ? undefined
      : { route, condition: 'function', detail: 'its condition function says no' }
  }

  #subDomain({ host = '' }: RouteContext): string | null | undefined {
    const { subDomains } = this.#settings
    return subDomains.enabled ? hostParts(host, subDomains).subDomain : undefined
  }

  #candidates(path: string, escaped: boolean): readonly Candidate[] {
    const found = this.tree.find(path, escaped)
    const twin = this.#alike(path)
    if (twin === undefined) return found
    const others = this.tree
      .find(twin, escaped)
      .filter(({ entry }) => !found.some((other) => other.entry === entry))
    return [...found, ...others].sort((a, b) => a.entry.order - b.entry.order)
  }

  /** The path that means the same, where a slash at the end makes no difference. */
  #alike(path: string): string | undefined {
    return this.#settings.trailingSlash !== 'ignore' || path === '/' ? undefined : twinOf(path)
  }

  /** @param wanted - see {@link Choice}. */
  #choice(wanted: number, rawPath: string, context: RouteContext): Choice | undefined {
    if (rawPath.length > this.#settings.maxPathLength) return undefined
    const raw = rawPath || '/'
    const fixed = this.tree.fixed(raw)
    const path = fixed === undefined ? unfold(raw) : raw
    if (path === undefined) return undefined
    const choice = this.#spare ?? new Choice(this.tree, this.#settings.subDomains)
    this.#spare = null
    choice.make(path, this.#alike(path), fixed?.found, path !== raw, wanted, context)
    this.#spare = choice
    return choice
  }

  #choose(method: string, rawPath: string, context: RouteContext): Resolution {
    const { methods } = this.#settings
    const bit = methods.bit(method)
    const wanted = bit | ANY_METHOD | (bit === HEAD_BIT ? GET_BIT : 0)
    const choice = this.#choice(wanted, rawPath, context)
    if (choice === undefined) return NONE
    const { entry, match, missed } = choice
    if (entry === null || match === null)
      return missed === 0 ? NONE : { kind: 'method', allow: methods.allow(missed) }
    if (bit === HEAD_BIT && (entry.route.methodMask & (HEAD_BIT | ANY_METHOD)) === 0) {
      const explicit = this.#explicitHead(rawPath, context)
      if (explicit !== undefined) return explicit
    }
    return this.#resolved(choice, entry, match, missed, context)
  }

  /** A route that names HEAD wins over one that only has GET, wherever it stands. */
  #explicitHead(rawPath: string, context: RouteContext): Resolution | undefined {
    if ((this.tree.methodMask & HEAD_BIT) === 0) return undefined
    const choice = this.#choice(HEAD_BIT, rawPath, context)
    return choice?.entry && choice.match
      ? this.#resolved(choice, choice.entry, choice.match, 0, context)
      : undefined
  }

  #resolved(choice: Choice, entry: Entry, match: Match, missed: number, context: RouteContext): Resolution {
    const { route, variant } = entry
    if (route.redirect) {
      const location = redirectLocation(route, match, context)
      return location === null ? NONE : { kind: 'redirect', location, status: route.redirect.status }
    }
    const allow = missed === 0 ? NO_METHODS : this.#settings.methods.allow(missed)
    const resolution = {
      kind: 'match',
      route,
      match,
      allow,
      scriptName: undefined,
      pathInfo: undefined,
    } as const
    return route.pathInfo ? handedOn(resolution, variant.pieces, choice) : resolution
  }

  #twin(method: string, rawPath: string, context: RouteContext): Resolution {
    const twin = twinOf(rawPath)
    if (twin === '') return NONE
    const found = this.#choose(method, twin, context)
    if (found.kind !== 'match' && found.kind !== 'redirect') return found
    const location = safeLocation(encodePath(context.scriptName ?? '') + twin)
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    return { kind: 'redirect', location: withQuery(location, context.query), status }
  }
}

function twinOf(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

/** Cuts the path where `path_info` begins; nothing of it is lost. */
function handedOn(
  resolution: MatchResolution,
  pieces: readonly Piece[],
  { path, escaped, texts }: Choice,
): MatchResolution {
  let start = 0
  let index = 0
  let found = false
  for (const piece of pieces) {
    found = piece.kind === 'parameter' && piece.name === 'path_info'
    if (found) break
    start += piece.kind === 'literal' ? piece.text.length : (texts[index++]?.length ?? 0)
  }
  const cut = found && path[start - 1] === '/' ? start - 1 : start
  const front = found ? path.slice(0, cut) : path
  const rest = found ? path.slice(cut) : ''
  const own = escaped ? decoded(rest) : rest
  const info = own.length > 1 || found ? own : (resolution.match.path_info ?? '')
  return {
    ...resolution,
    scriptName: escaped ? decoded(front) : front,
    pathInfo: info.startsWith('/') ? info : `/${info}`,
  }
}

function unfit(parameter: Parameter, value: string): string {
  const shown = JSON.stringify(value)
  if (parameter.controller) return `${shown} is not a known controller`
  if (parameter.requirement)
    return `${parameter.name} = ${shown} does not match ${parameter.requirement.source}`
  return `${parameter.name} cannot be ${shown}`
}
