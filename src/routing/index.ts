/**
 * `propylon/routing`: paths to meanings and back. It depends on nothing else.
 *
 * @module
 */

export type { CollectionOptions } from './collection.ts'
export type { Diagnosis } from './diagnose.ts'
export {
  type GenerationCode,
  GenerationError,
  type RouteDefinitionCode,
  RouteDefinitionError,
  RoutingError,
  type RoutingErrorDetails,
} from './errors.ts'
export type { NearMiss } from './explain.ts'
export { type Built, Mapper, type RedirectOptions } from './mapper.ts'
export type {
  ConditionFunction,
  Conditions,
  ConnectOptions,
  DefaultValue,
  GenerationFilter,
  Match,
  ResourceInfo,
  RouteContext,
  RouteOptions,
} from './options.ts'
export type {
  MatchResolution,
  MethodResolution,
  NoResolution,
  RedirectResolution,
  Resolution,
} from './resolution.ts'
export type { TrailingSlash } from './resolver.ts'
export type { ActionMethods, ParentResource, ResourceAction, ResourceOptions } from './resource.ts'
export type { Route } from './route.ts'
export type { MapperSettings, MatchContext, RouteTable } from './route-table.ts'
export type { Known, NoRoutes } from './route-types.ts'
export type { LinkOptions, Submapper, SubmapperAction, SubmapperOptions } from './submapper.ts'
export type { TableFilter, TableRow } from './table.ts'
export type { CurrentOptions, GenerationContext, UrlGenerator } from './url.ts'
export type {
  LooseValues,
  ParameterValue,
  QueryValue,
  RawUrl,
  Register,
  RegisteredRoutes,
  RouteName,
  RouteNamed,
  UrlArguments,
  UrlParts,
  ValuesFor,
} from './url-types.ts'
