/**
 * The mapper: where routes are defined, matched and generated.
 *
 * @module
 */

import { MethodSet, type SubDomainSettings, TWO_LABELS } from './conditions.ts'
import { ControllerNames } from './controller-names.ts'
import {
  type Diagnosis,
  diagnose,
  formatTable,
  type NearMiss,
  nearMisses,
  type TableFilter,
  type TableRow,
  tableOf,
} from './diagnose.ts'
import { type Resolution, Resolver, type TrailingSlash } from './resolver.ts'
import { type ResourceOptions, resourceRoutes } from './resource.ts'
import {
  type ConnectOptions,
  defineRoute,
  type Extras,
  type Match,
  type Route,
  type RouteContext,
  rememberSite,
  remembersSites,
} from './route.ts'
import {
  type CollectionOptions,
  collectionRoutes,
  type PrefixOf,
  Submapper,
  type SubmapperOptions,
} from './submapper.ts'
import { Tree } from './tree.ts'
import type {
  CollectionNames,
  MemberNameFront,
  MemberNames,
  MemberPathFront,
  MountLink,
  NameFront,
  NamesIn,
  NoOptions,
  NoRoutes,
  Optional,
  PathFront,
  Required,
  ResourceLink,
  RouteLink,
} from './types.ts'
import {
  createGenerator,
  type GenerationContext,
  type GenerationSettings,
  RouteCatalogue,
  type UrlGenerator,
} from './url.ts'

/** How a mapper behaves. */
export interface MapperSettings {
  /** `/users/` where only `/users` is known: `'strict'` (the default) none, `'redirect'`, or `'ignore'` the difference. */
  readonly trailingSlash?: TrailingSlash | undefined
  /** Known formats of `{.format}` and of resources; `['html', 'json']` by default, null for any. */
  readonly formats?: readonly string[] | null | undefined
  /** Yields the names of the known controllers; without it `{controller}` takes any name. */
  readonly controllerScan?: (() => Iterable<string>) | undefined
  /** True to ask for the controllers before every match. */
  readonly alwaysScan?: boolean | undefined
  /** Stands in front of every path. */
  readonly prefix?: string | undefined
  /** True to end every generated path in a slash. */
  readonly appendSlash?: boolean | undefined
  /** True to have `subDomain` in every match, and to lead from one to another. */
  readonly subDomains?: boolean | undefined
  /** Sub-domains that count as none. */
  readonly subDomainsIgnore?: readonly string[] | undefined
  /** What a bare domain looks like at the end of a host; its last two labels by default. */
  readonly domainMatch?: RegExp | undefined
  /** Longer raw paths match nothing; 16384 by default. */
  readonly maxPathLength?: number | undefined
  /** Whether routes remember where they were defined; not in production by default. */
  readonly rememberSites?: boolean | undefined
}

/** What `match` and `routematch` take beside the path. */
export interface MatchContext extends RouteContext {
  /** Without it any method will do. */
  readonly method?: string | undefined
}

/** Routes in the order of definition, with what matches and generates them. */
export class RouteTable {
  /** Yields the names of the known controllers; null or undefined where any will do. */
  controllerScan: (() => Iterable<string>) | undefined
  /** False: controllers are scanned and routes indexed anew at the next match, whereupon it is true. */
  _created_regs = false
  readonly formats: readonly string[] | null
  readonly #settings: MapperSettings
  readonly #subDomains: SubDomainSettings
  readonly #methods = new MethodSet()
  readonly #catalogue = new RouteCatalogue()
  readonly #rememberSites: boolean
  #resolver: Resolver | undefined
  #resourceActions: Map<string, Map<string, readonly string[]>> | undefined

