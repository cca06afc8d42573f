import { isPromise } from '../base/promise.ts'
import type { Logger } from '../controllers/application.ts'
import { onClose } from '../wsgi/body.ts'
import { readStatus } from '../wsgi/response-head.ts'
import type { Body, Environ, Middleware, StartResponse } from '../wsgi/types.ts'
import { requestLine } from './logger.ts'

/**
 * Logs a line for each request of a server in debug mode, such as `200 GET /users/42 1.3 ms users.show`.
 * `requestLog()` replaces it.
 */
export function developmentLog(logger: Logger): Middleware {
  return (app) => (environ, start_response) => {
    if (environ['propylon.connection'] === undefined) return app(environ, start_response)
    const begin = performance.now()
    // The application changes the environ: mounts change the path, forms the method.
    const line = requestLine(environ)
    let code = 0
    const start: StartResponse = (status, headers, excInfo) => {
      code = readStatus(status).code
      return start_response(status, headers, excInfo)
    }
    const accept = (body: Body): Body =>
      onClose(body, () => {
        if (environ['propylon.request_id'] !== undefined) return
        const status = environ['propylon.connection']?.isAbandoned === true ? 499 : code
        const duration = (performance.now() - begin).toFixed(1)
        logger.info(`${status} ${line} ${duration} ms${targetOf(environ)}`)
      })
    const body = app(environ, start)
    return isPromise(body) ? body.then(accept) : accept(body)
  }
}

/** Returns the controller and the action of a request that was routed. */
function targetOf(environ: Environ): string {
  const { controller, action: matched } = environ['wsgiorg.routing_args']?.[1] ?? {}
  const { 'propylon.action': action = matched } = environ
  const target = [controller, action].filter((name) => typeof name === 'string').join('.')
  return target === '' ? '' : ` ${target}`
}
