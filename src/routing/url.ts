/**
 * Generating URLs: by name, by controller and action, from the present request.
 *
 * @module
 */

import { hostParts, type SubDomainSettings } from './conditions.ts'
import { GenerationError } from './errors.ts'
import { encodePath, encodeQueryPair, encodeSegment } from './percent.ts'
import type { Match, Route } from './route.ts'
import type { LooseValues, NoRoutes, RawUrl, RouteName, RouteNamed, UrlArguments, UrlParts } from './types.ts'
import { checked, isExternal, withQuery, writePattern } from './url-path.ts'

export type Values = Record<string, unknown>

const PARTS = ['anchor', 'host', 'protocol', 'qualified', 'subDomain', 'method'] as const

/** A value of its own name; nothing that a prototype would lend. */
export function own(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Tells the URL's other parts from values; a name with an underscore behind is the value of that name. */
export function separate(
  values: Values,
  isParameter: (name: string) => boolean,
): { parts: UrlParts; rest: Values } {
  let parts: Record<string, unknown> | undefined
  let rest: Values | undefined
  for (const name of PARTS) {
    if (own(values, name) !== undefined && !isParameter(name)) {
      parts ??= {}
      rest ??= { ...values }
      parts[name] = values[name]
      delete rest[name]
    }
    if (own(values, `${name}_`) !== undefined && !isParameter(`${name}_`)) {
      rest ??= { ...values }
      delete rest[`${name}_`]
      rest[name] = values[`${name}_`]
    }
  }
  return { parts: parts ?? {}, rest: rest ?? values }
}

/** The query for the values that belong in it: lists repeat, null and undefined are left out. */
export function queryOf(values: Values, isQuery: (name: string) => boolean): string {
  let query = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || !isQuery(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue
      query += (query ? '&' : '') + encodeQueryPair(name, String(one))
    }
  }
  return query
}

/** A raw query without the keys that are given anew. */
export function withoutKeys(query: string, given: Values): string {
  return query
    .split('&')
    .filter((pair) => {
      const key = pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? ''
      try {
        return !Object.hasOwn(given, decodeURIComponent(key))
      } catch {
        // A key that cannot be decoded is nobody's; it stays as it is.
        return pair !== ''
      }
    })
    .join('&')
}

export function requireDefaults(route: Route, values: Values, isParameter: (name: string) => boolean): void {
  for (const [name, fixed] of route.defaultEntries) {
    const given = own(values, name)
    if (given === undefined || given === null || isParameter(name) || String(given) === fixed) continue
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${route.label}" (${route.path}) has ${name} = ${JSON.stringify(fixed)}, but ${JSON.stringify(String(given))} is given.`,
      `Leave "${name}" out, or take the route for it.`,
      { route: route.label, parameter: name, pattern: route.path, value: given },
    )
  }
}

export function requireMethod(route: Route, method: string | undefined): void {
  if (method === undefined || route.methods === null || route.methods.includes(method.toUpperCase())) return
  throw new GenerationError(
    'E_METHOD_NOT_ALLOWED',
    `Route "${route.label}" (${route.path}) does not take ${method.toUpperCase()}, only ${route.methods.join(', ')}.`,
    'Leave "method" out, or take the route for it.',
    { route: route.label, parameter: 'method', pattern: route.path, value: method },
  )
}

export function requireHost(host: string): void {
  if (/^[^\s/\\?#@%]+$/.test(host)) return
  throw new GenerationError(
    'E_HOST',
    `${JSON.stringify(host)} is not a host.`,
    'Give a host name, with a port if need be.',
    {
      parameter: 'host',
      value: host,
    },
  )
}

export function noHost(url: string): GenerationError {
  return new GenerationError(
    'E_HOST',
    `An absolute URL for "${url}" needs a host, and none is known.`,
    'Give { host } to the mapper’s generator, or with the values.',
    { parameter: 'host', pattern: url },
  )
}

export function unknownName(name: string, { names }: RouteCatalogue): GenerationError {
  const similar = [...names].filter((other) => other.includes(name) || name.includes(other)).slice(0, 3)
  return new GenerationError(
    'E_ROUTE_UNKNOWN',
    `There is no route named "${name}".`,
    similar.length > 0
      ? `Did you mean ${similar.map((other) => `"${other}"`).join(' or ')}?`
      : 'Define it, or correct the name.',
    { route: name },
  )
}

/** Whether a route's fixed values are among the given ones, and its path's are all there. */
export function agrees(route: Route, values: Values): boolean {
  for (const { name, suffix } of route.pattern.parameters) {
    if (suffix || (route.defaults[name] ?? undefined) !== undefined) continue
    if ((own(values, name) ?? undefined) === undefined) return false
  }
  return route.defaultEntries.every(([name, fixed]) => {
    const given = own(values, name)
    if (route.parameter(name)) return true
    if (given === undefined || given === null) return name !== 'controller' && name !== 'action'
    return String(given) === fixed
  })
}

/** The routes that agree with the values: those whose names are exactly the given ones first, then the nearest, then the shortest. */
export function rank(routes: readonly Route[], values: Values): Route[] {
  const given = new Set(Object.keys(values).filter((name) => (own(values, name) ?? undefined) !== undefined))
  return routes
    .filter((route) => agrees(route, values))
    .map((route) => {
      const names = new Set(
        route.pattern.parameters.map(({ name }) => name).concat(Object.keys(route.defaults)),
      )
      return { route, distance: difference(names, given), size: names.size }
    })
    .sort((a, b) => a.distance - b.distance || a.size - b.size)
    .map(({ route }) => route)
}

/** How many names are in one set only. */
function difference(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((name) => other.has(name)).length
  return one.size + other.size - 2 * common
}

/** The routes in the order of definition. */
export class RouteCatalogue {
  readonly routes: Route[] = []
  readonly #byName = new Map<string, Route>()
  readonly #byController = new Map<string, Route[]>()
  readonly #anyController: Route[] = []

  add(route: Route): void {
    this.routes.push(route)
    if (route.name !== null) this.#byName.set(route.name, route)
    if (route.static || route.redirect) return
    const { controller } = route
    if (controller !== undefined) {
      const siblings = this.#byController.get(controller)
      if (siblings) siblings.push(route)
      else this.#byController.set(controller, [route])
    } else if (route.parameter('controller')) this.#anyController.push(route)
  }

  /** The route of this name; the one defined last where several have it. */
  named(name: string): Route | undefined {
    return this.#byName.get(name)
  }

  get names(): Iterable<string> {
    return this.#byName.keys()
  }

  /** The routes that may lead to a controller: its own first, then those that take any. */
  leadingTo(controller: string): readonly Route[] {
    return [...(this.#byController.get(controller) ?? []), ...this.#anyController]
  }
}

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
