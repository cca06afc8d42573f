/**
 * Middleware that checks an application and its server against the rules of the gateway.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isPromise } from '../../base/promise.ts'
import { toApplication } from '../application.ts'
import type { HeaderPair, StartResponse, WSGIApplication, WSGICallable } from '../types.ts'
import { bodyRules, LintedResponse, lintBody, pullRules } from './body-rules.ts'
import { checkCall, environRules } from './environ-rules.ts'
import { checkHead, headRules, startRules } from './head.ts'
import type { Section } from './rule.ts'
import { lintErrors, lintInput, streamRules, streamUseRules } from './streams.ts'

export { LintError, type Party } from './rule.ts'

/** All rules, in the order in which a request is handled. */
export const RULES: readonly Section[] = [
  environRules,
  streamRules,
  streamUseRules,
  headRules,
  startRules,
  bodyRules,
  pullRules,
]

/**
 * Wraps an application so that a {@link LintError} is thrown when the application or the server breaks a rule of the
 * gateway (PEP 3333, docs/reference/gateway.md). A synchronous application stays synchronous, an array stays an array, and streams
 * are read as before.
 *
 * @param callable - an application, or an object with an application as `wsgi`.
 * @throws TypeError - `callable` is not an application.
 * @example
 * ```ts
 * import { createEnviron, lint, run, type WSGIApplication } from 'propylon/wsgi'
 *
 * const app: WSGIApplication = (environ, start_response) => {
 *   start_response('200', [])
 *   return ['Hello']
 * }
 * await run(lint(app), createEnviron()) // LintError: [status-line] The application broke a rule of the gateway: …
 * ```
 */
export function lint(callable: WSGICallable): WSGIApplication {
  const app = toApplication(callable)
  return (...args) => {
    checkCall(args)
    const [environ, start_response] = args
    const errors = environ['wsgi.errors']
    environ['wsgi.input'] = lintInput(environ['wsgi.input'])
    environ['wsgi.errors'] = lintErrors(errors)
    const response = new LintedResponse(environ.REQUEST_METHOD === 'HEAD')
    const body = app(environ, lintStart(start_response, response))
    return isPromise(body)
      ? body.then((later) => lintBody(later, response, errors))
      : lintBody(body, response, errors)
  }
}

function lintStart(start_response: StartResponse, response: LintedResponse): StartResponse {
  return (...args: [string, HeaderPair[], unknown?]) => {
    const head = checkHead(args)
    const [, , excInfo] = args
    if (response.head !== undefined && (excInfo === undefined || excInfo === null)) {
      throw headRules.rules['start-response-again'].error('a second call without it')
    }
    const write: unknown = start_response(...args)
    if (response.committed) throw startRules.rules['exc-info-thrown'].error('no error')
    if (typeof write !== 'function') throw startRules.rules['write-callable'].error(describeValue(write))
    response.head = head
    return (chunk) => {
      if (response.returned) throw bodyRules.rules['write-in-time'].error('a call after that')
      response.chunk(chunk)
      write(chunk)
    }
  }
}
