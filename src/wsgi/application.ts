/**
 * What serves as an application.
 *
 * @module
 */
import type { WSGIApplication, WSGICallable } from './types.ts'

/**
 * The application in whatever serves as one: a function is itself, an object holds it as `wsgi`.
 *
 * @throws TypeError when it is neither.
 */
export function toApplication(callable: WSGICallable): WSGIApplication {
  if (typeof callable === 'function') return callable
  if (typeof callable === 'object' && callable !== null) {
    const { wsgi } = callable
    if (typeof wsgi === 'function') return wsgi
  }
  throw new TypeError(
    'This is no application: give a function (environ, start_response) or an object whose wsgi member is one.',
  )
}

/** Whether a value serves as an application: a function, or an object with a `wsgi` function. */
export function isCallable(value: unknown): value is WSGICallable {
  if (typeof value === 'function') return true
  return typeof value === 'object' && value !== null && 'wsgi' in value && typeof value.wsgi === 'function'
}