  constructor(settings: MapperSettings = {}) {
    this.#settings = settings
    this.controllerScan = settings.controllerScan
    this.formats = settings.formats === undefined ? ['html', 'json'] : settings.formats
    this.#rememberSites = settings.rememberSites ?? remembersSites()
    this.#subDomains = {
      enabled: settings.subDomains ?? false,
      ignore: new Set(settings.subDomainsIgnore),
      domain: settings.domainMatch ?? TWO_LABELS,
    }
  }

  /** The routes in the order of definition. */
  get routes(): readonly Route[] {
    return this.#catalogue.routes
  }

  /** Defines routes of another mapper once more, below a path. */
  extend(routes: Iterable<Route>, pathPrefix = '', namePrefix = ''): this {
    for (const { definition } of [...routes]) {
      const { name, path, options, extras } = definition
      const under = (inner: string) =>
        /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(inner) ? inner : join(pathPrefix, inner)
      const { redirect } = extras
      this.define(name === null ? null : namePrefix + name, under(path), options, {
        ...extras,
        aliases: (extras.aliases ?? []).map(under),
        ...(redirect && { redirect: { ...redirect, destination: under(redirect.destination) } }),
      })
    }
    return this
  }

  /** What `connect` and its kin come down to. */
  define(name: string | null, path: string, options: ConnectOptions, extras: Extras = {}): void {
    const site = this.#rememberSites ? rememberSite() : undefined
    const { formats } = this
    const prefix = this.#settings.prefix ?? ''
    this.#catalogue.add(
      defineRoute(name, path, options, extras, { formats, methods: this.#methods, prefix, site }),
    )
    this._created_regs = false
    this.#resourceActions = undefined
  }

  /**
   * What a path means.
   *
   * @param path - raw, still percent-encoded, without query.
   * @param context - with a `method`, only routes that take it match.
   * @returns the values (without prototype), or null when no route fits.
   */
  match(path: string, context?: MatchContext): Match | null {
    return this.routematch(path, context)?.[0] ?? null
  }

  /** As {@link match}, with the route. */
  routematch(path: string, context?: MatchContext): [match: Match, route: Route] | null {
    return this.#ready().first(context?.method, path, context)
  }

  /**
   * What is to become of a request: the one call that dispatch makes.
   *
   * @param method - upper case, as sent. HEAD is taken by routes for GET unless one names HEAD.
   * @param path - raw, still percent-encoded, without query and without the mount point.
   */
  resolve(method: string, path: string, context?: RouteContext): Resolution {
    return this.#ready().resolve(method, path, context)
  }

  /** The methods that routes whose path fits name themselves, sorted. */
  methodsAt(path: string, context?: RouteContext): readonly string[] {
    return this.#ready().methodsAt(path, context)
  }

  /** The routes as data, in order; static ones are left out. */
  table(filter?: TableFilter): TableRow[] {
    return tableOf(this.#catalogue.routes, filter)
  }

  /** The routes in columns: name, methods, path, controller, action. */
  toString(filter?: TableFilter): string {
    return formatTable(this.table(filter))
  }

  /** The routes as data, for `JSON.stringify`. */
  toJSON(): TableRow[] {
    return this.table()
  }

  /** Routes that can never be reached, names used twice, patterns that explode. */
  diagnose(): Diagnosis[] {
    const resolver = this.#ready()
    return diagnose(this.#catalogue.routes, resolver.tree, resolver.controllers)
  }

  /** Why a request finds no route: the routes that nearly match, the nearest first, and which condition fails. At most ten. */
  explain(method: string, path: string, context?: RouteContext): NearMiss[] {
    return nearMisses(this.#catalogue.routes, this.#ready().rejections(method, path, context), path)
  }

  /** Which methods the resources of a controller bind its actions to. */
  resourceActions(controller: string): ReadonlyMap<string, readonly string[]> | undefined {
    this.#resourceActions ??= resourceActionsOf(this.#catalogue.routes)
    return this.#resourceActions.get(controller)
  }

  /** What generation needs to know of the routes. */
  protected get generation(): GenerationSettings {
    return {
      catalogue: this.#catalogue,
      subDomains: this.#subDomains,
      appendSlash: this.#settings.appendSlash ?? false,
    }
  }

  #ready(): Resolver {
    if (this._created_regs && this.#resolver && !this.#settings.alwaysScan) return this.#resolver
    const controllers = this.controllerScan ? new ControllerNames(this.controllerScan()) : null
    this.#resolver = new Resolver(new Tree(this.#catalogue.routes, controllers), {
      controllers,
      methods: this.#methods,
      subDomains: this.#subDomains,
      trailingSlash: this.#settings.trailingSlash ?? 'strict',
      maxPathLength: this.#settings.maxPathLength ?? 16384,
    })
    this._created_regs = true
    return this.#resolver
  }
}

function join(front: string, path: string): string {
  return front.replace(/\/+$/, '') + (path.startsWith('/') ? path : `/${path}`)
}

function resourceActionsOf(routes: readonly Route[]): Map<string, Map<string, readonly string[]>> {
  const byController = new Map<string, Map<string, readonly string[]>>()
  for (const { resource, methods } of routes) {
    if (!resource || !methods) continue
    let actions = byController.get(resource.controller)
    if (!actions) {
      actions = new Map()
      byController.set(resource.controller, actions)
    }
    actions.set(resource.action, [...new Set([...(actions.get(resource.action) ?? []), ...methods])].sort())
  }
  return byController
}

/** What `redirect` takes: as `connect`, and the status. */
export interface RedirectOptions extends ConnectOptions {
  /** 302 by default; 301, 303, 307 or 308. */
  readonly status?: number
}

/** What a builder returns: the sub-mapper that it was given, with the names it has added. */
export interface Built<Routes> {
  readonly routeNames?: Routes
}

/**
 * Maps paths to what they mean, and back.
 *
 * @example
 * ```ts
 * import { Mapper } from 'propylon/routing'
 *
 * const map = new Mapper()
 *   .connect('home', '/', { controller: 'pages', action: 'index' })
 *   .resource('user', 'users')
 *
 * map.match('/users/joe')   // { controller: 'users', action: 'update', id: 'joe' }
 * map.resolve('GET', '/users/joe')
 * map.url('user', { id: 'joe' })   // '/users/joe'
 * ```
 */
export class Mapper<Routes = NoRoutes> extends RouteTable {
  /** Known to the compiler only. */
  declare readonly routeNames?: Routes
  #url: UrlGenerator<Routes> | undefined

  /**
   * Defines a route. What comes first is matched first.
   *
   * @param name - for generation; null or left out for none.
   * @param path - `{name}`, `{name:regex}`, `{.format}`; also `:name` and `*name`.
   * @param options - defaults by their names, and `requirements`, `conditions`, `formats`, `static`, `absolute`, `filter`.
   * @throws RouteDefinitionError when path or options are malformed.
   */
  connect<const Path extends string, const Options extends ConnectOptions = NoOptions>(
    path: Path,
    options?: Options & ConnectOptions,
  ): Mapper<Routes>
  connect<
    const Name extends string,
    const Path extends string,
    const Options extends ConnectOptions = NoOptions,
  >(
    name: Name,
    path: Path,
    options?: Options & ConnectOptions,
  ): Mapper<RouteLink<Routes, Name, Required<Path, Options>, Optional<Path, Options>>>
  connect(name: null, path: string, options?: ConnectOptions): Mapper<Routes>
  connect(first: string | null, second?: string | ConnectOptions, third?: ConnectOptions): RouteTable {
    if (typeof second === 'string') this.define(first, second, third ?? {})
    else this.define(null, first ?? '', second ?? {})
    return this
  }

  /**
   * Defines the routes of a resource: `index`, `create`, `new`, `edit`, `update`, `delete`, `show`.
   *
   * @param member - the singular, in the names of a member's routes: `user`, `new_user`, `edit_user`.
   * @param collection - the plural, in the path and in the name of the list; also the controller, unless another is given.
   */
  resource<
    const Member extends string,
    const Collection extends string,
    const Options extends ResourceOptions = NoOptions,
  >(
    member: Member,
    collection: Collection,
    options?: Options & ResourceOptions,
  ): Mapper<
    ResourceLink<
      Routes,
      CollectionNames<Member, Collection, Options>,
      MemberNames<Member, Options>,
      NameFront<Options>,
      PathFront<Options>,
      MemberNameFront<Options>,
      MemberPathFront<Options>
    >
  >
  resource(member: string, collection: string, options: ResourceOptions = {}): RouteTable {
    for (const route of resourceRoutes(member, collection, options)) {
      this.define(route.name, route.path, route.options, route.extras)
    }
    return this
  }

  /**
   * Defines the routes of a collection with `{.format}` suffixes: `entries`, `create_entry`, `new_entry`, `entry`,
   * `update_entry`, `delete_entry`, `edit_entry`.
   *
   * @returns the sub-mapper of the collection; its `member` is the one of its members.
   */
  collection(collection: string, member: string, options: CollectionOptions = {}): Submapper {
    return collectionRoutes(this.submapper({}), collection, member, options)
  }

  /**
   * Defines a path that leads to another.
   *
   * @param destination - a path or an absolute URL, whose `{name}`s are filled from the match.
   * @param options - as for `connect`, and `status` (302 by default; 301, 303, 307, 308).
   */
  redirect(path: string, destination: string, options: RedirectOptions = {}): this {
    const { status = 302, ...rest } = options
    this.define(null, path, rest, { redirect: { destination, status } })
    return this
  }

  /**
   * A place to define routes that share prefixes and options.
   *
   * @param build - defines them at once, so that the chain goes on with their names known to the compiler.
   */
  submapper<const Options extends SubmapperOptions>(
    options: Options,
  ): Submapper<NoRoutes, PrefixOf<Options, 'namePrefix'>, PrefixOf<Options, 'pathPrefix'>>
  submapper<const Options extends SubmapperOptions, More>(
    options: Options,
    build: (
      submapper: Submapper<NoRoutes, PrefixOf<Options, 'namePrefix'>, PrefixOf<Options, 'pathPrefix'>>,
    ) => Built<More>,
  ): Mapper<MountLink<Routes, More, '', never>>
  submapper(options: SubmapperOptions, build?: (submapper: Submapper) => unknown): unknown {
    const submapper = new Submapper(this, options)
    if (!build) return submapper
    build(submapper)
    return this
  }

  /**
   * Takes over the routes of another mapper below a path.
   *
   * @param options - `namePrefix` stands in front of the names.
   */
  mount<const Path extends string, More, const NamePrefix extends string = ''>(
    path: Path,
    other: RouteTable & Built<More>,
    options?: { readonly namePrefix?: NamePrefix },
  ): Mapper<MountLink<Routes, More, NamePrefix, NamesIn<Path>['required']>>
  mount(path: string, other: RouteTable, options: { readonly namePrefix?: string } = {}): RouteTable {
    return this.extend(other.routes, path, options.namePrefix)
  }

  /** Generates URLs for a request: with its mount point, its host, its match. */
  generator(context: GenerationContext = {}): UrlGenerator<Routes> {
    return createGenerator<Routes>(this.generation, context)
  }

  /** Generates URLs without a request. */
  get url(): UrlGenerator<Routes> {
    this.#url ??= this.generator()
    return this.#url
  }
}
