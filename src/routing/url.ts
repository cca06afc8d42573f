/**
 * Generating URLs: by name, by controller and action, from the present request.
 *
 * @module
 */

import type { RouteCatalogue } from './catalogue.ts'
import { GenerationError } from './errors.ts'
import { noHost, requireDefaults, requireHost, requireMethod, unknownName } from './generation-checks.ts'
import type { Match } from './options.ts'
import { encodePath, encodeSegment } from './percent.ts'
import { agrees, rank } from './ranking.ts'
import { isExternal, withQuery } from './redirect.ts'
import { checked } from './round-trip.ts'
import type { Route } from './route.ts'
import type { NoRoutes } from './route-types.ts'
import { hostParts, type SubDomainSettings } from './subdomain.ts'
import type { LooseValues, RawUrl, RouteName, RouteNamed, UrlArguments, UrlParts } from './url-types.ts'
import { own, queryOf, separate, type Values, withoutKeys } from './url-values.ts'
import { writePattern } from './writing.ts'

/** The present request, as far as generation depends on it. Every part is optional. */
export interface GenerationContext {
  /** The path at which the application is mounted, decoded. */
  readonly scriptName?: string | undefined
  /** The present host, with its port if any. */
  readonly host?: string | undefined
  /** `'http'` (the default) or `'https'`. */
  readonly scheme?: string | undefined
  /** The present match and its route: for `current`, and for a controller left out. */
  readonly match?: Readonly<Match> | undefined
  readonly route?: Route | undefined
  /** The present query, raw: for `current` with its query. */
  readonly query?: string | undefined
}

/** What `current` takes beside values. */
export interface CurrentOptions {
  /** True to keep the present query; values replace its keys, and null deletes one. */
  readonly query?: boolean
}

/** Generates URLs for one request, or for none. */
export interface UrlGenerator<Routes = NoRoutes> {
  /**
   * The URL of a named route. Values beyond its parameters go to the query.
   *
   * @throws GenerationError when there is no such route or a value is missing or does not fit.
   */
  <const Name extends RouteName<Routes>>(
    name: Name,
    ...values: UrlArguments<RouteNamed<Routes, Name>>
  ): string
  /** The URL of the route that fits a controller, an action and other values best. */
  (values: LooseValues & UrlParts): string
  /** A URL as it is, with the mount point in front when it begins with a slash, and values in its query. */
  (url: RawUrl, values?: LooseValues & UrlParts): string
  /** The URL of the present request with other values; null takes one away. */
  current(values?: LooseValues & UrlParts, options?: CurrentOptions): string
}

/** What generation takes from the mapper. */
export interface GenerationSettings {
  readonly catalogue: RouteCatalogue
  readonly subDomains: SubDomainSettings
  readonly appendSlash: boolean
}

/** Makes the callable face of {@link Generation}. */
export function createGenerator<Routes>(
  settings: GenerationSettings,
  context: GenerationContext,
): UrlGenerator<Routes> {
  const generation = new Generation(settings, context)
  const call = (first: string | Values, values: Values = {}): string =>
    typeof first === 'string' ? generation.named(first, values) : generation.byAction(first)
  return Object.assign(call, {
    current: (values: Values = {}, options: CurrentOptions = {}) => generation.current(values, options),
  })
}

class Generation {
  readonly #settings: GenerationSettings
  readonly #context: GenerationContext

  constructor(settings: GenerationSettings, context: GenerationContext) {
    this.#settings = settings
    this.#context = context
  }

