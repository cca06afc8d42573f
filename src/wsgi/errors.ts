/**
 * What a server does with the errors of an application.
 *
 * @module
 */
import type { Environ, WSGIApplication, WSGICallable, WSGIObject } from './types.ts'

/** How an application object wishes its unexpected errors to be handled by the server that runs it. */
export interface ErrorReporting {
  /** Logs the error and answers with the page to show: nothing has been sent yet. */
  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication>
  /** Logs the error; the headers have gone out, or nobody is there to read an answer. */
  reportError(error: unknown, environ: Environ): void
}

/** What an application object may carry beside `wsgi` for the server that runs it. */
export interface ServerHooks extends WSGIObject, Partial<ErrorReporting> {
  /** Called when the server's process is told to read its files anew (SIGHUP). */
  onHangup?(): void
}

/** Thrown to whoever reads `wsgi.input` of a client that has gone. Servers do not report it. */
export class ClientDisconnected extends Error {
  /** Tells this error from others across copies of the package. */
  readonly code = 'CLIENT_DISCONNECTED'

  constructor(options?: ErrorOptions) {
    super('The client closed the connection before its request body was complete.', options)
    this.name = 'ClientDisconnected'
  }
}

/** Whether an error only says that the client has gone. */
export function isDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CLIENT_DISCONNECTED'
}

/** An error as text for a log: the stack with all its causes. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `Thrown: ${typeof error === 'string' ? error : describe(error)}`
  let text = error.stack ?? `${error.name}: ${error.message}`
  let cause: unknown = error.cause
  for (let depth = 0; cause !== undefined && depth < 8; depth++) {
    text += `\nCaused by: ${cause instanceof Error ? (cause.stack ?? cause.message) : describe(cause)}`
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return text
}

function describe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

/** The page for an unexpected error: plain text that reveals nothing. */
export const plainErrorPage: WSGIApplication = (_environ, start_response) => {
  start_response('500 Internal Server Error', [['Content-Type', 'text/plain; charset=utf-8']])
  return ['500 Internal Server Error\n']
}

/** What happens to the errors of an application that says nothing of it: the stack goes to `wsgi.errors`. */
export const plainReporting: ErrorReporting = {
  handleError(error, environ) {
    this.reportError(error, environ)
    return plainErrorPage
  },
  reportError(error, environ) {
    environ['wsgi.errors'].write(
      `${environ.REQUEST_METHOD} ${environ.REQUEST_URI ?? environ.PATH_INFO}\n${errorText(error)}\n`,
    )
    environ['wsgi.errors'].flush()
  },
}

/** The error handling of an application: its own where it has any, else {@link plainReporting}. */
export function errorReporting(callable: WSGICallable): ErrorReporting {
  if (typeof callable !== 'object') return plainReporting
  const hooks: ServerHooks = callable
  const { handleError, reportError } = hooks
  if (handleError === undefined && reportError === undefined) return plainReporting
  return {
    handleError:
      handleError === undefined ? ownReport : (error, environ) => handleError.call(hooks, error, environ),
    reportError: (error, environ) => (reportError ?? plainReporting.reportError).call(hooks, error, environ),
  }

  function ownReport(error: unknown, environ: Environ): WSGIApplication {
    reportError?.call(hooks, error, environ)
    return plainErrorPage
  }
}
