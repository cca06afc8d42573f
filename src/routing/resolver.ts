/**
 * Choosing among the routes whose path fits: values, conditions, methods, redirects.
 *
 * @module
 */

import {
  ANY_METHOD,
  EVERY_ROUTE,
  GET_BIT,
  HEAD_BIT,
  hostParts,
  type MethodSet,
  type SubDomainSettings,
  subDomainFits,
} from './conditions.ts'
import type { ControllerNames } from './controller-names.ts'
import type { Parameter, Piece } from './pattern.ts'
import { decoded, encodePath, safeLocation, unfold } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { acceptsText, type Demands } from './segment.ts'
import { type Candidate, type Entry, type Found, type Tree, Walk } from './tree.ts'
import { redirectLocation, withQuery } from './url-path.ts'

/** A route fits. */
export interface MatchResolution {
  readonly kind: 'match'
  readonly route: Route
  /** The values; no prototype. */
  readonly match: Match
  /** What the `Allow` field would say for the routes defined earlier whose path fits but whose method does not; usually empty. */
  readonly allow: readonly string[]
  /** For a route with `path_info`: the decoded path up to it, which becomes part of SCRIPT_NAME. */
  readonly scriptName: string | undefined
  /** For a route with `path_info`: the rest of the decoded path, with its slash in front. */
  readonly pathInfo: string | undefined
}

/** A path fits, but no route takes the method: 405, or the answer to OPTIONS. */
export interface MethodResolution {
  readonly kind: 'method'
  /** Complete and sorted, with HEAD wherever GET is, and OPTIONS. */
  readonly allow: readonly string[]
}

/** The request belongs elsewhere. */
export interface RedirectResolution {
  readonly kind: 'redirect'
  /** A path on this host with the mount point in front and the query kept, or the absolute URL that a redirect route names. */
  readonly location: string
  readonly status: number
}

/** No route fits the path. */
export interface NoResolution {
  readonly kind: 'none'
}

export type Resolution = MatchResolution | MethodResolution | RedirectResolution | NoResolution

/**
 * A route's defaults, and the decoded values of its parameters.
 *
 * @param texts - what stands for the parameters in the unfolded path.
 * @param escaped - whether the path held any escape.
 * @param subDomain - of the request; undefined where matches do not hold it.
 */
export function matchOf(
  { route, variant }: Entry,
  texts: readonly string[],
  escaped: boolean,
  controllers: ControllerNames | null,
  subDomain: string | null | undefined,
): Match {
  const match: Match = Object.create(null)
  const { defaultNames, defaultValues } = route
  for (let index = 0; index < defaultNames.length; index++)
    match[defaultNames[index] ?? ''] = defaultValues[index] ?? null
  const { parameters } = variant
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]
    const text = texts[index]
    if (parameter === undefined || text === undefined) continue
    const value = escaped ? decoded(text) : text
    if (parameter.controller && controllers) match[parameter.name] = controllers.find(value) ?? value
    else if (value !== '' || !match[parameter.name]) match[parameter.name] = value
  }
  for (const name of variant.absent) match[name] ??= null
  if (subDomain !== undefined) match.subDomain = subDomain
  return match
}

const NO_TEXTS: readonly string[] = []

/** A route that fits but for its condition function, which has not been asked. */
interface Conditional {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** Finds routes for paths, one after the other: making one for each path would be a quarter of the cost of a match. */
export class Choice extends Walk {
  /** The route that was chosen. */
  entry: Entry | null = null
  /** Its values; null when no route was chosen. */
  match: Match | null = null
  /** What stands for its parameters, if it hands the rest of the path on. */
  texts: readonly string[] = NO_TEXTS
  /** The methods of the routes that would come before it, or of all if there is none, if only they took the method. */
  missed = 0
  readonly #tree: Tree
  readonly #subDomains: SubDomainSettings
  #context: RouteContext = NO_CONTEXT
  #wanted = 0
  /** The last place in the order of what counts in `missed`. */
  #lastMissed = -1
  #conditionals: Conditional[] | null = null

  constructor(tree: Tree, subDomains: SubDomainSettings) {
    super(tree.controllers)
    this.#tree = tree
    this.#subDomains = subDomains
  }

