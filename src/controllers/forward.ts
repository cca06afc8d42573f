import { toApplication } from '../wsgi/application.ts'
import type { WSGIApplication, WSGICallable } from '../wsgi/types.ts'

/**
 * Hands the request on to another WSGI application: `return forward(app)` in an action.
 *
 * The application sees the environ of this request. Cookies and `X-` headers set on `this.response` are added to what
 * it answers.
 *
 * @example
 * ```ts
 * import { forward, WSGIController } from 'propylon'
 * import { blog } from '../lib/blog.ts'
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
