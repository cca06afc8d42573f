/**
 * Routes that share prefixes and options.
 *
 * @module
 */

import type { RouteTable } from './mapper.ts'
import { type ResourceOptions, resourceRoutes } from './resource.ts'
import type { ConnectOptions } from './route.ts'
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
  Required,
  ResourceLink,
  RouteLink,
} from './types.ts'

/** What the routes of a sub-mapper share. Prefixes add up through nesting; requirements and conditions merge, the inner ones winning. */
export interface SubmapperOptions extends ConnectOptions {
  /** In front of every path. */
  readonly pathPrefix?: string | undefined
  /** In front of every name. */
  readonly namePrefix?: string | undefined
  /** What `link` and the actions call the thing; the controller by default. */
  readonly resourceName?: string | undefined
  /** What `index` calls the list. */
  readonly collectionName?: string | undefined
  /** False: `link` and the actions have no `{.format}`. */
  readonly formatted?: boolean | undefined
  /** Actions to define at once. */
  readonly actions?: readonly SubmapperAction[] | undefined
}

/** The actions that a sub-mapper has a method for. */
export type SubmapperAction = 'index' | 'create' | 'new' | 'show' | 'edit' | 'update' | 'delete'

/** A prefix as the compiler knows it. */
export type PrefixOf<Options, Kind extends 'namePrefix' | 'pathPrefix'> = Options extends {
  [Key in Kind]: infer Prefix extends string
}
  ? Prefix
  : ''

/** What a link takes. */
export interface LinkOptions {
  /** The path below the prefix, and the front of the name. */
  readonly rel?: string
  readonly name?: string | null
  readonly action?: string
  /** GET by default. */
  readonly method?: string
  readonly formatted?: boolean
}

/** A place to define routes that share prefixes and options. Made by a mapper. */
export class Submapper<
  Routes = NoRoutes,
  NamePrefix extends string = string,
  PathPrefix extends string = string,
> {
  /** Known to the compiler only. */
  declare readonly routeNames?: Routes
  /** Known to the compiler only. */
  declare readonly prefixes?: readonly [NamePrefix, PathPrefix]
  readonly #mapper: RouteTable
  readonly #options: SubmapperOptions
  /** The place for the members of a collection. */
  member: Submapper<NoRoutes> | undefined

  constructor(mapper: RouteTable, options: SubmapperOptions) {
    this.#mapper = mapper
    this.#options = options
    for (const action of options.actions ?? []) this[action]()
  }

  /** As {@link Mapper.connect}, with what is shared. */
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
    if (typeof second === 'string') this.#define(first, second, third ?? {})
    else this.#define(null, first ?? '', second ?? {})
    return this
  }

  /** As {@link Mapper.resource}, with what is shared. */
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
    for (const route of routes) this.#mapper.define(route.name, route.path, route.options, route.extras)
    return this
  }

  /** A place below this one. */
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
    const submapper = new Submapper<NoRoutes, never, never>(this.#mapper, merge(this.#options, options))
    if (!build) return submapper
    build(submapper)
    return this
  }

  /** A page below this place: `link({ rel: 'search' })` is `/search{.format}` with the name `search_<resource>`. */
  link(options: LinkOptions): this {
    const { rel, action = rel ?? 'index', method = 'GET' } = options
    const formatted = options.formatted ?? this.#options.formatted ?? true
    const resource = this.#options.resourceName ?? this.#options.controller
    const name =
      options.name === undefined ? [rel ?? action, resource].filter(Boolean).join('_') : options.name
    const path = (rel === undefined ? '' : `/${rel}`) + (formatted ? '{.format}' : '')
    this.#define(name, path, { action, conditions: { method } })
    return this
  }

  /** An action at this very place, with the name `<action>_<resource>`. */
  action(options: {
    readonly name?: string | null
    readonly action: string
    readonly method?: string
    readonly formatted?: boolean
  }): this {
    return this.link(options)
  }

  index(name: string | undefined = this.#options.collectionName): this {
    return this.link({ ...(name !== undefined && { name }), action: 'index' })
  }

  show(name: string | undefined = this.#options.resourceName ?? this.#options.controller): this {
    return this.link({ ...(name !== undefined && { name }), action: 'show' })
  }

  new(): this {
    return this.link({ rel: 'new' })
  }

  edit(): this {
    return this.link({ rel: 'edit' })
  }

  create(): this {
    return this.link({ action: 'create', method: 'POST' })
  }

  update(): this {
    return this.link({ action: 'update', method: 'PUT' })
  }

  delete(): this {
    return this.link({ action: 'delete', method: 'DELETE' })
  }

  #define(name: string | null, path: string, options: ConnectOptions): void {
    const { pathPrefix = '', namePrefix = '' } = this.#options
    const shared = this.#shared()
    this.#mapper.define(name === null ? null : namePrefix + name, joinPath(pathPrefix, path), {
      ...shared,
      ...options,
      requirements: { ...shared.requirements, ...options.requirements },
      conditions: { ...shared.conditions, ...options.conditions },
    })
  }

  /** The options that a route understands. */
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
  const { actions: _done, ...kept } = outer
  return {
    ...kept,
    ...inner,
    requirements: { ...outer.requirements, ...inner.requirements },
    conditions: { ...outer.conditions, ...inner.conditions },
    pathPrefix: (outer.pathPrefix ?? '') + (inner.pathPrefix ?? ''),
    namePrefix: (outer.namePrefix ?? '') + (inner.namePrefix ?? ''),
  }
}

/** A prefix and a path: the path may begin with a slash, a dot or a brace of its own. */
function joinPath(prefix: string, path: string): string {
  return prefix.endsWith('/') && path.startsWith('/') ? prefix.slice(0, -1) + path : prefix + path
}

/** What `collection` takes beside the two names. */
export interface CollectionOptions {
  /** Where the list is; `/<collection>` by default. */
  readonly pathPrefix?: string | undefined
  /** What stands behind the list's path for an entry; `/{id}` by default. */
  readonly memberPrefix?: string | undefined
  /** The controller; the member's name by default. */
  readonly controller?: string | undefined
  readonly namePrefix?: string | undefined
  /** The list's actions; `index`, `create` and `new` by default. */
  readonly collectionActions?: readonly SubmapperAction[] | undefined
  /** An entry's actions; `show`, `update`, `delete` and `edit` by default. */
  readonly memberActions?: readonly SubmapperAction[] | undefined
  /** What only an entry's routes have. */
  readonly memberOptions?: ConnectOptions | undefined
  readonly requirements?: ConnectOptions['requirements']
  readonly formatted?: boolean | undefined
}

/** Defines the routes of a collection within a sub-mapper. */
export function collectionRoutes(
  parent: Submapper,
  collection: string,
  member: string,
  options: CollectionOptions,
): Submapper {
  const list: Submapper = parent.submapper({
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
