/**
 * Responses to requests that servers and adapters refuse.
 *
 * @module
 */

import { isHost, targetPath } from './request-url.ts'
import { statusLine } from './response-head.ts'
import type { Environ, HeaderPair, WSGIApplication, WSGICallable } from './types.ts'

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

/** Key in the environ for the reason why a request is malformed. */
export const MALFORMED_KEY = 'propylon.malformed'

/** The reason for a path that cannot be decoded. */
export const UNDECODABLE_PATH = 'The path is not percent-encoded UTF-8, or has a NUL.'

/** The reason for a Host field that is malformed or repeated. */
const MALFORMED_HOST = 'The Host field is malformed.'

/** The reason for a request target that is none of the forms of RFC 9112 §3.2. */
export const MALFORMED_TARGET = 'The request target is malformed.'

/** Removes the host of a request, so that no code builds a URL from it, and marks the request as malformed. */
export function withoutHost(environ: Environ): void {
  environ[MALFORMED_KEY] ??= MALFORMED_HOST
  delete environ.HTTP_HOST
  if (!isHost(environ.SERVER_NAME)) environ.SERVER_NAME = 'localhost'
}

/**
 * Returns true for an application that answers malformed requests itself: with 400, within its middleware. Servers
 * send 400 for all others, and do not call them.
 */
export function answersMalformed(callable: WSGICallable): boolean {
  return typeof callable === 'object' && 'answersMalformed' in callable && callable.answersMalformed === true
}

/** Returns the path of a malformed request as the client sent it, with the prefix of a proxy. */
export function malformedPath({ REQUEST_URI: target = '' }: Environ): string {
  return targetPath(target)
}
