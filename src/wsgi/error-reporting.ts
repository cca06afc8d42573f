/**
 * Error handling of servers for the applications that they run.
 *
 * @module
 */
import { withCode } from '../base/error-code.ts'
import { isPromise, settle } from '../base/promise.ts'
import { errorText, isDisconnect } from '../base/thrown.ts'
import { toApplication } from './application.ts'
import { consoleErrors } from './environ.ts'
import { refusal } from './refusal.ts'
import type { Environ, ErrorForm, WSGIApplication, WSGICallable, WSGIObject } from './types.ts'

/** Hooks by which an application object handles its unexpected errors. */
export interface ErrorReporting {
  /** Logs an error before the response was started, and returns the page to send. */
  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication>
  /** Logs an error after the headers were sent or the client disconnected. */
  reportError(error: unknown, environ: Environ): void
  /** Logs the reason of a promise that was rejected without a handler. The request that made it is not known. */
  reportUnhandledRejection?(reason: unknown): void
}

/** Optional methods of an application object, called by the server that runs it. */
export interface ServerHooks extends WSGIObject, Partial<ErrorReporting> {
  /**
   * Whether the application answers requests with `environ['propylon.malformed']`, with 400. Servers answer them for
   * other applications.
   */
  readonly answersMalformed?: boolean
  /** Whether the application accepts WebSockets. Servers offer an upgrade then: `environ['propylon.upgrade']`. */
  readonly acceptsUpgrades?: boolean
  /** The form of errors, for requests that the server refuses without calling the application. */
  readonly errorForm?: ErrorForm | undefined
  /** Called before a server listens. Its error is the server's: the application is not served. */
  prepare?(): void | Promise<void>
  /** Called on SIGHUP, on which the application may reload its files. */
  onHangup?(): void
  /** Called when the last server of the application has closed: the place to close databases. Servers wait for it. */
  shutDown?(): void | Promise<void>
  /**
   * Returns the application for a server whose error handling is `reporting`. It sends the pages of `reporting` inside
   * of its middleware, which sees them as responses. Without this method, servers call `wsgi` and send the pages of the
   * errors that it throws.
   */
  servedWith?(reporting: ErrorReporting): WSGIApplication
}

/** Returns the hooks of an application. A function has none, and neither has no application. */
export function hooksOf(callable: WSGICallable | undefined): Partial<ServerHooks> {
  return typeof callable === 'object' ? callable : {}
}

/** Returns the application that a server with this error handling calls. */
export function servedApplication(callable: WSGICallable, reporting: ErrorReporting): WSGIApplication {
  return hooksOf(callable).servedWith?.(reporting) ?? toApplication(callable)
}

/**
 * Thrown by reads of `wsgi.input` after the client has disconnected. Servers do not report it.
 *
 * The client is gone. Let the error pass, and clean up in `finally`.
 *
 * @example
 * ```ts
 * import { ClientDisconnected, type InputStream } from 'propylon/wsgi'
 *
 * export async function readForm(input: InputStream): Promise<Uint8Array | undefined> {
 *   try {
 *     return await input.read()
 *   } catch (error) {
 *     if (error instanceof ClientDisconnected) return undefined
 *     throw error
 *   }
 * }
 * ```
 */
export class ClientDisconnected extends Error {
  /** Identifies this error across copies of the package, where `instanceof` fails. */
  readonly code = 'CLIENT_DISCONNECTED'

  constructor(options?: ErrorOptions) {
    super(withCode('The client closed the connection before the request was complete.', 'CLIENT_DISCONNECTED'), options)
    this.name = 'ClientDisconnected'
  }
}

/**
 * Reason of `request.signal` when the shutdown of the server cuts a request. Servers do not report it.
 *
 * Raise `drainTimeout` of `serve()` if requests need longer to end.
 *
 * @example
 * ```ts
 * import type { Environ } from 'propylon/wsgi'
 * import { ServerClosing } from 'propylon/wsgi'
 *
 * export function watch(environ: Environ, stop: () => void): void {
 *   environ['propylon.connection']?.onLost((reason) => {
 *     if (reason instanceof ServerClosing) console.log('The request is cut.')
 *     stop()
 *   })
 * }
 * ```
 */