  named(name: string, values: Values): string {
    const route = this.#settings.catalogue.named(name)
    if (route) return this.#write(route, route.filter ? route.filter({ ...values }) : values, route.defaults)
    if (name.startsWith('/') || isExternal(name)) return this.#raw(name, values)
    throw unknownName(name, this.#settings.catalogue)
  }

  byAction(given: Values): string {
    const { match } = this.#context
    const values: Values = { ...given }
    if ((values.controller ?? undefined) === undefined && match?.controller)
      values.controller = match.controller
    values.action ??= 'index'
    const routes = this.#settings.catalogue.leadingTo(String(values.controller))
    let lastError: unknown
    for (const route of rank(routes, values)) {
      try {
        return this.#write(route, values, route.defaults)
      } catch (error) {
        if (!(error instanceof GenerationError)) throw error
        lastError = error
      }
    }
    throw new GenerationError(
      'E_ROUTE_NOT_FOUND',
      `No route leads to ${JSON.stringify(values)}.`,
      'Define a route for this controller and action, or give the values that one needs.',
      { value: values, cause: lastError },
    )
  }

  current(given: Values, options: CurrentOptions): string {
    const { match, route, query } = this.#context
    const values: Values = {}
    for (const [name, value] of Object.entries(match ?? {})) if (value !== null) values[name] = value
    if (given.controller !== undefined && given.action === undefined) delete values.action
    for (const [name, value] of Object.entries(given)) {
      if (value === null) delete values[name]
      else if (value !== undefined) values[name] = value
    }
    const kept = options.query && query ? withoutKeys(query, given) : ''
    const url =
      route && agrees(route, values) ? this.#write(route, values, route.defaults) : this.byAction(values)
    return withQuery(url, kept)
  }

  #raw(url: string, values: Values): string {
    const { parts, rest } = separate(values, () => false)
    const query = queryOf(rest, () => true)
    const front = url.startsWith('/') && !isExternal(url) ? encodePath(this.#context.scriptName ?? '') : ''
    return this.#located(withQuery(front + url, query), parts, isExternal(url))
  }

  #write(route: Route, values: Values, defaults: Readonly<Match>): string {
    const { pattern } = route
    const isParameter = (name: string) => pattern.parameters.some((parameter) => parameter.name === name)
    const { parts, rest } = separate(values, isParameter)
    const lookup = (name: string) => own(rest, name) ?? defaults[name]
    requireDefaults(route, rest, isParameter)
    requireMethod(route, parts.method)
    let path = checked(route, writePattern(pattern, lookup, route.label), lookup)
    if (this.#settings.appendSlash && !pattern.url && !path.endsWith('/')) path += '/'
    const external = isExternal(pattern.template)
    const front = external || route.absolute ? '' : encodePath(this.#context.scriptName ?? '')
    const query = queryOf(
      rest,
      (name) => !isParameter(name) && !(name in defaults) && name !== 'controller' && name !== 'action',
    )
    return this.#located(withQuery(front + path, query), parts, external, route)
  }

  /** Adds fragment and host. */
  #located(url: string, parts: UrlParts, external: boolean, route?: Route): string {
    const anchored = parts.anchor === undefined ? url : `${url}#${encodeSegment(parts.anchor)}`
    if (external) return anchored
    const { scheme = 'http' } = this.#context
    const other = this.#otherHost(parts, route)
    if (other === undefined && parts.host === undefined && parts.protocol === undefined && !parts.qualified)
      return anchored
    const protocol = parts.protocol ?? scheme
    let host = parts.host ?? other ?? this.#context.host
    if (host === undefined) throw noHost(url)
    if (parts.host === undefined && !parts.qualified && parts.protocol !== undefined && protocol !== scheme) {
      host = host.replace(/:\d*$/, '')
    }
    requireHost(host)
    return `${protocol === '' ? '' : `${protocol}:`}//${host}${anchored}`
  }

  /** The host of another sub-domain, when one is asked for. */
  #otherHost(parts: UrlParts, route: Route | undefined): string | undefined {
    const { subDomains } = this.#settings
    const { host } = this.#context
    const fixed =
      typeof route?.subDomain === 'object' && route.subDomain.length === 1 ? route.subDomain[0] : undefined
    const asked = parts.subDomain === undefined ? fixed : parts.subDomain
    if (asked === undefined || (!subDomains.enabled && parts.subDomain === undefined)) return undefined
    if (host === undefined) throw noHost(route?.path ?? '')
    const wanted = asked !== null && subDomains.ignore.has(asked) ? null : asked
    const { subDomain, domain, port } = hostParts(host, subDomains)
    if (wanted === subDomain) return undefined
    if (wanted === null) return host.startsWith(domain) ? undefined : domain + port
    return `${wanted}.${domain}${port}`
  }
}
