/**
 * How a mapper's type remembers its routes: as a chain of links, each holding nothing but literal types.
 *
 * The compiler copies object types again and again while it instantiates generics, at a cost that grows with the number of routes.
 * References to interfaces whose arguments are literals it leaves alone; so a mapper of a thousand routes costs no more to use
 * than one of ten. The chain becomes one object type once for each mapper, when a name is first looked up.
 *
 * @module
 */

import type { NamesIn } from './path-types.ts'
import type { ResourceNames } from './resource-types.ts'

/** The end of the chain: no routes are known. Any mapper is a `Mapper` of these, too. */
export type NoRoutes = unknown

/** No options at all. */
export type NoOptions = Record<never, never>

/** One more named route. */
export interface RouteLink<Previous, Name extends string, Required extends string, Optional extends string> {
  readonly previous: Previous
  readonly more: { [Key in Name]: { required: Required; optional: Optional } }
}

/** The routes of a resource. `Front` are the parameters in its path's prefix, `MemberFront` those in its members'. */
export interface ResourceLink<
  Previous,
  Collections extends string,
  Members extends string,
  NamePrefix extends string,
  Front extends string,
  MemberNamePrefix extends string,
  MemberFront extends string,
> {
  readonly previous: Previous
  readonly more: ResourceNames<Collections, Members, NamePrefix, Front, MemberNamePrefix, MemberFront>
}

/** The routes of another chain, with something in front of names and paths. */
export interface MountLink<Previous, Other, NamePrefix extends string, Front extends string> {
  readonly previous: Previous
  readonly more: Prefixed<Known<Other>, NamePrefix, Front>
}

type Prefixed<Routes, NamePrefix extends string, Front extends string> = {
  [Name in keyof Routes & string as `${NamePrefix}${Name}`]: Routes[Name] extends {
    required: infer Required extends string
    optional: infer Optional extends string
  }
    ? { required: Required | Front; optional: Optional }
    : never
}

/** All routes of a chain in one type: names, and the parameters of each. */
export type Known<Routes, Found = Record<never, never>> = Routes extends {
  previous: {
    previous: {
      previous: { previous: infer Previous; more: infer Fourth }
      more: infer Third
    }
    more: infer Second
  }
  more: infer First
}
  ? Known<Previous, Found & First & Second & Third & Fourth>
  : Routes extends { previous: infer Previous; more: infer More }
    ? Known<Previous, Found & More>
    : { [Name in keyof Found]: Found[Name] }

/** What generation cannot do without: a parameter with a default can be left out. */
export type Required<Path extends string, Options> = Exclude<NamesIn<Path>['required'], keyof Options>

/** What generation can do without. */
export type Optional<Path extends string, Options> =
  | NamesIn<Path>['optional']
  | Extract<NamesIn<Path>['required'], keyof Options>
