/**
 * The mapper: where routes are defined, matched and generated.
 *
 * @module
 */

import { type CollectionOptions, collectionRoutes } from './collection.ts'
import type { ConnectOptions } from './options.ts'
import type { NamesIn } from './path-types.ts'
import type { ResourceOptions } from './resource.ts'
import { resourceRoutes } from './resource.ts'
import type {
  CollectionNames,
  MemberNameFront,
  MemberNames,
  MemberPathFront,
  NameFront,
  PathFront,
} from './resource-types.ts'
import { RouteTable } from './route-table.ts'
import type {
  MountLink,
  NoOptions,
  NoRoutes,
  Optional,
  Required,
  ResourceLink,
  RouteLink,
} from './route-types.ts'
import { type PrefixOf, Submapper, type SubmapperOptions } from './submapper.ts'
import { createGenerator, type GenerationContext, type UrlGenerator } from './url.ts'

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
