import type { WSGIApplication } from './types.ts'

const wrapped = new WeakMap<WSGIApplication, WSGIApplication>()

/**
 * Records that an application passes the calls and responses of another one on unchanged, so that middleware may join
 * with that one.
 */
export function setTransparent(wrapper: WSGIApplication, app: WSGIApplication): void {
  wrapped.set(wrapper, withoutTransparent(app))
}

/** Returns the application that a transparent wrapper contains, any other application itself. */
export function withoutTransparent(app: WSGIApplication): WSGIApplication {
  return wrapped.get(app) ?? app
}
