import { type RequestLogEntry, requestLog } from 'propylon/middleware'
import type { Middleware } from 'propylon/wsgi'

/** The log of requests: readable in development, JSON in production, none in tests. */
export const log: readonly Middleware[] = logFor(process.env.NODE_ENV)

function logFor(environment: string | undefined): Middleware[] {
  if (environment === 'development') return [requestLog({ write: (line) => console.log(readable(line)) })]
  return environment === 'production' ? [requestLog()] : []
}

/** Returns an entry as one line: `200 GET /comments 3 ms comments.index`. */
function readable(line: string): string {
  const { status, method, path, ms, controller, action }: RequestLogEntry = JSON.parse(line)
  const target = controller === null ? '' : ` ${controller}${action === null ? '' : `.${action}`}`
  return `${status} ${method} ${path} ${Math.round(ms)} ms${target}`
}
