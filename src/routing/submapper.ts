/**
 * Routes that share prefixes and options.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { type ResourceOptions, resourceRoutes } from './resource.ts'
import type { ConnectOptions, DefineRoute } from './route.ts'
import type {
  CollectionNames,
  MemberNames,
  MemberPathFront,
  MountLink,
  NameFront,
  NamesIn,
  NoOptions,
  NoRoutes,
  Optional,
  PathFront,
  PrefixOf,
  Required,
  ResourceLink,
  RouteLink,
} from './types.ts'

/** The options of a sub-mapper. Prefixes add up when nested; requirements and conditions merge, and the inner ones win. */
export interface SubmapperOptions extends ConnectOptions {
  /** The beginning of every path. */
  readonly pathPrefix?: string | undefined
  /** The beginning of every name. */
  readonly namePrefix?: string | undefined
  /** The name of the resource, for `link` and the actions. Defaults to the controller. */
  readonly resourceName?: string | undefined
  /** The name of the list, for `index`. */
  readonly collectionName?: string | undefined
  /** False if the paths of `link` and of actions have no `{.format}`. */
  readonly formatted?: boolean | undefined
  /** Actions to define at once. */
  readonly actions?: readonly SubmapperAction[] | undefined
}

/** The actions that a sub-mapper has a method for. */
export type SubmapperAction = 'index' | 'create' | 'new' | 'show' | 'edit' | 'update' | 'delete'

/** The options of an action. Every other key is a default or an option of `connect`. */
export interface ActionOptions extends ConnectOptions {
  /** Defaults to `<action>_<resource>`; null for none. */
  readonly name?: string | null
  /** Defaults to GET. */
  readonly method?: string
  readonly formatted?: boolean
}

/** The options of a link. Every other key is a default or an option of `connect`. */
export interface LinkOptions extends ActionOptions {
  /** The path below the prefix, and the beginning of the name. Defaults to the name. */
  readonly rel?: string
}

/** The options of `collection`. */
export interface CollectionOptions {
  /** The path of the list. Defaults to `/<collection>`. */
  readonly pathPrefix?: string | undefined
  /** The path of an entry below that of the list. Defaults to `/{id}`. */
  readonly memberPrefix?: string | undefined
  /** Defaults to the name of the member. */
  readonly controller?: string | undefined
  readonly namePrefix?: string | undefined
  /** The actions of the list. Defaults to `index`, `create` and `new`. */
  readonly collectionActions?: readonly SubmapperAction[] | undefined
  /** The actions of an entry. Defaults to `show`, `update`, `delete` and `edit`. */
  readonly memberActions?: readonly SubmapperAction[] | undefined
  /** Options of the routes of an entry. */
  readonly memberOptions?: ConnectOptions | undefined
  readonly requirements?: ConnectOptions['requirements']
  readonly formatted?: boolean | undefined
}

/**
 * Defines routes that share prefixes and options. Created by `mapper.submapper()`.
 *
 * @example
 * ```ts
 * import { Mapper } from 'propylon/routing'
 *
 * const map = new Mapper()
 * const admin = map.submapper({ pathPrefix: '/admin', namePrefix: 'admin_', controller: 'admin' })
 * admin.connect('log', '/log', { action: 'log' }).resource('job', 'jobs')
 * map.url('admin_log') // '/admin/log'
 * ```
 */
export class Submapper<
  Routes = NoRoutes,
  NamePrefix extends string = string,
  PathPrefix extends string = string,
