/**
 * `propylon/routing`: paths to meanings and back. It depends on nothing else.
 *
 * @module
 */

export type { Diagnosis, NearMiss, TableFilter, TableRow } from './diagnose.ts'
export {
  type GenerationCode,
  GenerationError,
  type RouteDefinitionCode,
  RouteDefinitionError,
  RoutingError,
  type RoutingErrorDetails,
} from './errors.ts'
export {
  type Built,
  Mapper,
  type MapperSettings,
  type MatchContext,
  type RedirectOptions,
  type RouteTable,
} from './mapper.ts'
export type {
  MatchResolution,
  MethodResolution,
  NoResolution,
  RedirectResolution,
  Resolution,
  TrailingSlash,
} from './resolver.ts'
export type { ActionMethods, ParentResource, ResourceAction, ResourceOptions } from './resource.ts'
export type {
  ConditionFunction,
  Conditions,
  ConnectOptions,
  DefaultValue,
  GenerationFilter,
  Match,
  ResourceInfo,
  Route,
  RouteContext,
  RouteOptions,
} from './route.ts'
export type {
  CollectionOptions,
  LinkOptions,
  Submapper,
  SubmapperAction,
  SubmapperOptions,
} from './submapper.ts'
export type {
  Known,
  LooseValues,
  NoRoutes,
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
} from './types.ts'
export type { CurrentOptions, GenerationContext, UrlGenerator } from './url.ts'
