import { getOrCreate } from '../base/get-or-create.ts'
import { isPromise } from '../base/promise.ts'
import type { Logger } from '../controllers/application.ts'
import { STAGES, subscribe, type TraceContext, type TraceEvents, traceOf } from '../controllers/tracing/channels.ts'
import { onClose } from '../wsgi/body.ts'
import { readStatus } from '../wsgi/response-head.ts'
import type { Body, Environ, Middleware, StartResponse } from '../wsgi/types.ts'
import { requestLine } from './error-reports.ts'
import type { Hosts } from './hosts.ts'

/** Durations of the stages of a request, in milliseconds. */
const durations = new WeakMap<TraceContext, Map<string, number>>()

let isSubscribed = false

/** Measures the stages of all requests that are traced, from the first call on. */
function measure(): void {
  if (isSubscribed) return
  isSubscribed = true
  for (const stage of STAGES) subscribe(stage, stopwatch(stage))
}

function stopwatch(stage: string): TraceEvents {
  const started = new WeakMap<TraceContext, number>()
  const stop = (context: TraceContext): void => {
    const request = traceOf(context.environ)
    const begin = started.get(context)
    if (request === undefined || begin === undefined) return
    const stages = getOrCreate(durations, request, () => new Map<string, number>())
    stages.set(stage, (stages.get(stage) ?? 0) + performance.now() - begin)
  }
  return {
    start: (context) => void started.set(context, performance.now()),
    end: (context) => {
      if (context.isPending !== true) stop(context)
    },
    asyncEnd: stop,
    error: () => {},
  }
}

/**
 * Adds `Server-Timing` to the responses of debug mode, which the developer tools of browsers show, and logs a line
 * for each request of a server, such as `200 GET /users/42 1.3 ms users.show`. `requestLog()` replaces the line.
 */
export function timing(hosts: Hosts, logger: Logger): Middleware {
  measure()
  return (app) => (environ, start_response) => {
    const begin = performance.now()
    // The application changes the environ: mounts change the path, forms the method.
    const line = requestLine(environ)
    let code = 0
    const start: StartResponse = (status, headers, excInfo) => {
      code = readStatus(status).code
      if (!hosts.showsDetails(environ)) return start_response(status, headers, excInfo)
      return start_response(status, [...headers, ['Server-Timing', timingOf(environ, begin)]], excInfo)
    }
    const accept = (body: Body): Body =>
      onClose(body, () => {
        if (environ['propylon.request_id'] !== undefined) return
        const status = environ['propylon.connection']?.isAbandoned === true ? 499 : code
        logger.info(`${status} ${line} ${milliseconds(performance.now() - begin)} ms${targetOf(environ)}`)
      })
    const body = app(environ, start)
    if (environ['propylon.connection'] === undefined) return body
    return isPromise(body) ? body.then(accept) : accept(body)
  }
}

/** Returns the field value: durations in milliseconds (https://www.w3.org/TR/server-timing/). */
function timingOf(environ: Environ, begin: number): string {
  const request = traceOf(environ)
  const stages = request === undefined ? undefined : durations.get(request)
  const total: [string, number] = ['total', performance.now() - begin]
  return [...(stages ?? []), total].map(([name, time]) => `${name};dur=${milliseconds(time)}`).join(', ')
}

function targetOf(environ: Environ): string {
  const { controller, action } = traceOf(environ) ?? {}
  if (controller === undefined) return ''
  return action === undefined ? ` ${controller}` : ` ${controller}.${action}`
}

function milliseconds(time: number): string {
  return time.toFixed(1)
}
