/**
 * Errors of Connect-style handlers that refuse a request.
 *
 * @module
 */
import { statusLine } from '../response-head.ts'
import { memberOf } from '../thrown.ts'
import type { HeaderPair, WSGIApplication } from '../types.ts'

/**
 * Returns the response to an error that Connect, Express or a body parser marks as the client's: `status` (or
 * `statusCode`) 400 to 499, and optional `headers`. The response contains the status and no detail of the error.
 *
 * @throws the error itself if it is not the client's, or is an application (has a `wsgi` member).
 */
export function refusalFor(error: unknown): WSGIApplication {
  const status = memberOf(error, 'status')
  const code = isClientError(status) ? status : memberOf(error, 'statusCode')
  if (!isClientError(code) || memberOf(error, 'wsgi') !== undefined) throw error
  const headers = memberOf(error, 'headers')
  const line = statusLine(code)
  return (_environ, start_response) => {
    start_response(line, [['Content-Type', 'text/plain; charset=utf-8'], ...pairsOf(headers)])
    return [`${line}\n`]
  }
}

function isClientError(code: unknown): code is number {
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 499
}

function pairsOf(headers: unknown): HeaderPair[] {
  if (typeof headers !== 'object' || headers === null) return []
  return Object.entries(headers)
    .filter(([name]) => !/^content-/i.test(name) || /^content-range$/i.test(name))
    .map(([name, value]): HeaderPair => [name, String(value)])
}