  /**
   * Makes the choice.
   *
   * @param fixed - what fits the path, when that has been found beforehand.
   * @param twin - another path, whose routes count as well.
   * @param wanted - the methods to take, with {@link ANY_METHOD} for routes that take any; 0 to learn of every method.
   */
  make(
    path: string,
    twin: string | undefined,
    fixed: readonly Found[] | undefined,
    escaped: boolean,
    wanted: number,
    context: RouteContext,
  ): void {
    this.begin(path, escaped)
    this.entry = null
    this.missed = 0
    this.#context = context
    this.#wanted = wanted
    this.match = null
    this.#lastMissed = -1
    this.#conditionals = null
    this.#meet(fixed, twin)
    const missedConditionally = this.#conditionals === null ? 0 : this.#ask(this.#conditionals)
    if (this.#lastMissed > this.bound) {
      // Some of what was missed stands behind the choice. Now that it is made, only what stands before it is met.
      this.missed = 0
      this.#meet(fixed, twin)
    }
    this.missed |= missedConditionally
    this.#context = NO_CONTEXT
  }

  #meet(fixed: readonly Found[] | undefined, twin: string | undefined): void {
    if (fixed === undefined) this.from(this.#tree.root)
    else for (const { entries, texts } of fixed) this.visit(entries, texts, texts.length)
    if (twin !== undefined) this.from(this.#tree.root, twin)
  }

  protected override visit(entries: readonly Entry[], texts: readonly string[], count: number): void {
    let demands: Demands | null = null
    let fits = false
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]
      if (entry === undefined || entry.order >= this.bound) return
      const { methodMask, condition } = entry.route
      const takes = (methodMask & this.#wanted) !== 0
      if (
        !takes &&
        (methodMask === ANY_METHOD || (condition === undefined && (methodMask & ~this.missed) === 0))
      )
        continue
      if (entry.demands !== demands) {
        demands = entry.demands
        fits = this.#fits(demands, texts, count)
      }
      if (!fits) continue
      if (condition !== undefined) {
        this.#postpone(entry, texts, count)
      } else if (takes) {
        this.#take(entry, texts, this.#matchOf(entry, texts))
        return
      } else this.#miss(entry)
    }
  }

  #fits(demands: Demands, texts: readonly string[], count: number): boolean {
    const { subDomain } = demands
    return (
      (subDomain === undefined || subDomainFits(subDomain, this.#subDomain())) &&
      demands.accept(texts, count, this.escaped, this.controllers)
    )
  }

  #take(entry: Entry, texts: readonly string[], match: Match): void {
    this.entry = entry
    this.match = match
    this.bound = entry.order
    if (entry.route.pathInfo) this.texts = texts.slice(0, entry.variant.parameters.length)
  }

  #miss({ order, route }: Entry): void {
    this.missed |= route.methodMask
    if (order > this.#lastMissed) this.#lastMissed = order
  }

  /** Functions are asked in the order of definition, when it is known which routes come before them. */
  #postpone(entry: Entry, texts: readonly string[], count: number): void {
    this.#conditionals ??= []
    this.#conditionals.push({ entry, texts: texts.slice(0, count) })
  }

  /**
   * Asks the functions of the routes that come before the choice; the first that agrees takes its place.
   *
   * @returns the methods that were missed on the way.
   */
  #ask(conditionals: Conditional[]): number {
    let missed = 0
    for (const { entry, texts } of conditionals.sort((a, b) => a.entry.order - b.entry.order)) {
      const { methodMask, condition } = entry.route
      if (entry.order >= this.bound) break
      const takes = (methodMask & this.#wanted) !== 0
      if (!takes && (methodMask & ~missed) === 0) continue
      const match = this.#matchOf(entry, texts)
      if (!condition?.(this.#context, match)) continue
      if (takes) {
        this.#take(entry, texts, match)
      } else missed |= methodMask
    }
    return missed
  }

  #matchOf(entry: Entry, texts: readonly string[]): Match {
    const subDomain = this.#subDomains.enabled ? this.#subDomain() : undefined
    return matchOf(entry, texts, this.escaped, this.controllers, subDomain)
  }

  #subDomain(): string | null {
    return hostParts(this.#context.host ?? '', this.#subDomains).subDomain
  }
}

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
