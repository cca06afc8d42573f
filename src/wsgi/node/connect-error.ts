/**
 * Errors of Connect-style handlers that refuse a request.
 *
 * @module
 */

import { memberOf } from '../../base/thrown.ts'
import { statusLine } from '../response-head.ts'
import type { HeaderPair, WSGIApplication } from '../types.ts'

/**
 * Returns the response to an error with which a handler refuses a request: `status` (or `statusCode`) 400 to 499, as body
 * parsers throw it, or 503, as time-outs do, and optional `headers`. The response contains no detail of the error.
 *
 * @returns undefined if it has another status or none, or is an application (has a `wsgi` member).
 */
export function refusalFor(error: unknown): WSGIApplication | undefined {
  const status = memberOf(error, 'status')
  const code = isRefusal(status) ? status : memberOf(error, 'statusCode')
  if (!isRefusal(code) || memberOf(error, 'wsgi') !== undefined) return undefined
  const headers = memberOf(error, 'headers')
  const line = statusLine(code)
  return (_environ, start_response) => {
    start_response(line, [['Content-Type', 'text/plain; charset=utf-8'], ...pairsOf(headers)])
    return [`${line}\n`]
  }
}

function isRefusal(code: unknown): code is number {
  return code === 503 || (Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 499)
}

function pairsOf(headers: unknown): HeaderPair[] {
  if (typeof headers !== 'object' || headers === null) return []
  return Object.entries(headers)
    .filter(([name]) => !/^content-/i.test(name) || /^content-range$/i.test(name))
    .map(([name, value]): HeaderPair => [name, String(value)])
}
