/**
 * HTTP exceptions by status code, and the two functions that throw them.
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import { parseStatus } from '../wsgi/response-head.ts'
import type { HeadersLike } from './headers.ts'
import { HTTPException, type HTTPExceptionOptions, type RegisteredException } from './http-exception.ts'
import * as statusExceptions from './status-exceptions.ts'

export * from './http-exception.ts'
export * from './status-exceptions.ts'

/** The class of a registered status. */
export type ExceptionClass = typeof RegisteredException

const classes: ReadonlyMap<number, ExceptionClass> = new Map(
  Object.values(statusExceptions).map((one: ExceptionClass) => [one.status, one]),
)

/**
 * Returns the exception class of a registered status, or `undefined` for any other status.
 * `new HTTPException(status)` accepts each from 300 to 599.
 *
 * @example
 * ```ts
 * import { exceptionFor } from 'propylon/http'
 *
 * exceptionFor(404)?.name // 'HTTPNotFound'
 * ```
 */
export function exceptionFor(status: number): ExceptionClass | undefined {
  return classes.get(status)
}

/**
 * Creates the exception of a status: an instance of its class, or an {@link HTTPException} if it has none.
 *
 * @param status - a code, or `NNN Reason` for another reason.
 * @throws RangeError - the code is not within 300 to 599, or the text does not begin with one.
 *
 * @example
 * ```ts
 * import { makeException } from 'propylon/http'
 *
 * makeException(409, 'The name is taken.').statusLine // '409 Conflict'
 * ```
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
  return Class === undefined ? new HTTPException(code, detail, headers, settings) : new Class(detail, headers, settings)
}

function codeOf(text: string): number {
  if (!/^\d{3}(?: |$)/.test(text)) {
    throw new RangeError(`${JSON.stringify(text)} is not a status. Give a number, or text such as '404 Not Found'.`)
  }
  return parseStatus(text)[0]
}

/**
 * Ends the request with an error: throws the exception of a status.
 *
 * @see docs/guides/errors.md
 * @param status - 300 to 599, or `NNN Reason`. The reason is sent as given, with control characters replaced by spaces.
 * @param detail - a message for the client.
 * @param headers - header fields of the response.
 * @throws HTTPException - always, unless the status is invalid.
 * @throws RangeError - the status is not within 300 to 599.
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
 * Redirects the client: throws the redirection of a status.
 *
 * @see docs/guides/responses.md
 * @param url - the target. A relative URL stays relative (RFC 9110 §10.2.2). Characters that a URL may not contain are
 *   percent-encoded, also a backslash, which browsers treat as a slash. Check a URL that comes from the client: any
 *   site is accepted.
 * @param code - 301, 302 (the default), 303, 307 or 308.
 * @throws HTTPRedirection - always, unless an argument is invalid.
 * @throws RangeError - the code is another one.
 * @throws TypeError - the URL is neither a text nor a URL, is empty or contains control characters.
 *
 * @example
 * ```ts
 * import { redirect } from 'propylon'
 *
 * redirect('/users/joe', 303)
 * ```
 */
export function redirect(url: string | URL, code: number = 302): never {
  if (!REDIRECTS.has(code)) throw new RangeError(`${code} is not a redirect. Use 301, 302, 303, 307 or 308.`)
  if (typeof url !== 'string' && !(url instanceof URL)) {
    throw new TypeError(`The location of a redirect is ${describeValue(url)}. Pass a text or a URL.`)
  }
  throw makeException(code, undefined, { Location: formatLocation(String(url)) })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
const CONTROL = /[\x00-\x1f\x7f]/
const NOT_IN_A_URL = /[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+/g

/**
 * Returns a URL for a Location field (RFC 3986): invalid characters are percent-encoded, and existing encodings stay.
 *
 * @throws TypeError - the URL is empty or contains control characters.
 *
 * @example
 * ```ts
 * import { formatLocation } from 'propylon/http'
 *
 * formatLocation('/users/jürgen') // '/users/j%C3%BCrgen'
 * ```
 */
export function formatLocation(url: string): string {
  if (url === '') throw new TypeError('The location of a redirect is empty.')
  if (CONTROL.test(url)) throw new TypeError(`The location ${JSON.stringify(url)} contains control characters.`)
  return url.toWellFormed().replace(NOT_IN_A_URL, encodeURIComponent)
}
