/**
 * Applications, and objects with an application.
 *
 * @module
 */
import { describeValue } from '../base/describe.ts'
import type { WSGIApplication, WSGICallable } from './types.ts'

/**
 * Returns the application: the function itself, or the function that an object has as `wsgi`.
 *
 * @throws TypeError - `callable` is neither.
 * @example
 * ```ts
 * import { toApplication, type WSGIApplication } from 'propylon/wsgi'
 *
 * const hello: WSGIApplication = (environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return ['Hello']
 * }
 * console.log(toApplication({ wsgi: hello }) === hello) // true
 * ```
 */
export function toApplication(callable: WSGICallable): WSGIApplication {
  if (typeof callable === 'function') return callable
  if (hasWSGI(callable)) return callable.wsgi
  throw new TypeError(
    `An application is a function (environ, start_response), or an object that has one as wsgi, not ${describeValue(callable)}.`,
  )
}

/** Returns true for a function, and for an object with a function `wsgi`. */
export function isCallable(value: unknown): value is WSGICallable {
  return typeof value === 'function' || hasWSGI(value)
}

/** Returns true for an object with a `wsgi` function. */
export function hasWSGI(value: unknown): value is { readonly wsgi: WSGIApplication } {
  return typeof value === 'object' && value !== null && 'wsgi' in value && typeof value.wsgi === 'function'
}

/**
 * Key in the environ that an application sets to true if none of its routes matches, so that the server can pass the
 * request on.
 */
export const UNROUTED_KEY = 'propylon.unrouted'
