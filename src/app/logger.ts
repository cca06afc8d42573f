import { logged, printable } from '../base/printable.ts'
import { settle } from '../base/promise.ts'
import { errorMessage, errorSummary, errorText, memberOf, withCauses } from '../base/thrown.ts'
import type { LogDetails, Logger } from '../controllers/application.ts'
import { writeToConsole } from '../wsgi/error-reporting.ts'
import type { Environ } from '../wsgi/types.ts'

/** The default logger. Escapes control characters and indents lines, because messages may contain text of requests. */
export const consoleLogger: Logger = {
  info: (message) => console.info(logged(message)),
  warn: (message) => console.warn(logged(message)),
  error: (message, details) => console.error(loggedError(message, details?.err)),
}

/** Makes an error message safe. Its lines are indented, except the text of its error at its end. */
function loggedError(message: string, error: unknown): string {
  const end = error === undefined ? '' : `\n${errorText(error)}`
  const isAtEnd = end !== '' && message.endsWith(end)
  return isAtEnd ? logged(message.slice(0, -end.length)) + printable(end) : logged(message)
}

/**
 * Wraps the logger of an application so that logging neither fails a request nor ends the process. A message that the
 * logger cannot take, because it throws or returns a promise that rejects, goes to the console with the logger's error.
 * So does an error that JavaScript code passes in place of a message.
 */
export function safeLogger(logger: Logger): Logger {
  const forward = (level: keyof Logger) => (message: unknown, details?: LogDetails) => {
    settle(
      () => {
        // The console would write the error twice, because the message has its stack.
        if (details === undefined || logger === console) return logger[level](message as string)
        if (!isPinoLogger(logger)) return logger[level](message as string, details)
        return logger[level](details, 'err' in details ? firstLine(message, details.err) : message)
      },
      (failure) => {
        const text = typeof message === 'string' ? message : errorText(message)
        writeToConsole(`${text}\nlogger.${level} failed\n${errorText(failure)}`)
      },
    )
  }
  return { info: forward('info'), warn: forward('warn'), error: forward('error') }
}

/** A logger whose methods take an object before the message: pino. */
type PinoLogger = Record<keyof Logger, (details: LogDetails, message: unknown) => void>

function isPinoLogger(logger: object): logger is PinoLogger {
  return 'bindings' in logger && typeof logger.bindings === 'function' && 'child' in logger
}

/** Returns the first line of a message with the error in one line. The logger writes the stack itself. */
function firstLine(message: unknown, error: unknown): string {
  return `${String(message).split('\n', 1)[0]}: ${errorSummary(error)}`
}

/** A function that receives unexpected errors: the option `onError`. */
export type ErrorHook = (error: unknown, environ: Environ | undefined) => unknown

/** Returns the text of an error of a request for the log. @param procedure - name of the remote procedure that failed. */
export function reportText(error: unknown, environ: Environ, procedure: string | undefined): string {
  const called = procedure === undefined ? '' : ` (${JSON.stringify(procedure)})`
  const hint = missingTableHint(error)
  const text = hint === undefined ? errorText(error) : `${hint}\n${errorText(error)}`
  // An error without frames, such as an action that does not exist, is one line.
  return `${requestLine(environ)}${called}${text.includes('\n') ? '\n' : ': '}${text}`
}

/** Returns method and path for a log, without the query. */
export function requestLine(environ: Environ): string {
  const path = JSON.stringify(environ.SCRIPT_NAME + environ.PATH_INFO).slice(1, -1)
  return `${environ.REQUEST_METHOD} ${path}`
}

/** Returns what a logger receives beside the text of an error. */
export function detailsOf(err: unknown, environ: Environ): LogDetails {
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
