/**
 * Generating URLs: by name, by controller and action, from the present request.
 *
 * @module
 */

import { decodeUri } from '../base/decode-uri.ts'
import { getOrCreate } from '../base/get-or-create.ts'
import { similar } from '../base/suggest.ts'
import { type ControllerNames, parseHost, type SubDomainSettings, subDomainMatches } from './conditions.ts'
import { encodeSegment, isExternal, mountPointOf, onThisHost, withQuery } from './percent.ts'
import type { Match, Route } from './route.ts'
import { GenerationError } from './routing-error.ts'
import type { LooseValues, NeedsNone, NoRoutes, RawUrl, RouteName, RouteNamed, UrlParts, ValuesFor } from './types.ts'
import { failure, ownValues, queryOf, replaced, separate, type Values, writePath } from './url-path.ts'

/** The present request, as far as generation depends on it. Each part is optional. */
export interface GenerationContext {
  /** The mount point of the application, decoded. */
  readonly scriptName?: string | undefined
  /**
   * The same percent-encoded, as in the URL: needed if it contains encoded slashes. Defaults to `scriptName`,
   * encoded.
   */
  readonly rawScriptName?: string | undefined
  /** The host of the request, with its port if any. */
  readonly host?: string | undefined
  /** `'http'` (the default) or `'https'`. */
  readonly scheme?: string | undefined
  /** The match of the request: for `current`, and for the controller if none is given. */
  readonly match?: Readonly<Match> | undefined
  readonly route?: Route | undefined
  /** The raw query string of the request: for `current`. */
  readonly query?: string | undefined
}

/** Options of a URL. */
export interface UrlOptions {
  /** Values for the query, whatever the parameters of the route are. */
  readonly query?: LooseValues
}

/** Options of `current`. */
export interface CurrentOptions {
  /** True to keep the query of the request; values replace its keys, and null removes one. */
  readonly query?: boolean
}

/**
 * Generates URLs for one request, or for none.
 *
 * @example
 * ```ts
 * import { Mapper } from 'propylon/routing'
 *
 * const map = new Mapper().resource('user', 'users')
 * const url = map.generator({ scriptName: '/app', host: 'example.com' })
 * url('user', { id: 'joe' }, { query: { page: 2 } }) // '/app/users/joe?page=2'
 * url('users', { qualified: true }) // 'http://example.com/app/users'
 * ```
 */
export interface UrlGenerator<Routes = NoRoutes> {
  /** Returns the URL of the route that fits a controller, an action and other values best. */
  (values: LooseValues & UrlParts): string
  /** Returns a URL with values in its query, below the mount point if it begins with a slash. */
  (url: RawUrl, values?: LooseValues & UrlParts, options?: UrlOptions): string
  /**
   * Returns the URL of a named route.
   *
   * @throws GenerationError - there is no such route, or a value is missing or does not match.
   */
  <const Name extends RouteName<Routes>>(
    name: Name,
    values: ValuesFor<RouteNamed<Routes, Name>>,
    options?: UrlOptions,
  ): string
  /**
   * Returns the URL of a named route without required values. It is last, because the compiler's message shows the
   * last.
   */
  <const Name extends RouteName<Routes>>(name: Name & NeedsNone<RouteNamed<Routes, Name>>): string
  /** Returns the URL of the present request with other values; null removes one. */
  current(values?: LooseValues & UrlParts, options?: CurrentOptions): string
  /** Returns the URL of a named route, whose parameters default to the values of the present request. */
  current(name: RouteName<Routes>, values?: LooseValues & UrlParts, options?: CurrentOptions): string
}

/** The routes of a mapper, indexed for generation. */
export class RouteIndex {
  readonly routes: Route[] = []
  /** The routes by name; the one defined last if several have it. */
  readonly byName = new Map<string, Route>()
  readonly #byController = new Map<string | undefined, Route[]>()

