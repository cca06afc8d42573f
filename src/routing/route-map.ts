/**
 * The type of a mapper whose routes are defined by separate statements.
 *
 * @module
 */

import type { Built, Mapper } from './mapper.ts'
import type { ResourceOptions } from './resource.ts'
import type { ConnectOptions } from './route.ts'
import type { Submapper, SubmapperOptions } from './submapper.ts'
import type {
  CollectionNames,
  Known,
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
  PrefixOf,
  Required,
  ResourceLink,
  RouteLink,
} from './types.ts'

/**
 * A mapper whose routes are defined by separate statements. Each statement adds its names to the type of the variable, so
 * `typeof map` after the last statement has them all.
 *
 * The variable must have this type as an annotation. Statements return nothing; use a chain on `new Mapper()` for more than
 * about a hundred named routes, which the compiler checks faster.
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
export interface RouteMap extends Omit<Mapper, 'connect' | 'resource' | 'submapper' | 'mount'> {
  /** As {@link Mapper.connect}. */
  connect<
    const Name extends string,
    const Path extends string,
    const Options extends ConnectOptions = NoOptions,
  >(
    name: Name,
    path: Path,
    options?: Options & ConnectOptions,
  ): asserts this is Stated<Name, RouteLink<NoRoutes, Name, Required<Path, Options>, Optional<Path, Options>>>
  connect(path: string, options?: ConnectOptions): void
  connect(name: null, path: string, options?: ConnectOptions): void
  /** As {@link Mapper.resource}. */
  resource<
    const Member extends string,
    const Collection extends string,
    const Options extends ResourceOptions = NoOptions,
  >(
    member: Member,
    collection: Collection,
    options?: Options & ResourceOptions,
  ): asserts this is Stated<
    `${NameFront<Options>}${Member} ${Collection}`,
    ResourceLink<
      NoRoutes,
      CollectionNames<Member, Collection, Options>,
      MemberNames<Member, Options>,
      NameFront<Options>,
      PathFront<Options>,
      MemberNameFront<Options>,
      MemberPathFront<Options>
    >
  >
  /** As {@link Mapper.submapper}, with the function that defines its routes. */
  submapper<const Options extends SubmapperOptions, More>(
    options: Options,
    build: (
      submapper: Submapper<NoRoutes, PrefixOf<Options, 'namePrefix'>, PrefixOf<Options, 'pathPrefix'>>,
    ) => Built<More>,
  ): asserts this is Stated<keyof Known<More> & string, MountLink<NoRoutes, More, '', never>>
  /** As {@link Mapper.mount}. */
  mount<const Path extends string, More, const NamePrefix extends string = ''>(
    path: Path,
    other: Mapper<More>,
    options?: { readonly namePrefix?: NamePrefix },
  ): asserts this is Stated<
    `${NamePrefix} ${Path}`,
    MountLink<NoRoutes, More, NamePrefix, NamesIn<Path>['required']>
  >
}

/**
 * The routes of a statement, under a key of its own: the compiler compares the types before and after each statement, and
 * sees by the key that they differ.
 */
type Stated<Key extends string, Link> = { readonly [Name in `route ${Key}`]: Link }

/** The routes of all statements that a {@link RouteMap} has seen. */
export interface StatedRoutes<Map> {
  readonly previous: NoRoutes
  readonly more: Merged<{ [Name in keyof Map as Name extends `route ${string}` ? Name : never]: Map[Name] }>
}

/** The intersection of what the links add. The parameter of a union of functions is an intersection. */
type Merged<Links> = (
  Links[keyof Links] extends infer Link
    ? Link extends { readonly more: infer More }
      ? (more: More) => void
      : never
    : never
) extends (more: infer All) => void
  ? All
  : never
