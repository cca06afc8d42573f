import { hasColour } from '../base/colour.ts'
import { logged, printable } from '../base/printable.ts'
import { settle } from '../base/promise.ts'
import { errorSummary, errorText } from '../base/thrown.ts'
import type { LogDetails, Logger } from '../controllers/application.ts'
import { writeToConsole } from '../wsgi/error-reporting.ts'

/** Codes of ANSI for colours. */
const RED = 31
const GREEN = 32
const YELLOW = 33
const CYAN = 36

/** Colours of the status of a request, by its first digit. */
const STATUS_COLOURS = [0, CYAN, GREEN, CYAN, YELLOW, RED]

/** Lines of a message, except the frames of a stack. */
const LINES = /^\S.*/gm

/**
 * The default logger. Escapes control characters and indents lines, because messages may contain text of requests. In a
 * terminal the status of a request, warnings and errors have colours.
 */
export const consoleLogger: Logger = {
  info: (message) => console.info(coloured(message, 'stdout', /^[1-5](?=\d\d [A-Z]+ )\d\d/)),
  warn: (message) => console.warn(coloured(message, 'stderr', LINES, YELLOW)),
  error: (message, details) => console.error(coloured(message, 'stderr', LINES, RED, details?.err)),
}

/**
 * Returns a message in which the parts of a pattern have a colour: by default the colour of the status that they are.
 *
 * @param error - the error whose text, which is safe, may be the end of the message.
 */
function coloured(
  message: string,
  stream: 'stdout' | 'stderr',
  part: RegExp,
  colour?: number,
  error?: unknown,
): string {
  const end = error === undefined ? '' : `\n${errorText(error)}`
  const isAtEnd = end !== '' && message.endsWith(end)
  const text = isAtEnd ? logged(message.slice(0, -end.length)) + printable(end) : logged(message)
  if (typeof process === 'undefined' || !hasColour(process[stream], process.env)) return text
  return text.replace(part, (found) => `\u001b[${colour ?? STATUS_COLOURS[Number(found[0])]}m${found}\u001b[39m`)
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
