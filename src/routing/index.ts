/**
 * `propylon/routing`: paths to values and back.
 *
 * @module
 */

export type { Built, Submapper } from './builder.ts'
export type { Diagnosis, TableRow } from './diagnose.ts'
export {
  type GenerationCode,
  GenerationError,
  type RouteDefinitionCode,
  RouteDefinitionError,
  RoutingError,
  type RoutingErrorDetails,
} from './errors.ts'
export { Mapper, type MapperSettings, type MatchContext, type RedirectOptions } from './mapper.ts'
export type {
  ActionOptions,
  CollectionOptions,
  LinkOptions,
  SubmapperAction,
  SubmapperOptions,
} from './options.ts'
// An augmentation of this module reaches the interface only through `export *`.
export type * from './register.ts'
export type {
  MatchResolution,
  MethodResolution,
  NoResolution,
  PathLookup,
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
export type { NearMiss } from './selection.ts'
export type {
  Known,
  LooseValues,
  NoRoutes,
  ParameterValue,
  QueryValue,
  RawUrl,
  RouteName,
  RouteNamed,
  UrlParts,
  ValuesFor,
} from './types.ts'
export type { CurrentOptions, GenerationContext, UrlGenerator, UrlOptions } from './url.ts'
