/**
 * The gateway: WSGI for JavaScript. What an application is, what it may rely on, and how to run and check one.
 *
 * @module
 */

export { isDisconnect } from '../base/thrown.ts'
export { toApplication } from './application.ts'
export { BodyMemoryError } from './body-memory.ts'
export { createEnviron, type EnvironInit, environHeaders } from './environ.ts'
export {
  ClientDisconnected,
  type ErrorReporting,
  ServerClosing,
  type ServerHooks,
} from './error-reporting.ts'
export { inputStream } from './input.ts'
export { LintError, lint, type Party } from './lint.ts'
export { reasonPhrase, STATUS_REASONS } from './reason-phrase.ts'
export { decodePath, encodePath, rawPathInfo } from './request-url.ts'
export { parseStatus, statusLine } from './response-head.ts'
export { type RunResult, run } from './run.ts'
export type {
  Body,
  Chunk,
  Closeable,
  Environ,
  ErrorForm,
  ErrorStream,
  HeaderPair,
  InputStream,
  Middleware,
  ServerConnection,
  StartResponse,
  Write,
  WSGIApplication,
  WSGICallable,
  WSGIObject,
} from './types.ts'
export type { SocketClosing, SocketConnection, SocketMessage, SocketPeer, Upgrade } from './upgrade.ts'
