/**
 * The type of the routes of an application, for the checks of its controllers.
 *
 * @module
 */

import type { Register } from '../base/register.ts'
import type { Built, Scoped } from './builder.ts'
import type { CheckedOptions, CheckedResource, CheckedScope, NoOptions, SubmapperOptions } from './builder-options.ts'
import type { Mapper } from './mapper.ts'
import type { ResourceOptions } from './resource.ts'
import type { ConnectOptions } from './route.ts'
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
} from './types.ts'

/** The routes of the registered mapper, or none. */
export type RegisteredRoutes = Register extends { map: infer Map }
  ? Map extends {
      readonly routeNames?: infer Routes
      readonly statedRoutes?: (entry: infer Entries) => void
    }
    ? unknown extends Routes
      ? Chain<NoRoutes, Entries>
      : NonNullable<Routes>
    : NoRoutes
  : NoRoutes

/**
 * A mapper whose routes are defined by separate statements. Each statement adds its names to the type of the
 * variable, so `typeof map` after the last statement has them all.
 *
 * The variable must have this type as an annotation. Statements return nothing; use a chain on `new Mapper()` for
 * more than about five hundred named routes, which the compiler checks faster.
 *
 * @example
 * ```ts
 * import { Mapper, type RouteMap } from 'propylon'
 *
 * export const map: RouteMap = new Mapper()
 * map.connect('home', '/', { controller: 'pages', action: 'index' })
 * map.resource('user', 'users')
 *
 * // Register it: declare module 'propylon' { interface Register { map: Routes } }
 * export type Routes = typeof map
 * ```
 */
export interface RouteMap<in Entries = never> extends Omit<Mapper, 'connect' | 'resource' | 'submapper' | 'mount'> {
  /**
   * Exists only for the compiler: a map with more entries is a subtype. Thus a statement replaces the type of the
   * variable, instead of making an intersection with all before.
   */
  readonly statedRoutes?: (entry: Entries) => void
  /** As {@link Mapper.connect}. */
  connect<const Name extends string, const Path extends string, const Options extends ConnectOptions = NoOptions>(
    name: Name,
    path: Path,
    options?: CheckedOptions<Options>,
  ): asserts this is RouteMap<Entries | NamedRoute<Name, Path, keyof Options>>
  connect<const Path extends string, const Options extends ConnectOptions = NoOptions>(
    name: null,
    path: Path,
    options?: CheckedOptions<Options>,
  ): void
  connect<const Path extends string, const Options extends ConnectOptions = NoOptions>(
    path: Path,
    options?: CheckedOptions<Options>,
  ): void
  /** As {@link Mapper.resource}. */
  resource<
    const Member extends string,
    const Collection extends string,
    const Options extends ResourceOptions = NoOptions,
  >(
    member: Member,
    collection: Collection,
    options?: CheckedResource<Options>,
  ): asserts this is RouteMap<
    | Entries
    | NamedResource<
        CollectionNames<Member, Collection, Options>,
        MemberNames<Member, Options>,
        Front<Options>,
        Front<Options> | MemberParam<Options>,
        keyof Options
      >
  >
  /** As {@link Mapper.submapper}, with the function that defines its routes. */
  submapper<const Options extends SubmapperOptions, More>(
    options: CheckedScope<Options>,
    build: (submapper: Scoped<Options, '', ''>) => Built<More>,
  ): asserts this is RouteMap<Entries | NamedMount<More, '', ''>>
  /** As {@link Mapper.mount}. */
  mount<const Path extends string, More, const NamePrefix extends string = ''>(
    path: Path,
    other: Mapper<More>,
    options?: { readonly namePrefix?: NamePrefix },
  ): asserts this is RouteMap<Entries | NamedMount<More, NamePrefix, Path>>
}
