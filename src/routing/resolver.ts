/**
 * Choosing among the routes whose path fits: values, conditions, methods, redirects.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { ANY_METHOD, GET_BIT, HEAD_BIT, type MethodSet } from './methods.ts'
import type { Match, RouteContext } from './options.ts'
import { type Parameter, valueIn } from './pattern.ts'
import { decoded, encodePath, literalForm, safeLocation, unfold } from './percent.ts'
import { redirectLocation, withQuery } from './redirect.ts'
import type { MatchResolution, NoResolution, Resolution } from './resolution.ts'
import type { Route } from './route.ts'
import { hostParts, type SubDomainSettings, subDomainFits } from './subdomain.ts'
import type { Candidate, Tree } from './tree.ts'

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

/** One path on its way through the routes. */
interface Attempt {
  readonly path: string
  readonly escaped: boolean
  readonly context: RouteContext
  /** What fits it, when that was found beforehand. */
  readonly fixed: readonly Candidate[] | undefined
}

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
    const attempt = this.#attempt(rawPath, context)
    if (!attempt) return null
    for (const candidate of this.#candidates(attempt)) {
      const match = this.#match(candidate, attempt)
      if (match) return [match, candidate.entry.route]
    }
    return null
  }

  /** See {@link Mapper.methodsAt}. */
  methodsAt(rawPath: string, context: RouteContext = NO_CONTEXT): readonly string[] {
    const attempt = this.#attempt(rawPath, context)
    if (!attempt) return NO_METHODS
    let mask = 0
    for (const candidate of this.#candidates(attempt)) {
      const { methodMask } = candidate.entry.route
      if (methodMask === ANY_METHOD || (methodMask & ~mask) === 0) continue
      if (this.#fits(candidate, attempt)) mask |= methodMask
    }
    return mask === 0 ? NO_METHODS : this.#settings.methods.explicit(mask)
  }

  /** Why the routes whose path has the right shape do not take a request; in order. */
  rejections(method: string, rawPath: string, context: RouteContext = NO_CONTEXT): Rejection[] {
    const attempt = this.#attempt(rawPath, context)
    if (!attempt) return []
    return this.#candidates(attempt).flatMap((candidate) => this.#rejection(candidate, method, attempt) ?? [])
  }

  #rejection(candidate: Candidate, method: string, attempt: Attempt): Rejection | undefined {
    const { entry, texts } = candidate
    const { route, variant } = entry
    for (const [index, parameter] of variant.parameters.entries()) {
      const text = texts[index] ?? ''
      const value = attempt.escaped ? decoded(text) : text
      if (this.#fitsParameter(parameter, text, attempt.escaped)) continue
      return { route, condition: 'requirement', detail: unfit(parameter, value) }
    }
    const { methods, subDomain } = route
    if (subDomain !== undefined && !this.#fitsSubDomain(subDomain, attempt)) {
      const wanted =
        subDomain === true ? 'a sub-domain' : subDomain === false ? 'no sub-domain' : subDomain.join(' or ')
      return {
        route,
        condition: 'subDomain',
        detail: `the host ${attempt.context.host ?? '(none)'} does not have ${wanted}`,
      }
    }
    const taken =
      methods === null || methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))
    if (!taken) return { route, condition: 'method', detail: `takes ${methods.join(', ')}, not ${method}` }
    if (this.#match(candidate, attempt)) return undefined
    return { route, condition: 'function', detail: 'its condition function says no' }
  }

  #attempt(rawPath: string, context: RouteContext): Attempt | undefined {
    if (rawPath.length > this.#settings.maxPathLength) return undefined
    const raw = rawPath === '' ? '/' : rawPath
    const fixed = this.tree.fixed(raw)
    if (fixed !== undefined) return { path: raw, escaped: false, context, fixed }
    const path = unfold(raw)
    return path === undefined ? undefined : { path, escaped: path !== raw, context, fixed: undefined }
  }

  #candidates({ path, escaped, fixed }: Attempt): readonly Candidate[] {
    const found = fixed ?? this.tree.find(path, escaped)
    if (this.#settings.trailingSlash !== 'ignore' || path === '/') return found
    const twin = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
    const others = this.tree
      .find(twin, escaped)
      .filter(({ entry }) => !found.some((other) => other.entry === entry))
    if (others.length === 0) return found
    return [...found, ...others].sort((a, b) => a.entry.order - b.entry.order)
  }

  #choose(method: string, rawPath: string, context: RouteContext): Resolution {
    const attempt = this.#attempt(rawPath, context)
    if (attempt === undefined) return NONE
    const candidates = this.#candidates(attempt)
    if (candidates.length === 0) return NONE
    const { methods } = this.#settings
    const bit = methods.bit(method)
    const wanted = bit === HEAD_BIT ? HEAD_BIT | GET_BIT : bit
    let missed = 0
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[index]
      if (!candidate) continue
      const { methodMask } = candidate.entry.route
      if ((methodMask & wanted) === 0 && methodMask !== ANY_METHOD) {
        if ((methodMask & ~missed) !== 0 && this.#fits(candidate, attempt)) missed |= methodMask
        continue
      }
      const match = this.#match(candidate, attempt)
      if (!match) continue
      if (wanted !== bit && methodMask !== ANY_METHOD && (methodMask & HEAD_BIT) === 0) {
        const explicit = this.#explicitHead(candidates, index + 1, attempt)
        if (explicit) return explicit
      }
      return this.#resolved(candidate, match, missed, attempt)
    }
    return missed === 0 ? NONE : { kind: 'method', allow: methods.allow(missed) }
  }

  /** A route that names HEAD wins over one that only has GET, wherever it stands. */
  #explicitHead(candidates: readonly Candidate[], from: number, attempt: Attempt): Resolution | undefined {
    for (const candidate of candidates.slice(from)) {
      const { methodMask } = candidate.entry.route
      if (methodMask === ANY_METHOD || (methodMask & HEAD_BIT) === 0) continue
      const match = this.#match(candidate, attempt)
      if (match) return this.#resolved(candidate, match, 0, attempt)
    }
    return undefined
  }

  #resolved({ entry, texts }: Candidate, match: Match, missed: number, attempt: Attempt): Resolution {
    const { route, variant } = entry
    if (route.redirect) {
      return {
        kind: 'redirect',
        location: redirectLocation(route, match, attempt.context),
        status: route.redirect.status,
      }
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
    return route.pathInfo ? this.#handedOn(resolution, variant.pieces, texts, attempt) : resolution
  }

  /** Cuts the path where `path_info` begins; nothing of it is lost. */
  #handedOn(
    resolution: MatchResolution,
    pieces: Candidate['entry']['variant']['pieces'],
    texts: readonly string[],
    { path, escaped }: Attempt,
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

  #twin(method: string, rawPath: string, context: RouteContext): Resolution {
    const twin = rawPath.endsWith('/') ? rawPath.slice(0, -1) : `${rawPath}/`
    if (twin === '') return NONE
    const found = this.#choose(method, twin, context)
    if (found.kind !== 'match' && found.kind !== 'redirect') return found
    const location = safeLocation(encodePath(context.scriptName ?? '') + twin)
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    return { kind: 'redirect', location: withQuery(location, context.query), status }
  }

  /** Whether a candidate would match, whatever the method. */
  #fits(candidate: Candidate, attempt: Attempt): boolean {
    return candidate.entry.route.condition
      ? this.#match(candidate, attempt) !== undefined
      : this.#valid(candidate, attempt)
  }

  #valid({ entry, texts }: Candidate, attempt: Attempt): boolean {
    const { route, variant } = entry
    if (route.subDomain !== undefined && !this.#fitsSubDomain(route.subDomain, attempt)) return false
    const { parameters } = variant
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      const text = texts[index]
      if (parameter === undefined || text === undefined) return false
      if (!this.#fitsParameter(parameter, text, attempt.escaped)) return false
    }
    return true
  }

  #fitsParameter(parameter: Parameter, text: string, escaped: boolean): boolean {
    const { controllers } = this.#settings
    if (!parameter.controller || !controllers) return valueIn(parameter, text, escaped) !== undefined
    const name = controllers.find(escaped ? literalForm(text) : text)
    return name !== undefined && valueIn(parameter, name, false) !== undefined
  }

  #fitsSubDomain(condition: boolean | readonly string[], { context }: Attempt): boolean {
    return subDomainFits(condition, hostParts(context.host ?? '', this.#settings.subDomains).subDomain)
  }

  #match(candidate: Candidate, attempt: Attempt): Match | undefined {
    if (!this.#valid(candidate, attempt)) return undefined
    const { entry, texts } = candidate
    const { route, variant } = entry
    const { controllers, subDomains } = this.#settings
    const match: Match = Object.create(null)
    const { defaultNames, defaultValues } = route
    for (let index = 0; index < defaultNames.length; index++)
      match[defaultNames[index] ?? ''] = defaultValues[index] ?? null
    const { parameters } = variant
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      const text = texts[index]
      if (parameter === undefined || text === undefined) continue
      const value = attempt.escaped ? decoded(text) : text
      if (parameter.controller && controllers) match[parameter.name] = controllers.find(value) ?? value
      else if (value !== '' || !match[parameter.name]) match[parameter.name] = value
    }
    for (const name of variant.absent) match[name] ??= null
    if (subDomains.enabled) match.subDomain = hostParts(attempt.context.host ?? '', subDomains).subDomain
    if (route.condition && !route.condition(attempt.context, match)) return undefined
    return match
  }
}

function unfit(parameter: Parameter, value: string): string {
  const shown = JSON.stringify(value)
  if (parameter.controller) return `${shown} is not a known controller`
  if (parameter.requirement)
    return `${parameter.name} = ${shown} does not match ${parameter.requirement.source}`
  return `${parameter.name} cannot be ${shown}`
}
