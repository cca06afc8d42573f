/**
 * Generating URLs: by name, by controller and action, from the present request.
 *
 * @module
 */

import { similar } from '../text/suggest.ts'
import { type ControllerNames, parseHost, type SubDomainSettings, subDomainMatches } from './conditions.ts'
import { GenerationError } from './errors.ts'
import { encodePath, encodeSegment, isExternal, onThisHost, withQuery } from './percent.ts'
import type { Match, Route } from './route.ts'
import type {
  LooseValues,
  NeedsValues,
  NoRoutes,
  RawUrl,
  RouteName,
  RouteNamed,
  UrlArguments,
  UrlParts,
} from './types.ts'
import { own, queryOf, replaced, separate, type Values, writePath } from './url-path.ts'

/** The present request, as far as generation depends on it. Each part is optional. */
export interface GenerationContext {
  /** The mount point of the application, decoded. */
  readonly scriptName?: string | undefined
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
 * url('user', { id: 'joe', page: 2 }) // '/app/users/joe?page=2'
 * url('users', { qualified: true }) // 'http://example.com/app/users'
 * ```
 */
export interface UrlGenerator<Routes = NoRoutes> {
  /** Returns the URL of the route that fits a controller, an action and other values best. */
  (values: LooseValues & UrlParts): string
  /** Returns a URL with values in its query, below the mount point if it begins with a slash. */
  (url: RawUrl, values?: LooseValues & UrlParts): string
  /**
   * Returns the URL of a named route. Values that are not its parameters go to the query.
   *
   * @throws GenerationError - there is no such route, or a value is missing or does not match.
   */
  <const Name extends RouteName<Routes>>(
    name: Name,
    ...values: UrlArguments<RouteNamed<Routes, Name>>
  ): string
  /** Matches no correct call. The compiler's message shows the last overload. */
  <const Name extends RouteName<Routes>>(name: Name & NeedsValues<RouteNamed<Routes, Name>>): string
  /** Returns the URL of the present request with other values; null removes one. */
  current(values?: LooseValues & UrlParts, options?: CurrentOptions): string
  /** Returns the URL of a named route, whose parameters default to the values of the present request. */
  current(name: RouteName<Routes>, values?: LooseValues & UrlParts, options?: CurrentOptions): string
}

/** The routes of a mapper, indexed for generation. */
export class RouteIndex {
  readonly routes: Route[] = []
  readonly #byName = new Map<string, Route>()
  readonly #byController = new Map<string | undefined, Route[]>()

  add(route: Route): void {
    this.routes.push(route)
    if (route.name !== null) this.#byName.set(route.name, route)
    if (route.static || route.redirect) return
    const key = route.controller
    const siblings = this.#byController.get(key)
    if (siblings) siblings.push(route)
    else this.#byController.set(key, [route])
  }

  /** Returns the route with a name; the one defined last if several have it. */
  named(name: string): Route | undefined {
    return this.#byName.get(name)
  }

  get names(): Iterable<string> {
    return this.#byName.keys()
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
  const url = (first: string | Values, values: Values = {}): string =>
    typeof first === 'string' ? generation.named(first, values) : generation.byValues(first)
  const current = (first: string | Values = {}, second: Values = {}, third: CurrentOptions = {}): string =>
    typeof first === 'string'
      ? generation.currentNamed(first, second, third)
      : generation.current(first, second)
  return Object.assign(url, { current })
}

class Generation {
  readonly #settings: GenerationSettings
  readonly #context: GenerationContext

  constructor(settings: GenerationSettings, context: GenerationContext) {
    this.#settings = settings
    this.#context = context
  }

  named(name: string, values: Values): string {
    const { index } = this.#settings
    const route = index.named(name)
    if (route) return this.#write(route, route.filter ? route.filter({ ...values }) : values)
    if (name.startsWith('/') || isExternal(name)) return this.#raw(name, values)
    const meant = similar(name, index.names)
    throw new GenerationError(
      'E_ROUTE_UNKNOWN',
      `There is no route named "${name}".`,
      meant === undefined ? 'Define it, or use the name of a defined route.' : `Did you mean "${meant}"?`,
      { route: name },
    )
  }

  byValues(given: Values): string {
    const present = this.#context.match?.controller ?? undefined
    const controllers =
      given.controller === undefined && present !== undefined
        ? [present, undefined]
        : [given.controller ?? present]
    let cause: unknown
    for (const controller of controllers) {
      const values =
        controller === undefined ? given : { ...given, controller, action: given.action ?? 'index' }
      const routes = this.#settings.index.withController(
        controller === undefined ? undefined : String(controller),
      )
      for (const route of this.#rank(routes, values)) {
        try {
          return this.#write(route, values)
        } catch (error) {
          if (!(error instanceof GenerationError)) throw error
          cause = error
        }
      }
    }
    throw new GenerationError(
      'E_ROUTE_NOT_FOUND',
      `No route fits ${JSON.stringify(given)}.`,
      'Define a route for this controller and action, or add the values that one needs.',
      { value: given, cause },
    )
  }

  current(given: Values, options: CurrentOptions): string {
    const { match, route } = this.#context
    const values = replaced(match ?? {}, given)
    if (given.controller !== undefined && given.action === undefined) delete values.action
    const url = route && this.#fits(route, values) ? this.#write(route, values) : this.byValues(values)
    return withQuery(url, this.#keptQuery(given, options))
  }

  currentNamed(name: string, given: Values, options: CurrentOptions): string {
    const parameters = this.#settings.index.named(name)?.pattern.parameters ?? []
    const present = Object.fromEntries(
      parameters.map((one) => [one.name, this.#context.match?.[one.name] ?? null]),
    )
    return withQuery(this.named(name, replaced(present, given)), this.#keptQuery(given, options))
  }

  #keptQuery(given: Values, { query: isKept }: CurrentOptions): string {
    const { query } = this.#context
    if (!isKept || !query) return ''
    const isReplaced = (pair: string) => {
      try {
        return Object.hasOwn(given, decodeURIComponent(pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? ''))
      } catch {
        // A key that cannot be decoded is not that of a value.
        return pair === ''
      }
    }
    return query
      .split('&')
      .filter((pair) => !isReplaced(pair))
      .join('&')
  }

  /** Returns true if a route has the given values among its defaults and parameters, and has all that it needs. */
  #fits(route: Route, values: Values): boolean {
    const hasAll = route.pattern.parameters.every(
      ({ name, suffix }) => suffix || (own(values, name) ?? route.defaults[name] ?? undefined) !== undefined,
    )
    const hasFixed = route.defaultNames.every((name) => {
      const given = own(values, name) ?? undefined
      if (route.parameter(name)) return true
      return given === undefined
        ? name !== 'controller' && name !== 'action'
        : String(given) === route.defaults[name]
    })
    const has = (name: string) => name in route.defaults || route.parameter(name) !== undefined
    const { controller, action } = values
    if (!hasAll || !hasFixed || ((controller ?? undefined) !== undefined && !has('controller'))) return false
    const known = route.parameter('controller') && controller ? this.#settings.controllers() : null
    if (known !== null && known.find(String(controller)) === undefined) return false
    // A route that has no action has the action index.
    return (action ?? 'index') === 'index' || has('action')
  }

  /** Returns the routes that fit: those whose names are nearest to the given ones first, then the shortest. */
  #rank(routes: readonly Route[], values: Values): Route[] {
    const given = new Set(
      Object.keys(values).filter((name) => (own(values, name) ?? undefined) !== undefined),
    )
    return routes
      .filter((route) => this.#fits(route, values))
      .map((route) => {
        const names = new Set([...route.pattern.parameters.map(({ name }) => name), ...route.defaultNames])
        const common = [...names].filter((name) => given.has(name)).length
        return { route, distance: names.size + given.size - 2 * common, size: names.size }
      })
      .sort((a, b) => a.distance - b.distance || a.size - b.size)
      .map(({ route }) => route)
  }

  #raw(url: string, values: Values): string {
    const { parts, rest } = separate(values, () => false)
    const front = url.startsWith('/') && !isExternal(url) ? encodePath(this.#context.scriptName ?? '') : ''
    return this.#complete(
      withQuery(
        front + url,
        queryOf(rest, () => true),
      ),
      parts,
      isExternal(url),
    )
  }

  #write(route: Route, values: Values): string {
    const { pattern, defaults } = route
    const isParameter = (name: string) => pattern.parameters.some((parameter) => parameter.name === name)
    const { parts, rest } = separate(values, isParameter)
    requireFixed(route, rest, parts)
    let path = writePath(route, (name) => own(rest, name) ?? defaults[name])
    if (this.#settings.appendSlash && !pattern.url && !path.endsWith('/')) path += '/'
    const external = isExternal(pattern.template)
    const front = external || route.absolute ? '' : encodePath(this.#context.scriptName ?? '')
    const query = queryOf(
      rest,
      (name) => !isParameter(name) && !(name in defaults) && name !== 'controller' && name !== 'action',
    )
    return this.#complete(withQuery(front + path, query), parts, external, route)
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
      const fix = 'Use a host name, with a port if needed.'
      throw new GenerationError('E_HOST', `${JSON.stringify(host)} is not a host.`, fix, {
        parameter: 'host',
        value: host,
      })
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
      throw new GenerationError(
        'E_PARAMETER_INVALID',
        `Route "${route.label}" (${route.path}) does not match on the sub-domain ${JSON.stringify(asked)}.`,
        `Leave "subDomain" out, or use ${Array.isArray(condition) ? condition.join(' or ') : 'another one'}.`,
        { route: route.label, parameter: 'subDomain', pattern: route.path, value: asked },
      )
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
  return new GenerationError(
    'E_HOST',
    `An absolute URL for "${url}" needs a host, and none is known.`,
    'Pass { host } to mapper.generator(), or among the values.',
    { parameter: 'host', pattern: url },
  )
}

/** Throws if a given value contradicts a default of the route, or the method is not one of the route's. */
function requireFixed(route: Route, values: Values, { method }: UrlParts): void {
  const { label, path, methods } = route
  for (const name of route.defaultNames) {
    const [fixed, given] = [route.defaults[name], own(values, name)]
    if (given === undefined || given === null || route.parameter(name) || String(given) === fixed) continue
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${path}) has ${name} = ${JSON.stringify(fixed)}, but the value ${JSON.stringify(String(given))} is given.`,
      `Leave "${name}" out, or use another route.`,
      { route: label, parameter: name, pattern: path, value: given },
    )
  }
  if (method === undefined || methods === null || methods.includes(method.toUpperCase())) return
  throw new GenerationError(
    'E_METHOD_NOT_ALLOWED',
    `Route "${label}" (${path}) does not take ${method.toUpperCase()}, only ${methods.join(', ')}.`,
    'Leave "method" out, or use another route.',
    { route: label, parameter: 'method', pattern: path, value: method },
  )
}
