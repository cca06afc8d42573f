/**
 * The mapper: defines routes, resolves requests, generates URLs.
 *
 * @module
 */

import { getOrCreate } from '../base/get-or-create.ts'
import { UNSAFE_METHODS } from '../base/methods.ts'
import { checkNames } from '../base/suggest.ts'
import { type BuilderKind, RouteBuilder } from './builder.ts'
import { ControllerNames, MethodSet, type SubDomainSettings } from './conditions.ts'
import {
  type ActionRequest,
  type Diagnosis,
  diagnose,
  nearMisses,
  type TableRow,
  tableOf,
  takenBy,
} from './diagnose.ts'
import { accepts } from './pattern.ts'
import { isExternal } from './percent.ts'
import { type NearMiss, type Resolution, Resolver, type TrailingSlash } from './resolver.ts'
import type { EditPath } from './resource.ts'
import {
  type ConnectOptions,
  type Match,
  Route,
  type RouteContext,
  type RouteDefinition,
  recordSite,
  underPrefix,
} from './route.ts'
import { RouteDefinitionError } from './routing-error.ts'
import { Tree } from './tree.ts'
import type { Chain, NamedMount, NoRoutes } from './types.ts'
import { createGenerator, type GenerationContext, RouteIndex, type UrlGenerator } from './url.ts'

/** The settings of a mapper. */
export interface MapperSettings {
  /**
   * Treatment of a path that matches only with, or only without, a trailing slash. Defaults to `'strict'`: it does
   * not match. With `appendSlash` it defaults to `'ignore'`.
   */
  readonly trailingSlash?: TrailingSlash | undefined
  /** Known formats of `{.format}` and of resources; null for any. Defaults to `['html', 'json']`. */
  readonly formats?: readonly string[] | null | undefined
  /** Returns the names of the known controllers; without it `{controller}` accepts any name. */
  readonly controllerScan?: (() => Iterable<string>) | undefined
  /**
   * The path of `edit` that `url()` writes for resources: `/users/1;edit` or `/users/1/edit`. Both match. Defaults to
   * `';edit'`, as in Pylons; Routes 2 has `'/edit'`.
   */
  readonly editPath?: EditPath | undefined
  /** The beginning of every path. */
  readonly prefix?: string | undefined
  /**
   * True if every generated path ends in a slash. Paths then match with and without it, unless `trailingSlash` says
   * otherwise.
   */
  readonly appendSlash?: boolean | undefined
  /** True if every match has `subDomain`, and URLs can lead from one sub-domain to another. */
  readonly subDomains?: boolean | undefined
  /** Sub-domains that count as none. */
  readonly subDomainsIgnore?: readonly string[] | undefined
  /** Maximum length of a raw path, in characters; a longer one does not match. Defaults to 16384. */
  readonly maxPathLength?: number | undefined
  /** True if routes record where they were defined. Defaults to true, unless NODE_ENV is `production`. */
  readonly rememberSites?: boolean | undefined
}

/** The context of `match` and `routematch`. */
export interface MatchContext extends RouteContext {
  /** Without a method, routes of any method match. */
  readonly method?: string | undefined
}

/** The options of `redirect`: the options of `connect`, and the status. */
export interface RedirectOptions extends ConnectOptions {
  /** 301, 302 (the default), 303, 307 or 308. */
  readonly status?: number
}

export interface MapperKind extends BuilderKind {
  readonly builder: Mapper<this['routes']>
}

/**
 * Maps paths to values, and values to paths. Routes are matched in the order of their definition.
 *
 * @see docs/guides/routing.md
 * @example
 * ```ts
 * import { Mapper } from 'propylon/routing'
 *
 * const map = new Mapper()
 *   .connect('home', '/', { controller: 'pages', action: 'index' })
 *   .resource('user', 'users')
 *
 * map.match('/users/joe', { method: 'GET' }) // { controller: 'users', action: 'show', id: 'joe' }
 * map.resolve('GET', '/users/joe').kind // 'match'
 * map.url('user', { id: 'joe' }) // '/users/joe'
 * ```
 */
export class Mapper<Routes = NoRoutes> extends RouteBuilder<MapperKind, Routes, '', ''> {
  /** Returns the names of the known controllers; undefined if any name is accepted. */
  controllerScan: (() => Iterable<string>) | undefined
  /**
   * Whether the controllers are scanned and the routes indexed. Set it to false to repeat both before the next match.
   */
  _created_regs = false
  readonly #settings: MapperSettings
  readonly #formats: readonly string[] | null
  readonly #subDomains: SubDomainSettings
  readonly #methods = new MethodSet()
  readonly #index = new RouteIndex()
  #resolver: Resolver | undefined
  /** By the name of the controller. */
  readonly #resourceActions = new Map<string, ActionMethods>()
  readonly #unsafeActions = new Map<string, ActionMethods>()
  #url: UrlGenerator<Routes> | undefined

