/**
 * Propylon: a web framework whose heart is the controller layer.
 *
 * @module
 */

export type { ControllerRecord, ControllerSource } from './app/controller-source.ts'
export { env, type SettingConverters, type Settings, SettingsError } from './app/env.ts'
export { AssetNotFound, ControllerLoadError, ControllerNotFound } from './app/errors.ts'
export { FrameworkApp } from './app/framework-app.ts'
export { keep } from './app/keep.ts'
export type { FrameworkAppOptions } from './app/options.ts'
export type { PublicFilesOption, PublicFilesSettings } from './app/public-files.ts'
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
  ResultSchemaError,
  UnusableResultError,
} from './controllers/errors.ts'
export { forward } from './controllers/forward.ts'
export { created, done, Outcome } from './controllers/outcome.ts'
export type { TemplateContext } from './controllers/template-context.ts'
export * from './http/index.ts'
export type * from './http/sessions/data.ts'
export type { SessionCookieOptions, SessionOptions } from './http/sessions/options.ts'
export { Session } from './http/sessions/session.ts'
export type { SessionStore } from './http/sessions/store.ts'
export type { RenderOptions, TemplateEngine } from './http/templating/engine.ts'
export { TemplateError } from './http/templating/engine.ts'
export { templateEngine } from './http/templating/eta.ts'
export { Mapper } from './routing/mapper.ts'
// An augmentation of this module reaches the interface only through `export *`.
export type * from './routing/register.ts'
export { type FaultResponse, xmlrpc_fault } from './rpc/controllers/fault.ts'
export { JSONRPCController } from './rpc/controllers/jsonrpc-controller.ts'
export { JSONRPCError, JSONRPCErrorCode } from './rpc/controllers/jsonrpc-error.ts'
export { XMLRPCController } from './rpc/controllers/xmlrpc-controller.ts'
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
