/**
 * Propylon: a web framework whose heart is the controller layer.
 *
 * @module
 */
export { env, type SettingConverters, type Settings, SettingsError } from './app/env.ts'
export { AssetNotFound, ControllerLoadError, ControllerNotFound } from './app/errors.ts'
export { FrameworkApp } from './app/framework-app.ts'
export { keep } from './app/keep.ts'
export type { FrameworkAppOptions } from './app/options.ts'
export type { PublicFilesOption, PublicFilesSettings } from './app/public-files.ts'
export type { ControllerRecord, ControllerSource } from './app/registry.ts'
export { isUnavailable } from './app/unavailable.ts'
export type { ActionResult } from './controllers/action-result.ts'
export type { Application, LogDetails, Logger } from './controllers/application.ts'
export { type BaseClass, WSGIController } from './controllers/base-class.ts'
export type { ArgumentDeclarations } from './controllers/declared-arguments.ts'
export {
  ActionNotFound,
  NoRequestError,
  ParameterNamesError,
  ReservedMemberError,
  UnusableResultError,
} from './controllers/errors.ts'
export { forward } from './controllers/forward.ts'
export { type FaultResponse, xmlrpc_fault } from './controllers/rpc/fault.ts'
export { JSONRPCController } from './controllers/rpc/jsonrpc-controller.ts'
export { JSONRPCError, JSONRPCErrorCode } from './controllers/rpc/jsonrpc-error.ts'
export { XMLRPCController } from './controllers/rpc/xmlrpc-controller.ts'
export type { TemplateContext } from './controllers/template-context.ts'
export * from './http/index.ts'
export { Mapper } from './routing/mapper.ts'
// An augmentation of this module reaches the interface only through `export *`.
export type * from './routing/register.ts'
export type * from './sessions/data.ts'
export type { SessionCookieOptions, SessionOptions } from './sessions/options.ts'
export { Session } from './sessions/session.ts'
export type { SessionStore } from './sessions/store.ts'
export type { RenderOptions, TemplateEngine } from './templating/engine.ts'
export { TemplateError } from './templating/engine.ts'
export { templateEngine } from './templating/eta.ts'
export type {
  Body,
  Chunk,
  Environ,
  HeaderPair,
  Middleware,
  StartResponse,
  WSGIApplication,
  WSGICallable,
} from './wsgi/types.ts'
