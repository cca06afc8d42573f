/**
 * Errors by which Connect-style handlers refuse a request.
 *
 * @module
 */
import { statusLine } from '../status.ts'
import type { HeaderPair, WSGIApplication } from '../types.ts'

/**
 * The answer to an error that blames the request, as Connect, Express and their body parsers mark it: `status` (or
 * `statusCode`) 400 to 499, and `headers` of the answer, if any. It tells the status and nothing of the error.
 *
 * @throws the error where it does not blame the request, or is an answer of its own (a `wsgi` beside its status).
 */
export function refusalFor(error: unknown): WSGIApplication {
  if (typeof error !== 'object' || error === null || 'wsgi' in error) throw error
  const { status, statusCode, headers } = error as Record<string, unknown>
  const code = isClientError(status) ? status : statusCode
  if (!isClientError(code)) throw error
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
