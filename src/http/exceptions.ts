/**
 * HTTP exceptions by status: the table of their classes, and the two functions that throw them.
 *
 * @module
 */

import { parseStatus } from '../wsgi/status.ts'
import * as clientErrors from './client-errors.ts'
import type { HeadersLike } from './headers.ts'
import { HTTPException, type HTTPExceptionOptions, type RegisteredException } from './http-exception.ts'
import * as redirections from './redirections.ts'
import * as serverErrors from './server-errors.ts'

export * from './client-errors.ts'
export * from './http-exception.ts'
export * from './redirections.ts'
export * from './server-errors.ts'

/** A class of exceptions that knows its status. */
export type ExceptionClass = typeof RegisteredException

const classes: ReadonlyMap<number, ExceptionClass> = new Map(
  [redirections, clientErrors, serverErrors].flatMap((module) =>
    Object.values(module).map((one: ExceptionClass): [number, ExceptionClass] => [one.status, one]),
  ),
)

/**
 * The exception class of a registered status.
 *
 * @returns `undefined` for a status that has none; `new HTTPException(status)` serves any from 300 to 599.
 */
export function exceptionFor(status: number): ExceptionClass | undefined {
  return classes.get(status)
}

/**
 * Makes the exception of a status: of its own class where it is registered, a plain {@link HTTPException} where not.
 *
 * @param status - a code, or `NNN Reason` to send a reason of one's own.
 * @throws RangeError when the code is not in 300 to 599 or the text does not begin with one.
 */
export function makeException(
  status: number | string,
  detail?: string,
  headers?: HeadersLike,
  options: HTTPExceptionOptions = {},
): HTTPException {
  const code = typeof status === 'number' ? status : codeOf(status)
  const settings = typeof status === 'number' ? options : { ...options, statusLine: status }
  const Class = classes.get(code)
  return Class === undefined
    ? new HTTPException(code, detail, headers, settings)
    : new Class(detail, headers, settings)
}

function codeOf(text: string): number {
  if (!/^\d{3}(?: |$)/.test(text)) {
    throw new RangeError(`a status is a number or text such as '404 Not Found', not ${JSON.stringify(text)}`)
  }
  return parseStatus(text)[0]
}

/**
 * Ends the request with an error: throws the exception of that status.
 *
 * @param status - 300 to 599, or `NNN Reason`. The reason goes out as it is given, line breaks and other control
 *   characters made blanks.
 * @param detail - what went wrong this time, for the client to read.
 * @param headers - header fields of the response.
 * @throws RangeError, and no exception of HTTP, when the status is not in 300 to 599.
 *
 * @example
 * ```ts
 * import { abort } from 'propylon'
 *
 * abort(404, 'There is no user of that name.')
 * abort('400 Bad Request -- Please enter a name')
 * abort(409, undefined, { Location: '/users/joe' })
 * abort(401, 'Please log in.', { 'WWW-Authenticate': 'Basic realm="staff"' })
 * ```
 */
export function abort(
  status: number | string,
  detail?: string,
  headers?: HeadersLike,
  options?: HTTPExceptionOptions,
): never {
  throw makeException(status, detail, headers, options)
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Sends the client elsewhere: throws the redirection of that status.
 *
 * @param url - where to; a relative one stays relative (RFC 9110 §10.2.2). What may not stand in a URL is
 *   percent-encoded, a backslash too, which browsers would take for a slash. A URL from outside is yours to check:
 *   this sends people wherever it says.
 * @param code - 301, 302 (the default), 303, 307 or 308.
 * @throws RangeError when the code is another one, TypeError when the URL is empty or holds control characters.
 *
 * @example
 * ```ts
 * import { redirect } from 'propylon'
 *
 * redirect('/users/joe', 303)
 * ```
 */
export function redirect(url: string | URL, code: number = 302): never {
  if (!REDIRECTS.has(code))
    throw new RangeError(`a redirect has the code 301, 302, 303, 307 or 308, not ${code}`)
  throw makeException(code, undefined, { Location: formatLocation(String(url)) })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/
const NOT_IN_A_URL = /[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+/g

/**
 * A URL as a Location field holds it (RFC 3986): everything that may not stand in one is percent-encoded, what is
 * encoded already stays.
 *
 * @throws TypeError when it is empty or holds a line break or another control character.
 */
export function formatLocation(url: string): string {
  if (url === '') throw new TypeError('a location is not empty')
  if (CONTROL.test(url)) throw new TypeError(`a location holds no control characters: ${JSON.stringify(url)}`)
  return url.toWellFormed().replace(NOT_IN_A_URL, encodeURIComponent)
}