  constructor(settings: MapperSettings = {}) {
    super((definition) => this.#define(definition), {}, checkedEditPath(settings.editPath))
    checkNames(
      'Mapper',
      settings,
      'trailingSlash formats controllerScan editPath prefix appendSlash subDomains subDomainsIgnore maxPathLength rememberSites',
    )
    this.#settings = settings
    this.controllerScan = settings.controllerScan
    this.#formats = settings.formats === undefined ? ['html', 'json'] : settings.formats
    this.#subDomains = { enabled: settings.subDomains ?? false, ignore: new Set(settings.subDomainsIgnore) }
  }

  /** The routes in the order of definition. */
  get routes(): readonly Route[] {
    return this.#index.routes
  }

  /**
   * Defines a path that leads to another. A redirect of a path to itself, as from '' to '/', is left out.
   *
   * @param destination - a path or an absolute URL, whose `{name}`s are filled from the match.
   * @param options - as for `connect`, and `status` (302 by default; 301, 303, 307, 308).
   */
  redirect(path: string, destination: string, options: RedirectOptions = {}): this {
    const { status = 302, ...rest } = options
    const leadsToItself = underPrefix(this.#settings.prefix ?? '', path) === destination
    if (!leadsToItself) this.#define({ name: null, path, options: rest, extras: { redirect: { destination, status } } })
    return this
  }

  /**
   * Defines the routes that another mapper has at this moment again, below a path.
   *
   * @param options - `namePrefix` is the beginning of the names.
   */
  mount<const Path extends string, More, const NamePrefix extends string = ''>(
    path: Path,
    other: Mapper<More>,
    options?: { readonly namePrefix?: NamePrefix },
  ): Mapper<Chain<Routes, NamedMount<More, NamePrefix, Path>>>
  mount(path: string, other: Mapper<unknown>, options: { readonly namePrefix?: string } = {}): unknown {
    const { namePrefix = '' } = options
    // The path '' of the other mapper is its root.
    const below = (inner: string) => (isExternal(inner) ? inner : underPrefix(path, inner || '/'))
    for (const { definition } of [...other.routes]) {
      const { name, extras = {} } = definition
      const { redirect, aliases = [] } = extras
      this.#define({
        name: name === null ? null : namePrefix + name,
        path: below(definition.path),
        options: definition.options,
        extras: {
          ...extras,
          aliases: aliases.map(below),
          ...(redirect && { redirect: { ...redirect, destination: below(redirect.destination) } }),
        },
      })
    }
    return this
  }

  /**
   * Returns the values of a path, or null if no route matches.
   *
   * @param path - raw, still percent-encoded, without a query.
   * @param context - with a `method`, only routes that accept it match.
   */
  match(path: string, context?: MatchContext): Match | null {
    return this.routematch(path, context)?.[0] ?? null
  }

  /** As {@link match}, with the route. */
  routematch(path: string, context?: MatchContext): [match: Match, route: Route] | null {
    return this.#ready().first(context?.method, path, context)
  }

  /**
   * Resolves a request.
   *
   * @param method - upper case, as sent. HEAD is accepted by routes for GET, unless a route names HEAD.
   * @param path - raw, still percent-encoded, without a query and without the mount point.
   */
  resolve(method: string, path: string, context?: RouteContext): Resolution {
    return this.#ready().resolve(method, path, context)
  }

  /** Returns the methods that the routes at a path name themselves, sorted. */
  methodsAt(path: string, context?: RouteContext): readonly string[] {
    return this.#ready().methodsAt(path, context)
  }

  /** Returns the routes as data, in order, without static ones. */
  table(): TableRow[] {
    return tableOf(this.routes)
  }

