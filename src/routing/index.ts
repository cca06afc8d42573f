/**
 * `propylon/routing`: paths to values and back.
 *
 * @module
 */

// An augmentation of this module reaches the interface only through `export *`.
export type { Register, RegisteredEnviron } from '../base/register.ts'
export type { BuilderKind, Built, RouteBuilder, Submapper, SubmapperKind } from './builder.ts'
export type { NoOptions, ScopeOptions, SubmapperOptions } from './builder-options.ts'
export type { Diagnosis, TableRow } from './diagnose.ts'
export {
  Mapper,
  type MapperKind,
  type MapperSettings,
  type MatchContext,
  type RedirectOptions,
} from './mapper.ts'
export type {
  Expansion,
  Parameter as PathParameter,
  PathLiteral,
  PathPart,
  Pattern as PathPattern,
} from './pattern.ts'
export type * from './register.ts'
export type { Requirement } from './requirement.ts'
export type {
  MatchResolution,
  MethodResolution,
  NearMiss,
  NoResolution,
  RedirectResolution,
  Resolution,
  TrailingSlash,
} from './resolver.ts'
export type { ActionMethods, EditPath, ParentResource, ResourceAction, ResourceOptions } from './resource.ts'
export type {
  ConditionFunction,
  Conditions,
  ConnectOptions,
  DefaultValue,
  GenerationFilter,
  Match,
  RedirectTarget,
  ResourceInfo,
  Route,
  RouteContext,
  RouteDefinition,
  RouteExtras,
  RouteOptions,
} from './route.ts'
export {
  type GenerationCode,
  GenerationError,
  type RouteDefinitionCode,
  RouteDefinitionError,
  RoutingError,
  type RoutingErrorDetails,
} from './routing-error.ts'
export type {
  Chain,
  Known,
  LooseValues,
  NamedMount,
  NamedResource,
  NamedRoute,
  NoRoutes,
  ParameterValue,
  PathNames,
  QueryValue,
  RawUrl,
  RouteName,
  RouteNamed,
  UrlParts,
  ValuesFor,
} from './types.ts'
export type { CurrentOptions, GenerationContext, UrlGenerator, UrlOptions } from './url.ts'
