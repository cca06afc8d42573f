/**
 * What the compiler knows of the routes: which names there are, and which values each needs.
 *
 * @module
 */

import type { PathNames } from './path-types.ts'
import type { Known, NoRoutes } from './route-types.ts'

/** A value for a parameter of a path. */
export type ParameterValue = string | number | bigint | boolean

/** A value for the query: a list repeats the key; null and undefined leave it out. */
export type QueryValue = ParameterValue | null | undefined | readonly (ParameterValue | null | undefined)[]

/** What shapes the URL beside the route: each may also be written with an underscore behind to be an ordinary value. */
export interface UrlParts {
  /** The fragment, without `#`. */
  readonly anchor?: string | undefined
  /** The host to lead to, with its port if any. */
  readonly host?: string | undefined
  /** `'https'`, or `''` for a URL that begins with `//`. */
  readonly protocol?: string | undefined
  /** True for an absolute URL on the present host. */
  readonly qualified?: boolean | undefined
  /** The sub-domain to lead to; null for the bare domain. */
  readonly subDomain?: string | null | undefined
  /** The method that the URL is meant for: an error when the route does not take it. */
  readonly method?: string | undefined
}

/** Values without any names to check them against. */
export interface LooseValues {
  readonly [name: string]: QueryValue
}

/** The values that a route takes: its parameters, and anything else for the query. */
export type ValuesFor<Names extends PathNames> = { readonly [Name in Names['required']]: ParameterValue } & {
  readonly [Name in Names['optional']]?: ParameterValue | null | undefined
} & UrlParts &
  LooseValues

/** The arguments behind a route's name: the values may be left out where none is needed. */
export type UrlArguments<Names> = Names extends PathNames
  ? [Names['required']] extends [never]
    ? [values?: ValuesFor<Names>]
    : [values: ValuesFor<Names>]
  : [values?: LooseValues]

/** The names that may be given: those of the routes, or any where none is known. */
export type RouteName<Routes> = [keyof Known<Routes>] extends [never] ? string : keyof Known<Routes> & string

/** What the route of a name takes. */
export type RouteNamed<Routes, Name> = Name extends keyof Known<Routes> ? Known<Routes>[Name] : unknown

/** A URL instead of a name: it gets the mount point in front, or is taken as it is. */
export type RawUrl = `/${string}` | `${string}://${string}`

/**
 * Where an application tells the compiler about its routes, so that `this.url` and redirects are checked.
 *
 * @example
 * ```ts ignore
 * declare module 'propylon/routing' {
 *   interface Register {
 *     map: typeof map
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: an application adds its mapper to it, which a type alias would not allow.
export interface Register {}

/** The routes of the registered mapper; none where there is none. */
export type RegisteredRoutes = Register extends { map: { readonly routeNames?: infer Routes } }
  ? NonNullable<Routes>
  : NoRoutes
