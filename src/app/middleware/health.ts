/**
 * Health checks for load balancers and process managers.
 *
 * @module
 */

import { isRead } from '../../base/methods.ts'
import { errorText } from '../../base/thrown.ts'
import { within } from '../../base/time.ts'
import { HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import type { Environ, Middleware } from '../../wsgi/types.ts'
import { checkOptions, isFunction } from '../check-options.ts'

/** Options of {@link health}. */
export interface HealthOptions {
  /** Path that is 200 as long as the process lives. Default `/healthz`. */
  readonly live?: string
  /** Path that is 200 if the process can serve requests, and 503 if not. Default `/readyz`. */
  readonly ready?: string
  /**
   * Checks whatever the application needs, such as its database. It throws or rejects if something cannot be reached,
   * or does not settle within {@link timeout}. Default: nothing is needed.
   */
  readonly check?: () => unknown
  /** Time for `check`, in milliseconds. Default 2,000. */
  readonly timeout?: number
}

const isPath = (value: unknown): boolean => typeof value === 'string' && value.startsWith('/')
const isTimeout = (value: unknown): boolean => typeof value === 'number' && value > 0 && value < 2 ** 31

/**
 * Answers `/healthz` with `200 ok` as long as the process lives, and `/readyz` with `200 ready`, or with 503 while
 * `check` fails and from the moment that the shutdown of the server begins.
 *
 * The reason of a failure is written to `wsgi.errors` once, until the check succeeds again. It is not sent.
 *
 * @throws TypeError - an option is unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { health } from 'propylon/middleware'
 *
 * const database = { async ping() {} }
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [health({ check: () => database.ping() })],
 * })
 * ```
 */
export function health(options: HealthOptions = {}): Middleware {
  checkOptions('health()', options, {
    live: [isPath, 'a path such as /healthz'],
    ready: [isPath, 'a path such as /readyz'],
    check: [isFunction, 'a function'],
    timeout: [isTimeout, 'a number of milliseconds above 0'],
  })
  const { live = '/healthz', ready = '/readyz', check = () => undefined, timeout = 2000 } = options
  let hasFailed = false

  async function readiness(environ: Environ): Promise<Response> {
    if (environ['propylon.connection']?.closing?.aborted === true) return answer(503, 'closing')
    try {
      await within(timeout, async () => check())
      hasFailed = false
      return answer(200, 'ready')
    } catch (error) {
      if (!hasFailed) environ['wsgi.errors'].write(`${ready} is 503: ${errorText(error)}\n`)
      hasFailed = true
      return answer(503, 'not ready')
    }
  }

  return (app) => (environ, start_response) => {
    const { PATH_INFO: path, REQUEST_METHOD: method } = environ
    if (path !== live && path !== ready) return app(environ, start_response)
    if (!isRead(method)) {
      return new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD' }).send(environ, start_response)
    }
    if (path === live) return answer(200, 'ok').send(environ, start_response)
    return readiness(environ).then((response) => response.send(environ, start_response))
  }
}

function answer(status: number, text: string): Response {
  const headers = { 'Cache-Control': 'no-store' }
  return new Response(text, { status, headers, contentType: 'text/plain; charset=utf-8' })
}
