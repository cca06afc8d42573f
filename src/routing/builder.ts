/**
 * Defining routes: by a mapper, or by a sub-mapper whose routes share prefixes and options.
 *
 * @module
 */

import type { CheckedOptions, CheckedResource, CheckedScope, NoOptions, SubmapperOptions } from './builder-options.ts'
import { type EditPath, type ResourceOptions, resourceRoutes } from './resource.ts'
import type { ConnectOptions, DefineRoute } from './route.ts'
import type {
  Chain,
  CollectionNames,
  Front,
  MemberNames,
  MemberParam,
  NamedMount,
  NamedResource,
  NamedRoute,
  NoRoutes,
  PrefixOf,
  RequiredIn,
} from './types.ts'

/** A function from known routes to the type of a builder that has them. {@link With} applies it. */
export interface BuilderKind {
  readonly routes: unknown
  readonly builder: unknown
}

type With<Kind extends BuilderKind, Routes> = (Kind & { readonly routes: Routes })['builder']

/** The methods that a mapper and a sub-mapper share. */
export abstract class RouteBuilder<
  Kind extends BuilderKind,
  Routes,
  NamePrefix extends string,
  PathPrefix extends string,
> {
  /** Exists only for the compiler. */
  declare readonly routeNames?: Routes
  /** Exists only for the compiler. */
  declare readonly prefixes?: readonly [NamePrefix, PathPrefix]
  readonly #define: DefineRoute
  readonly #scope: SubmapperOptions
  readonly #editPath: EditPath

  /** @internal */
  constructor(define: DefineRoute, scope: SubmapperOptions, editPath: EditPath) {
    this.#define = define
    this.#scope = scope
    this.#editPath = editPath
  }

  /**
   * Defines a route.
   *
   * @param name - the name for generation; null or left out for none.
   * @param path - `{name}`, `{name:regex}`, `{.format}`; also `:name` and `*name`.
   * @param options - `requirements`, `conditions`, `formats`, `static`, `absolute`, `filter`, and defaults by their
   *   names.
   * @throws RouteDefinitionError - the path or an option is malformed.
   */
  connect<
    const Name extends string | null,
    const Path extends string,
    const Options extends ConnectOptions = NoOptions,
  >(
    name: Name,
    path: Path,
    options?: CheckedOptions<Options>,
  ): With<
    Kind,
    Chain<
      Routes,
      NamedRoute<Name extends string ? `${NamePrefix}${Name}` : never, `${PathPrefix}${Path}`, keyof Options>
    >
  >
  connect<const Path extends string, const Options extends ConnectOptions = NoOptions>(
    path: Path,
    options?: CheckedOptions<Options>,
  ): With<Kind, Routes>
  connect(first: string | null, second: string | ConnectOptions = {}, third: ConnectOptions = {}): unknown {
    const [name, path, given] = typeof second === 'string' ? [first, second, third] : [null, first ?? '', second]
    const { pathPrefix = '', namePrefix = '', ...shared } = this.#scope
    this.#define({
      name: name === null ? null : namePrefix + name,
      path: joinPath(pathPrefix, path),
      options: merged(shared, given),
    })
    return this
  }

  /**
   * Defines the routes of a resource: `index`, `create`, `new`, `edit`, `update`, `delete`, `show`.
   *
   * @param member - the singular, in the names of a member's routes: `user`, `new_user`, `edit_user`.
   * @param collection - the plural, in the path and in the name of the list; also the controller, unless another is
   *   given.
   */
  resource<
    const Member extends string,
    const Collection extends string,
    const Options extends ResourceOptions = NoOptions,
  >(
    member: Member,
    collection: Collection,
    options?: CheckedResource<Options>,
  ): With<
    Kind,
    // Computed here: a union that is an alias would keep the options, which the compiler copies with each link of the
    // chain.
    Chain<
      Routes,
      NamedResource<
        `${NamePrefix}${CollectionNames<Member, Collection, Options>}`,
        `${NamePrefix}${MemberNames<Member, Options>}`,
        RequiredIn<PathPrefix> | Front<Options>,
        RequiredIn<PathPrefix> | Front<Options> | MemberParam<Options>,
        keyof Options
      >
    >
  >
  resource(member: string, collection: string, options: ResourceOptions = {}): unknown {
    const { pathPrefix = '', namePrefix = '', controller, requirements, conditions, formats } = this.#scope
    const within: ResourceOptions = {
      ...options,
      controller: options.controller ?? controller,
      requirements: { ...requirements, ...options.requirements },
      conditions: { ...conditions, ...options.conditions },
      formats: options.formats === undefined ? formats : options.formats,
    }
    const place = { path: pathPrefix, names: namePrefix, editPath: this.#editPath }
    const routes = resourceRoutes(member, collection, within, place)
    for (const route of routes) this.#define(route)
    return this
  }

  /**
   * Defines the routes of an RPC controller: its URL with the action `index`, and the paths `<path>/{action}` of its
   * plain JSON calls, its MCP endpoint and its documents.
   *
   * @param name - the name for generation; also the controller, unless the options have another one.
   * @param options - as for `connect`; without a parameter or a default `action`.
   */
  rpc<const Name extends string, const Path extends string, const Options extends ConnectOptions = NoOptions>(
    name: Name,
    path: Path,
    options?: CheckedOptions<Options>,
  ): With<Kind, Chain<Routes, NamedRoute<`${NamePrefix}${Name}`, `${PathPrefix}${Path}`, keyof Options>>>
  rpc(name: string, path: string, options: ConnectOptions = {}): unknown {
    const service = { controller: this.#scope.controller ?? name, ...options }
    this.connect(name, path, { ...service, action: 'index' })
    this.connect(`${path.replace(/\/$/, '')}/{action}`, service)
    return this
  }

  /**
   * Returns a sub-mapper, whose routes share prefixes and options.
   *
   * @param build - defines the routes; then this object is returned, whose type has their names.
   */
  submapper<const Options extends SubmapperOptions>(
    options: CheckedScope<Options>,
  ): Scoped<Options, NamePrefix, PathPrefix>
  submapper<const Options extends SubmapperOptions, More>(
    options: CheckedScope<Options>,
    build: (submapper: Scoped<Options, NamePrefix, PathPrefix>) => Built<More>,
  ): With<Kind, Chain<Routes, NamedMount<More, '', ''>>>
  submapper(options: SubmapperOptions, build?: (submapper: Submapper<NoRoutes, never, never>) => unknown): unknown {
    const scope = this.#scope
    const inner = {
      ...merged(scope, options),
      pathPrefix: (scope.pathPrefix ?? '') + (options.pathPrefix ?? ''),
      namePrefix: (scope.namePrefix ?? '') + (options.namePrefix ?? ''),
    }
    const submapper = new Submapper<NoRoutes, never, never>(this.#define, inner, this.#editPath)
    if (!build) return submapper
    build(submapper)
    return this
  }
}

/** The result of the function given to `submapper`: the sub-mapper, with the names that were added. */
export interface Built<Routes> {
  readonly routeNames?: Routes
}

export interface SubmapperKind<NamePrefix extends string, PathPrefix extends string> extends BuilderKind {
  readonly builder: Submapper<this['routes'], NamePrefix, PathPrefix>
}

/** The sub-mapper for some options. */
export type Scoped<Options, NamePrefix extends string, PathPrefix extends string> = Submapper<
  NoRoutes,
  `${NamePrefix}${PrefixOf<Options, 'namePrefix'>}`,
  `${PathPrefix}${PrefixOf<Options, 'pathPrefix'>}`
>

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
> extends RouteBuilder<SubmapperKind<NamePrefix, PathPrefix>, Routes, NamePrefix, PathPrefix> {}

/** Returns options with others in their place. */
function merged<Options extends ConnectOptions>(outer: Options, inner: Options): Options {
  return {
    ...outer,
    ...inner,
    requirements: { ...outer.requirements, ...inner.requirements },
    conditions: { ...outer.conditions, ...inner.conditions },
  }
}

/** Joins a prefix and a path, which can begin with a slash, a dot or a brace. */
function joinPath(prefix: string, path: string): string {
  return prefix.endsWith('/') && path.startsWith('/') ? prefix.slice(0, -1) + path : prefix + path
}
