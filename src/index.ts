/**
 * Propylon: pages, forms and an API from one class.
 *
 * @module
 */

export { FrameworkApp, type FrameworkAppClass } from './app/checked-app.ts'
export { env, type SettingConverters, type Settings, SettingsError, type Variables } from './app/env.ts'
export type { ErrorPages } from './app/error-pages/exception-pages.ts'
export type { FrameworkAppOptions } from './app/framework-app-options.ts'
export { keep } from './app/keep.ts'
export type { LanguageOptions, LanguageSource } from './app/languages.ts'
export type {
  ControllerConstructor,
  ControllerRecord,
  ControllerSource,
  LoadedController,
} from './app/loaded-controller.ts'
export { AssetNotFound, ControllerLoadError, ControllerNotFound } from './app/loading-errors.ts'
export { JSONRPCError } from './app/mcp/jsonrpc.ts'
export type { MCPOptions } from './app/mcp/service.ts'
export type { OpenAPIObject, OpenAPIOptions } from './app/openapi/document.ts'
export type { ProblemsOption } from './app/problems.ts'
export type { PublicFilesOption, PublicFilesSettings } from './app/public-files.ts'
export type { ControllerRegistry } from './app/registry.ts'
export type {
  SocketClass,
  SocketContext,
  SocketHooks,
  SocketPeer,
  SocketRecord,
  SocketRequest,
} from './app/sockets/socket-hooks.ts'
// An augmentation of this module reaches the interface only through `export *`.
export type { Task, TaskContext } from './app/task.ts'
export type { Unavailability } from './app/unavailable.ts'
export { isUnavailable } from './app/unavailable.ts'
export type { Register, RegisteredEnviron } from './base/register.ts'
export type {
  Application,
  KnownController,
  KnownControllers,
  LogDetails,
  Logger,
  OpenAPIDocument,
  PageContext,
  TemplateContext,
} from './controllers/application.ts'
export type { Controller } from './controllers/call-state.ts'
export type {
  ConvertedBy,
  ConverterInput,
  DeclaredResultOf,
  EmptyResult,
  Fits,
  MatchText,
  ParameterOf,
  ResultMember,
  ResultOf,
  UnsendableResult,
} from './controllers/checked-controller.ts'
export {
  ActionNotFound,
  ArgumentNotSupplied,
  type ControllerError,
  ForgottenResultError,
  NoRequestError,
  ParameterNamesError,
  ReservedMemberError,
  ResultSchemaError,
  UnusableResultError,
} from './controllers/controller-errors.ts'
export type { ArgumentDeclarations } from './controllers/declarations.ts'
export { forward } from './controllers/forward.ts'
export type {
  MessageArguments,
  MessageKey,
  RegisteredMessages,
  Translate,
} from './controllers/message-types.ts'
export type { NamedArguments } from './controllers/method-binding.ts'
export { created, done, Outcome } from './controllers/outcome.ts'
export type { AnsweringClass, SecurityRequirements } from './controllers/statics.ts'
export { WSGIController } from './controllers/wsgi-controller.ts'
export type { SaveOptions } from './http/body/files.ts'
export { FormFile, UploadedFile } from './http/body/files.ts'
export type { Part, PartLimits } from './http/body/parts.ts'
export type { CookieOptions } from './http/cookies.ts'
export type { CrossSiteRule } from './http/cross-site.ts'
export type { Problem, ProblemError } from './http/error-document.ts'
export { type EventStreamOptions, eventStream, type ServerSentEvent } from './http/event-stream.ts'
export { abort, redirect } from './http/exceptions.ts'
export type { HeadersLike } from './http/headers.ts'
export { escapeHtml } from './http/html.ts'
export * from './http/http-exception.ts'
export type { JsonOptions } from './http/json.ts'
export type { MessagesOption, MessageTexts } from './http/languages/catalog.ts'
export type {
  MessageFormatClass,
  MessageValue,
  MessageValues,
  ParsedMessage,
} from './http/languages/message.ts'
export type { RequestLimits } from './http/limits.ts'
export { Request } from './http/request.ts'
export type { ResponseBody } from './http/response.ts'
export { Response, type ResponseInit } from './http/response.ts'
export type * from './http/sessions/data.ts'
export { Session } from './http/sessions/session.ts'
export type { SessionCookieOptions, SessionOptions } from './http/sessions/session-options.ts'
export type { SessionStore } from './http/sessions/store.ts'
export * from './http/status-exceptions.ts'
export type { RenderOptions, TemplateEngine } from './http/templating/engine.ts'
export { TemplateError, type TemplateErrorDetails } from './http/templating/engine.ts'
export { type TemplateOptions, type Templates, templateEngine } from './http/templating/eta.ts'
export { Mapper } from './routing/mapper.ts'
export type * from './routing/register.ts'
export { JSONRPCController, XMLRPCController } from './rpc/controllers/rpc-controller.ts'
export { type FaultResponse, xmlrpc_fault } from './rpc/controllers/rpc-failure.ts'
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
export type { SocketClosing, SocketMessage } from './wsgi/upgrade.ts'
