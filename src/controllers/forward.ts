import { toApplication } from '../wsgi/application.ts'
import type { WSGIApplication, WSGICallable } from '../wsgi/types.ts'

/**
 * Forwards the request to another WSGI application: `return forward(app)` in an action.
 *
 * The application receives the environ of this request. Cookies and `X-` headers set on `this.response` are added to
 * its response.
 *
 * @example
 * ```ts
 * import { forward, WSGIController } from 'propylon'
 * import type { WSGIApplication } from 'propylon/wsgi'
 *
 * const blog: WSGIApplication = (environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return [`The blog at ${environ.SCRIPT_NAME}`]
 * }
 *
 * export class BlogController extends WSGIController {
 *   index() {
 *     return forward(blog)
 *   }
 * }
 * ```
 */
export function forward(app: WSGICallable): WSGIApplication {
  return toApplication(app)
}
