import type { Logger } from '../controllers/application.ts'
import { printable } from '../wsgi/printable.ts'

/** The logger of applications that have none of their own. Messages may hold text from requests. */
export const consoleLogger: Logger = {
  info: (message) => console.info(printable(message)),
  warn: (message) => console.warn(printable(message)),
  error: (message) => console.error(printable(message)),
}
