import type { Logger } from '../controllers/application.ts'
import { writeToConsole } from '../wsgi/errors.ts'
import { printable } from '../wsgi/printable.ts'
import { settle } from '../wsgi/promise.ts'
import { errorText } from '../wsgi/thrown.ts'

/** The default logger. Escapes control characters, because messages may contain text of requests. */
export const consoleLogger: Logger = {
  info: (message) => console.info(printable(message)),
  warn: (message) => console.warn(printable(message)),
  error: (message) => console.error(printable(message)),
}

/**
 * Wraps the logger of an application so that logging neither fails a request nor ends the process. A message that the
 * logger cannot take, because it throws or returns a promise that rejects, goes to the console with the logger's error.
 * So does an error that JavaScript code passes in place of a message.
 */
export function safeLogger(logger: Logger): Logger {
  const forward = (level: keyof Logger) => (message: unknown) => {
    settle(
      () => logger[level](message as string),
      (failure) => {
        const text = typeof message === 'string' ? message : errorText(message)
        writeToConsole(`${text}\nlogger.${level} failed\n${errorText(failure)}`)
      },
    )
  }
  return { info: forward('info'), warn: forward('warn'), error: forward('error') }
}