  add(route: Route): void {
    this.routes.push(route)
    if (route.name !== null) this.byName.set(route.name, route)
    if (route.static || route.redirect) return
    getOrCreate(this.#byController, route.controller, () => []).push(route)
  }

  /** Returns the routes with a fixed controller, then those without. */
  withController(controller: string | undefined): readonly Route[] {
    const open = this.#byController.get(undefined) ?? []
    return controller === undefined ? open : [...(this.#byController.get(controller) ?? []), ...open]
  }
}

/** The state of a mapper that generation uses. */
export interface GenerationSettings {
  readonly index: RouteIndex
  readonly subDomains: SubDomainSettings
  readonly appendSlash: boolean
  /** Returns the known controllers, or null if any name is accepted. */
  readonly controllers: () => ControllerNames | null
}

/** Creates the generator of URLs for a request. */
export function createGenerator<Routes>(
  settings: GenerationSettings,
  context: GenerationContext,
): UrlGenerator<Routes> {
  const generation = new Generation(settings, context)
  const url = (first: string | object, values: object = {}, { query = {} }: UrlOptions = {}): string =>
    typeof first === 'string'
      ? generation.named(first, ownValues(values), query)
      : generation.byValues(ownValues(first))
  url.current = (first: string | object = {}, second: object = {}, third: CurrentOptions = {}): string =>
    typeof first === 'string'
      ? generation.currentNamed(first, ownValues(second), third)
      : generation.current(ownValues(first), second)
  return url
}

class Generation {
  readonly #settings: GenerationSettings
  readonly #context: GenerationContext

  constructor(settings: GenerationSettings, context: GenerationContext) {
    this.#settings = settings
    this.#context = context
  }

  named(name: string, values: Values, query: object = {}): string {
    const { byName } = this.#settings.index
    const route = byName.get(name)
    if (route) return this.#write(route, route.filter ? ownValues(route.filter({ ...values })) : values, query)
    if (name.startsWith('/') || isExternal(name)) return this.#raw(name, values, query)
    const meant = similar(name, byName.keys())
    const fix = meant === undefined ? 'Define it, or use the name of a defined route.' : `Did you mean "${meant}"?`
    throw new GenerationError('E_ROUTE_UNKNOWN', `There is no route named "${name}".`, fix, { route: name })
  }

  byValues(given: Values): string {
    const present = this.#context.match?.controller ?? undefined
    const isOpen = given.controller === undefined && present !== undefined
    let cause: unknown
    for (const controller of isOpen ? [present, undefined] : [given.controller ?? present]) {
      const values =
        controller === undefined ? given : ownValues({ ...given, controller, action: given.action ?? 'index' })
      const routes = this.#settings.index.withController(controller?.toString())
      for (const route of this.#rank(routes, values)) {
        try {
          return this.#write(route, values)
        } catch (error) {
          if (!(error instanceof GenerationError)) throw error
          cause = error
        }
      }
    }
    const fix = 'Define a route for this controller and action, or add the values that one needs.'
    const details = { value: given, cause }
    throw new GenerationError('E_ROUTE_NOT_FOUND', `No route fits ${JSON.stringify(given)}.`, fix, details)
  }

  current(given: Values, options: CurrentOptions): string {
    const { match, route } = this.#context
    const values = replaced(match ?? {}, given)
    if (given.controller !== undefined && given.action === undefined) delete values.action
    const url = route && this.#fits(route, values) ? this.#write(route, values) : this.byValues(values)
    return withQuery(url, this.#keptQuery(given, options))
  }

  currentNamed(name: string, given: Values, options: CurrentOptions): string {
    const { match = {} } = this.#context
    const parameters = this.#settings.index.byName.get(name)?.pattern.parameters ?? []
    const present = Object.fromEntries(parameters.map((one) => [one.name, match[one.name]]))
    return withQuery(this.named(name, replaced(present, given)), this.#keptQuery(given, options))
  }

  /** Returns the query of the request without the keys of given values. */
  #keptQuery(given: Values, { query: isKept }: CurrentOptions): string {
    const isReplaced = (pair: string) => {
      const name = decodeUri(pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? '')
      return name !== undefined && name in given
    }
    const pairs = isKept ? (this.#context.query ?? '').split('&') : []
    return pairs.filter((pair) => !isReplaced(pair)).join('&')
  }

  /** Returns true if a route has the given values among its defaults and parameters, and has all that it needs. */
  #fits(route: Route, values: Values): boolean {
    const { pattern, defaults, defaultEntries } = route
    const { controller, action } = values
    const has = (name: string) => name in defaults || route.parameter(name) !== undefined
    const hasAll = pattern.parameters.every(
      ({ name, suffix }) => suffix || (values[name] ?? defaults[name] ?? undefined) !== undefined,
    )
    const hasFixed = defaultEntries.every(([name, fixed]) => {
      const given = values[name] ?? undefined
      if (route.parameter(name)) return true
      return given === undefined ? name !== 'controller' && name !== 'action' : String(given) === fixed
    })
    if (!hasAll || !hasFixed || ((controller ?? undefined) !== undefined && !has('controller'))) return false
    const known = route.parameter('controller') && controller ? this.#settings.controllers() : null
    if (known !== null && known.find(String(controller)) === undefined) return false
    // A route that has no action has the action index.
    return (action ?? 'index') === 'index' || has('action')
  }

  /** Returns the routes that fit: those whose names are nearest to the given ones first, then the shortest. */
  #rank(routes: readonly Route[], values: Values): Route[] {
    const given = new Set(Object.keys(values).filter((name) => (values[name] ?? undefined) !== undefined))
    return routes
      .filter((route) => this.#fits(route, values))
      .map((route) => {
        const names = namesOf(route)
        const common = [...names].filter((name) => given.has(name)).length
        return { route, distance: names.size + given.size - 2 * common, size: names.size }
      })
      .sort((a, b) => a.distance - b.distance || a.size - b.size)
      .map(({ route }) => route)
  }

  #raw(url: string, values: Values, query: object): string {
    const { parts, rest } = separate(values, () => false)
    const external = isExternal(url)
    const front = external ? '' : mountPointOf(this.#context)
    return this.#complete(withQuery(front + url, queryOf({ ...rest, ...query })), parts, external)
  }

  #write(route: Route, values: Values, query: object = {}): string {
    const { pattern, defaults } = route
    const { parts, rest } = separate(values, (name) => route.parameter(name) !== undefined)
    requireFixed(route, rest, parts)
    let path = writePath(route, (name) => rest[name] ?? defaults[name])
    if (this.#settings.appendSlash && !pattern.url && !path.endsWith('/')) path += '/'
    const external = isExternal(pattern.template)
    const front = external || route.absolute ? '' : mountPointOf(this.#context)
    const taken = namesOf(route).add('controller').add('action')
    const others = Object.entries(rest).filter(([name]) => !taken.has(name))
    const url = withQuery(front + path, queryOf({ ...Object.fromEntries(others), ...query }))
    return this.#complete(url, parts, external, route)
  }

  /** Adds the fragment and the host. */
  #complete(url: string, parts: UrlParts, external: boolean, route?: Route): string {
    const complete = parts.anchor === undefined ? url : `${url}#${encodeSegment(parts.anchor)}`
    if (external) return complete
    const { scheme = 'http' } = this.#context
    const { protocol = scheme, qualified } = parts
    const other = parts.host ?? this.#otherHost(parts, route)
    if (other === undefined && parts.protocol === undefined && !qualified) return onThisHost(complete)
    let host = other ?? this.#context.host
    if (host === undefined) throw noHost(url)
    if (parts.host === undefined && !qualified && protocol !== scheme) host = host.replace(/:\d*$/, '')
    if (!/^[^\s/\\?#@%]+$/.test(host)) {
      const details = { parameter: 'host', value: host }
      const fix = 'Use a host name, with a port if needed.'
      throw new GenerationError('E_HOST', `${JSON.stringify(host)} is not a host.`, fix, details)
    }
    return `${protocol === '' ? '' : `${protocol}:`}//${host}${complete}`
  }

  /** Returns the host of another sub-domain, if the values or the route require one. */
  #otherHost(parts: UrlParts, route: Route | undefined): string | undefined {
    const { subDomains } = this.#settings
    const condition = route?.subDomain
    const only = Array.isArray(condition) && condition.length === 1 ? condition[0] : undefined
    const asked = parts.subDomain === undefined && subDomains.enabled ? only : parts.subDomain
    if (asked === undefined) return undefined
    const wanted = asked !== null && subDomains.ignore.has(asked) ? null : asked
    if (route && !subDomainMatches(condition, wanted)) {
      const others = Array.isArray(condition) ? condition.join(' or ') : 'another one'
      const rest = `does not match on the sub-domain ${JSON.stringify(asked)}.`
      const fix = `Leave "subDomain" out, or use ${others}.`
      throw failure('E_PARAMETER_INVALID', route, rest, fix, { parameter: 'subDomain', value: asked })
    }
    const { host } = this.#context
    if (host === undefined) throw noHost(route?.path ?? '')
    const { subDomain, domain, port } = parseHost(host, subDomains)
    if (wanted === subDomain) return undefined
    if (wanted === null) return host.startsWith(domain) ? undefined : domain + port
    return `${wanted}.${domain}${port}`
  }
}

function noHost(url: string): GenerationError {
  const message = `An absolute URL for "${url}" needs a host, and none is known.`
  const fix = 'Pass { host } to mapper.generator(), or among the values.'
  return new GenerationError('E_HOST', message, fix, { parameter: 'host', pattern: url })
}

/** Returns the names of the values that a route has: its defaults and its parameters. */
function namesOf({ defaults, pattern }: Route): Set<string> {
  return new Set([...Object.keys(defaults), ...pattern.parameters.map(({ name }) => name)])
}

/** Throws if a given value contradicts a default of the route, or the method is not one of the route's. */
function requireFixed(route: Route, values: Values, { method }: UrlParts): void {
  for (const [name, fixed] of route.defaultEntries) {
    const given = values[name]
    if (given === undefined || given === null || route.parameter(name) || String(given) === fixed) continue
    const rest = `has ${name} = ${JSON.stringify(fixed)}, but the value ${JSON.stringify(String(given))} is given.`
    const fix = `Leave "${name}" out, or use another route.`
    throw failure('E_PARAMETER_INVALID', route, rest, fix, { parameter: name, value: given })
  }
  const { methods } = route
  if (method === undefined || methods === null || methods.includes(method.toUpperCase())) return
  const rest = `does not take ${method.toUpperCase()}, only ${methods.join(', ')}.`
  const fix = 'Leave "method" out, or use another route.'
  throw failure('E_METHOD_NOT_ALLOWED', route, rest, fix, { parameter: 'method', value: method })
}
