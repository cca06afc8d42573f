import { settle } from '../base/promise.ts'
import { errorMessage, errorText, isDisconnect, memberOf, withCauses } from '../base/thrown.ts'
import type { LogDetails, Logger } from '../controllers/application.ts'
import { unhandledRejectionText } from '../wsgi/error-reporting.ts'
import type { Environ } from '../wsgi/types.ts'

/** A function that receives unexpected errors: the option `onError`. */
export type ErrorHook = (error: unknown, environ: Environ | undefined) => unknown

/** Logs unexpected errors and passes them to the option `onError`. */
export class ErrorReports {
  readonly #logger: Logger
  readonly #hook: ErrorHook | undefined

  constructor(logger: Logger, hook: ErrorHook | undefined) {
    this.#logger = logger
    this.#hook = hook
  }

  /** Reports an error of a request. @param procedure - name of the remote procedure that failed. */
  report(error: unknown, environ: Environ, procedure: string | undefined): void {
    if (isDisconnect(error)) return
    const called = procedure === undefined ? '' : ` (${JSON.stringify(procedure)})`
    const hint = missingTableHint(error)
    const text = hint === undefined ? errorText(error) : `${hint}\n${errorText(error)}`
    // An error without frames, such as an action that does not exist, is one line.
    const line = `${requestLine(environ)}${called}${text.includes('\n') ? '\n' : ': '}${text}`
    this.#logger.error(line, detailsOf(error, environ))
    this.#callHook(error, environ)
  }

  /** Reports the reason of a promise that was rejected without a handler. */
  reportUnhandledRejection(reason: unknown): void {
    this.#logger.error(unhandledRejectionText(reason), { err: reason })
    this.#callHook(reason, undefined)
  }

  #callHook(error: unknown, environ: Environ | undefined): void {
    settle(
      () => this.#hook?.(error, environ),
      (failure) => this.#logger.error(`onError failed\n${errorText(failure)}`, { err: failure }),
    )
  }
}

/** Returns method and path for a log, without the query. */
export function requestLine(environ: Environ): string {
  const path = JSON.stringify(environ.SCRIPT_NAME + environ.PATH_INFO).slice(1, -1)
  return `${environ.REQUEST_METHOD} ${path}`
}

function detailsOf(err: unknown, environ: Environ): LogDetails {
  const { REQUEST_METHOD: method, SCRIPT_NAME, PATH_INFO, 'propylon.request_id': requestId } = environ
  const details = { err, method, path: SCRIPT_NAME + PATH_INFO }
  return requestId === undefined ? details : { ...details, requestId }
}

/** Codes of PostgreSQL and MySQL. SQLite has a message only. */
const CODES: ReadonlySet<unknown> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

/**
 * Returns what to do about an error, or about a cause of it, that reports a missing table. Undefined for other
 * errors.
 */
export function missingTableHint(error: unknown): string | undefined {
  const isMissing = (each: unknown) =>
    CODES.has(memberOf(each, 'code')) || errorMessage(each).startsWith('no such table: ')
  if (!withCauses(error).some(isMissing)) return undefined
  return "The database lacks a table. If its migrations have not run, run 'npx propylon migrate'."
}
