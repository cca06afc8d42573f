/**
 * Responses to requests that servers and adapters refuse.
 *
 * @module
 */
import { statusLine } from './response-head.ts'
import type { HeaderPair, WSGIApplication } from './types.ts'

/**
 * Returns the response to a refused request: in the form of the application, or else as plain text that reveals
 * nothing.
 */
export function refusal(status: number, headers: readonly HeaderPair[] = []): WSGIApplication {
  return (environ, start_response) => {
    const { 'propylon.problems': form } = environ
    if (form !== undefined) return form.refusal(status, headers)(environ, start_response)
    const line = statusLine(status)
    start_response(line, [['Content-Type', 'text/plain; charset=utf-8'], ...headers])
    return [`${line}\n`]
  }
}