  /** Returns the routes that can never be reached, and the names that are used twice. */
  diagnose(): Diagnosis[] {
    return diagnose(this.routes, this.#ready().tree)
  }

  /**
   * Returns the route that receives all requests of a later route for an action, and leads elsewhere. Undefined if
   * there is none.
   *
   * @internal
   */
  takenBy(route: Route, request: ActionRequest): Route | undefined {
    return takenBy(route, request, this.#ready().tree)
  }

  /**
   * Returns the routes that nearly match a request, the nearest first, with the reason why they do not. At most ten.
   */
  explain(method: string, path: string, context?: RouteContext): NearMiss[] {
    const resolver = this.#ready()
    const rejections = [...this.#formatMisses(method, path, context), ...resolver.rejections(method, path, context)]
    return nearMisses(this.routes, rejections, path, resolver.tree.controllers)
  }

  /** Returns the route that matches a path with another format than the one in its suffix. */
  #formatMisses(method: string, path: string, context: RouteContext | undefined): NearMiss[] {
    const [, front, format] = /^(.*\.)([\w-]+)$/.exec(path) ?? []
    const known = new Set(this.routes.flatMap(({ formats }) => formats ?? []))
    for (const each of front === undefined ? [] : known) {
      const other = this.resolve(method, front + each, context)
      if (other.kind !== 'match' || other.match.format !== each) continue
      const { route } = other
      const detail = `has the formats ${route.formats?.join(', ')}, not ${JSON.stringify(format)}; list it in the option formats of the route, the resource or the mapper`
      return [{ route, condition: 'path', detail }]
    }
    return []
  }

  /** Returns the methods of each action of a controller that resources define. */
  resourceActions(controller: string): ActionMethods {
    const actionOf = ({ resource }: Route) => (resource?.controller === controller ? resource.action : undefined)
    return getOrCreate(this.#resourceActions, controller, () => methodsOf(this.routes, actionOf))
  }

  /**
   * Returns the methods of the actions of a controller that run with these only, whatever route leads to them: routes
   * that name the action give it methods, and all of them change something (POST, PUT, PATCH, DELETE). A route with
   * `{controller}` in its path names the action of each controller.
   */
  unsafeActions(controller: string): ActionMethods {
    const known = this.#unsafeActions.get(controller)
    if (known !== undefined) return known
    const named = methodsOf(this.routes, (route) => (leadsTo(route, controller) ? route.action : undefined))
    const isUnsafe = (method: string) => UNSAFE_METHODS.includes(method)
    const found = new Map([...named].filter(([, methods]) => methods.every(isUnsafe)))
    this.#unsafeActions.set(controller, found)
    return found
  }

  /** Returns a generator of URLs for a request: with its mount point, its host, its match. */
  generator(context: GenerationContext = {}): UrlGenerator<Routes> {
    const settings = {
      index: this.#index,
      subDomains: this.#subDomains,
      appendSlash: this.#settings.appendSlash ?? false,
      controllers: () => this.#ready().tree.controllers,
    }
    return createGenerator<Routes>(settings, context)
  }

  /** Generates URLs without a request. */
  get url(): UrlGenerator<Routes> {
    this.#url ??= this.generator()
    return this.#url
  }

  #define(definition: RouteDefinition): void {
    const site = (this.#settings.rememberSites ?? recordsSites()) ? recordSite() : undefined
    const settings = { formats: this.#formats, methods: this.#methods, prefix: this.#settings.prefix ?? '', site }
    this.#index.add(new Route(definition, settings))
    this._created_regs = false
    this.#resourceActions.clear()
    this.#unsafeActions.clear()
  }

  #ready(): Resolver {
    if (this._created_regs && this.#resolver) return this.#resolver
    const { appendSlash, maxPathLength = 16384, trailingSlash = appendSlash ? 'ignore' : 'strict' } = this.#settings
    const controllers = this.controllerScan ? new ControllerNames(this.controllerScan()) : null
    this.#resolver = new Resolver(new Tree(this.routes, controllers), {
      methods: this.#methods,
      subDomains: this.#subDomains,
      trailingSlash,
      maxPathLength,
    })
    this._created_regs = true
    return this.#resolver
  }
}

/** @throws RouteDefinitionError E_ROUTE_OPTION - the path is another one. */
function checkedEditPath(editPath: EditPath = ';edit'): EditPath {
  if (editPath === ';edit' || editPath === '/edit') return editPath
  const message = `new Mapper() received the editPath ${JSON.stringify(editPath)}.`
  const details = { parameter: 'editPath', value: editPath }
  throw new RouteDefinitionError('E_ROUTE_OPTION', message, "Use '/edit' or ';edit', the default.", details)
}

function recordsSites(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV !== 'production'
}

/** Methods of actions by name. */
type ActionMethods = ReadonlyMap<string, readonly string[]>

function leadsTo(route: Route, controller: string): boolean {
  const parameter = route.parameter('controller')
  return parameter === undefined ? route.controller === controller : accepts(parameter, controller)
}

/** Joins the methods that routes give to their actions. Dashes in the names of actions are underscores. */
function methodsOf(routes: readonly Route[], actionOf: (route: Route) => string | undefined): ActionMethods {
  const all = new Map<string, readonly string[]>()
  for (const route of routes) {
    const action = route.methods === null ? undefined : actionOf(route)?.replaceAll('-', '_')
    if (action === undefined) continue
    all.set(action, [...new Set([...(all.get(action) ?? []), ...(route.methods ?? [])])].sort())
  }
  return all
}