export class ServerClosing extends Error {
  /** Identifies this error across copies of the package, where `instanceof` fails. */
  readonly code = 'SERVER_CLOSING'

  constructor() {
    super(withCode('The server shuts down.', 'SERVER_CLOSING'))
    this.name = 'ServerClosing'
  }
}

/** The page for an unexpected error that reveals nothing. */
export const plainErrorPage: WSGIApplication = refusal(500)

/**
 * The error handling of an application as servers use it: its own hooks where it has any, otherwise the stack goes to
 * `wsgi.errors` and the page is {@link plainErrorPage}.
 *
 * No method throws or rejects, whatever was thrown and whatever a hook or its logger does: what a hook cannot report is
 * written to `wsgi.errors`, and to the console if that fails too. Disconnects are not reported.
 */
export function errorReporting(callable: WSGICallable | undefined): Required<ErrorReporting> {
  return new SafeReporting(hooksOf(callable))
}

class SafeReporting implements Required<ErrorReporting> {
  readonly #hooks: Partial<ErrorReporting>

  constructor(hooks: Partial<ErrorReporting>) {
    this.#hooks = hooks
  }

  handleError(error: unknown, environ: Environ): WSGIApplication | Promise<WSGIApplication> {
    const hooks = this.#hooks
    if (hooks.handleError === undefined) {
      this.reportError(error, environ)
      return plainErrorPage
    }
    const fail = (failure: unknown): WSGIApplication => {
      writeReport(error, environ, { hook: 'handleError', failure })
      return plainErrorPage
    }
    try {
      const page = hooks.handleError(error, environ)
      return isPromise(page) ? Promise.resolve(page).catch(fail) : page
    } catch (failure) {
      return fail(failure)
    }
  }

  reportError(error: unknown, environ: Environ): void {
    if (isDisconnect(error)) return
    const hooks = this.#hooks
    if (hooks.reportError === undefined) writeReport(error, environ)
    else {
      settle(
        () => hooks.reportError?.(error, environ),
        (failure) => writeReport(error, environ, { hook: 'reportError', failure }),
      )
    }
  }

  reportUnhandledRejection(reason: unknown): void {
    if (isDisconnect(reason)) return
    const text = unhandledRejectionText(reason)
    const hooks = this.#hooks
    if (hooks.reportUnhandledRejection === undefined) writeToConsole(text)
    else {
      settle(
        () => hooks.reportUnhandledRejection?.(reason),
        (failure) => writeToConsole(`${text}\nreportUnhandledRejection failed\n${errorText(failure)}`),
      )
    }
  }
}

/** Error handling for applications without hooks: the stack goes to `wsgi.errors`. Never throws. */
export const plainReporting: Required<ErrorReporting> = new SafeReporting({})

/** Formats an unhandled rejection for a log. */
export function unhandledRejectionText(reason: unknown): string {
  return `Unhandled rejection: await the promise, or call catch() on it\n${errorText(reason)}`
}

/** Writes an error to `wsgi.errors`, with the failure of the hook that should have reported it. Never throws. */
function writeReport(
  error: unknown,
  environ: Environ,
  failed?: { readonly hook: keyof ErrorReporting; readonly failure: unknown },
): void {
  const note = failed === undefined ? '' : `\n${failed.hook} failed\n${errorText(failed.failure)}`
  const text = `${errorText(error)}${note}\n`
  const fail = (failure: unknown) => writeToConsole(`${text}wsgi.errors failed\n${errorText(failure)}`)
  settle(() => {
    const { REQUEST_METHOD, REQUEST_URI, PATH_INFO, 'wsgi.errors': errors } = environ
    const written: unknown = errors.write(`${REQUEST_METHOD} ${REQUEST_URI ?? PATH_INFO}\n${text}`)
    const flush = () => errors.flush()
    return isPromise(written) ? written.then(flush) : flush()
  }, fail)
}

/** Writes to the console, the last place to report anything: its own errors are dropped. */
export function writeToConsole(text: string): void {
  settle(
    () => consoleErrors.write(text),
    () => {},
  )
}