> {
  /** Exists only for the compiler. */
  declare readonly routeNames?: Routes
  /** Exists only for the compiler. */
  declare readonly prefixes?: readonly [NamePrefix, PathPrefix]
  readonly #define: DefineRoute
  readonly #options: SubmapperOptions
  /** The sub-mapper of the members of a collection. */
  member: Submapper<NoRoutes> | undefined

  constructor(define: DefineRoute, options: SubmapperOptions) {
    this.#define = define
    this.#options = options
    for (const action of options.actions ?? []) this[action]()
  }

  /** As {@link Mapper.connect}, with the shared options. */
  connect<const Path extends string, const Options extends ConnectOptions = NoOptions>(
    path: Path,
    options?: Options & ConnectOptions,
  ): Submapper<Routes, NamePrefix, PathPrefix>
  connect<
    const Name extends string,
    const Path extends string,
    const Options extends ConnectOptions = NoOptions,
  >(
    name: Name,
    path: Path,
    options?: Options & ConnectOptions,
  ): Submapper<
    RouteLink<
      Routes,
      `${NamePrefix}${Name}`,
      Required<`${PathPrefix}${Path}`, Options>,
      Optional<`${PathPrefix}${Path}`, Options>
    >,
    NamePrefix,
    PathPrefix
  >
  connect(name: null, path: string, options?: ConnectOptions): Submapper<Routes, NamePrefix, PathPrefix>
  connect(first: string | null, second?: string | ConnectOptions, third?: ConnectOptions): unknown {
    if (typeof second === 'string') this.#add(first, second, third ?? {})
    else this.#add(null, first ?? '', second ?? {})
    return this
  }

  /** As {@link Mapper.resource}, with the shared options. */
  resource<
    const Member extends string,
    const Collection extends string,
    const Options extends ResourceOptions = NoOptions,
  >(
    member: Member,
    collection: Collection,
    options?: Options & ResourceOptions,
  ): Submapper<
    ResourceLink<
      Routes,
      CollectionNames<Member, Collection, Options>,
      MemberNames<Member, Options>,
      `${NamePrefix}${NameFront<Options>}`,
      NamesIn<PathPrefix>['required'] | PathFront<Options>,
      Options extends { shallow: true } ? NamePrefix : `${NamePrefix}${NameFront<Options>}`,
      NamesIn<PathPrefix>['required'] | MemberPathFront<Options>
    >,
    NamePrefix,
    PathPrefix
  >
  resource(member: string, collection: string, options: ResourceOptions = {}): unknown {
    const { pathPrefix = '', namePrefix = '' } = this.#options
    const shared = this.#shared()
    const within: ResourceOptions = {
      ...options,
      controller: options.controller ?? shared.controller,
      requirements: { ...shared.requirements, ...options.requirements },
      conditions: { ...shared.conditions, ...options.conditions },
      formats: options.formats === undefined ? shared.formats : options.formats,
    }
    const routes = resourceRoutes(member, collection, within, { path: pathPrefix, names: namePrefix })
    for (const route of routes) this.#define(route.name, route.path, route.options, route.extras)
    return this
  }

  /** Returns a sub-mapper of this one, or calls `build` with it and returns this one. */
  submapper<const Options extends SubmapperOptions>(
    options: Options,
  ): Submapper<
    NoRoutes,
    `${NamePrefix}${PrefixOf<Options, 'namePrefix'>}`,
    `${PathPrefix}${PrefixOf<Options, 'pathPrefix'>}`
  >
  submapper<const Options extends SubmapperOptions, More>(
    options: Options,
    build: (
      submapper: Submapper<
        NoRoutes,
        `${NamePrefix}${PrefixOf<Options, 'namePrefix'>}`,
        `${PathPrefix}${PrefixOf<Options, 'pathPrefix'>}`
      >,
    ) => { readonly routeNames?: More },
  ): Submapper<MountLink<Routes, More, '', never>, NamePrefix, PathPrefix>
  submapper(
    options: SubmapperOptions,
    build?: (submapper: Submapper<NoRoutes, never, never>) => unknown,
  ): unknown {
    const submapper = new Submapper<NoRoutes, never, never>(this.#define, merge(this.#options, options))
    if (!build) return submapper
    build(submapper)
    return this
  }

  /** As {@link Mapper.collection}, with the shared options. */
  collection(collection: string, member: string, options: CollectionOptions = {}): Submapper {
    const list: Submapper = this.submapper({
      pathPrefix: options.pathPrefix ?? `/${collection}`,
      namePrefix: options.namePrefix ?? '',
      controller: options.controller ?? member,
      collectionName: collection,
      resourceName: member,
      requirements: options.requirements,
      formatted: options.formatted ?? true,
      actions: options.collectionActions ?? ['index', 'create', 'new'],
    })
    list.member = list.submapper({
      ...options.memberOptions,
      pathPrefix: options.memberPrefix ?? '/{id}',
      actions: options.memberActions ?? ['show', 'update', 'delete', 'edit'],
    })
    return list
  }

  /**
   * Defines a page below this place: `link({ rel: 'search' })` is `/search{.format}` with the name `search_<resource>`.
   *
   * @throws RouteDefinitionError E_ROUTE_OPTION - neither `rel` nor `name` is given.
   */
  link({ rel, ...options }: LinkOptions): this {
    const path = rel ?? options.name ?? undefined
    if (path === undefined) throw incomplete('link', 'rel')
    const name = options.name === undefined ? this.#nameOf(path) : options.name
    return this.#action(`/${path}`, { ...options, name, action: options.action ?? path })
  }

  /**
   * Defines an action at this place, with the name `<action>_<resource>`.
   *
   * @throws RouteDefinitionError E_ROUTE_OPTION - neither `action` nor `name` is given.
   */
  action(options: ActionOptions): this {
    const action = options.action ?? options.name ?? undefined
    if (action === undefined) throw incomplete('action', 'action')
    const name = options.name === undefined ? this.#nameOf(action) : options.name
    return this.#action('', { ...options, name, action })
  }

  index(name = this.#options.collectionName): this {
    return this.action({ ...(name !== undefined && { name }), action: 'index' })
  }

  show(name = this.#resource): this {
    return this.action({ ...(name !== undefined && { name }), action: 'show' })
  }

  new(): this {
    return this.link({ rel: 'new' })
  }

  edit(): this {
    return this.link({ rel: 'edit' })
  }

  create(): this {
    return this.action({ action: 'create', method: 'POST' })
  }

  update(): this {
    return this.action({ action: 'update', method: 'PUT' })
  }

  delete(): this {
    return this.action({ action: 'delete', method: 'DELETE' })
  }

  get #resource(): string | undefined {
    return this.#options.resourceName ?? this.#options.controller
  }

  #nameOf(action: string): string {
    return this.#resource === undefined ? action : `${action}_${this.#resource}`
  }

  #action(path: string, { name = null, method = 'GET', formatted, ...options }: ActionOptions): this {
    const suffix = (formatted ?? this.#options.formatted ?? true) ? '{.format}' : ''
    this.#add(name, path + suffix, { ...options, conditions: { ...options.conditions, method } })
    return this
  }

  #add(name: string | null, path: string, options: ConnectOptions): void {
    const { pathPrefix = '', namePrefix = '' } = this.#options
    const shared = this.#shared()
    this.#define(name === null ? null : namePrefix + name, joinPath(pathPrefix, path), {
      ...shared,
      ...options,
      requirements: { ...shared.requirements, ...options.requirements },
      conditions: { ...shared.conditions, ...options.conditions },
    })
  }

  /** The options that are not those of the sub-mapper itself. */
  #shared(): ConnectOptions {
    const {
      pathPrefix: _path,
      namePrefix: _name,
      resourceName: _resource,
      collectionName: _collection,
      formatted: _formatted,
      actions: _actions,
      ...shared
    } = this.#options
    return shared
  }
}

function merge(outer: SubmapperOptions, inner: SubmapperOptions): SubmapperOptions {
  const { actions: _, ...kept } = outer
  return {
    ...kept,
    ...inner,
    requirements: { ...outer.requirements, ...inner.requirements },
    conditions: { ...outer.conditions, ...inner.conditions },
    pathPrefix: (outer.pathPrefix ?? '') + (inner.pathPrefix ?? ''),
    namePrefix: (outer.namePrefix ?? '') + (inner.namePrefix ?? ''),
  }
}

/** Joins a prefix and a path, which can begin with a slash, a dot or a brace. */
function joinPath(prefix: string, path: string): string {
  return prefix.endsWith('/') && path.startsWith('/') ? prefix.slice(0, -1) + path : prefix + path
}

function incomplete(method: string, option: string): RouteDefinitionError {
  return new RouteDefinitionError(
    'E_ROUTE_OPTION',
    `${method}() needs "${option}" or "name".`,
    `Add one, as in ${method}({ ${option}: 'search' }).`,
    { parameter: option },
  )
}
