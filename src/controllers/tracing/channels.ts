/**
 * The tracing channels of `node:diagnostics_channel`.
 *
 * @module
 */
import type { TracingChannel } from 'node:diagnostics_channel'
import { isPromise } from '../../base/promise.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { onClose } from '../../wsgi/body.ts'
import { readStatus } from '../../wsgi/response-head.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'

type Diagnostics = typeof import('node:diagnostics_channel')
type Channel = TracingChannel<unknown, TraceContext>

/** The stages of a request that is routed to a controller. */
export const STAGES = ['route', 'before', 'action', 'render', 'after'] as const

/** A stage of a request, or the whole request. Its channel is `propylon.` with this name. */
export type Stage = 'request' | (typeof STAGES)[number]

/** The message of all events of one stage. Its fields are set as they become known. */
export interface TraceContext {
  readonly environ: Environ
  /** Path of the route as it was defined, `/users/{id}`, never the path of the request. */
  'http.route'?: string
  /** Name of the controller, which exists. */
  controller?: string
  /** Name of the action, which exists. */
  action?: string
  /** Status of the response, unless the client left before it began. Only of `propylon.request`. */
  status?: number
  /** Name of the template. Only of `propylon.render`. */
  template?: string
  /** Error that ended the stage. */
  error?: unknown
  /** The request of the application that has mounted this one. Only of `propylon.request`. */
  readonly outer?: TraceContext
  /** Whether `asyncEnd` ends the stage instead of `end`. Set before `end`. */
  isPending?: boolean
  /**
   * Calls the stage. A subscriber of `start` may set it, to run the stage in a context of its own. The function of
   * `propylon.request` also calls the steps of a streamed body.
   */
  around?: <Result>(run: () => Result) => Result
}

/** Key in the environ for the context of a request that is traced. */
export const TRACE_KEY = 'propylon.trace'

// Workers may lack the module.
const diagnostics: Diagnostics | undefined =
  typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:diagnostics_channel')

const open = (stage: Stage): Channel | undefined =>
  diagnostics?.tracingChannel?.<unknown, TraceContext>(`propylon.${stage}`)

const CHANNELS: ReadonlyMap<Stage, Channel | undefined> = new Map(
  (['request', ...STAGES] as const).map((stage) => [stage, open(stage)]),
)

const ALL = [...CHANNELS.values()].filter((channel) => channel !== undefined)

/**
 * Returns an application that publishes its requests. Without subscribers it only checks that there are none.
 *
 * `end` follows when the application has returned, `asyncEnd` when the response was sent or its client has left.
 */
export function traced(app: WSGIApplication): WSGIApplication {
  return (environ, start_response) => {
    // An index, because an iterator would cost each request more than the check.
    for (let at = 0; at < ALL.length; at++) {
      if (ALL[at]?.hasSubscribers === true) return traceRequest(app, environ, start_response)
    }
    return app(environ, start_response)
  }
}

function traceRequest(app: WSGIApplication, environ: Environ, start_response: StartResponse): Body | Promise<Body> {
  const outer = traceOf(environ)
  const context: TraceContext = { environ, isPending: true, ...(outer === undefined ? {} : { outer }) }
  environ[TRACE_KEY] = context
  const channel = CHANNELS.get('request')
  // The stages may have subscribers when the request has none.
  if (channel?.hasSubscribers !== true) return app(environ, start_response)
  const start: StartResponse = (status, ...rest) => {
    context.status = readStatus(status).code
    return start_response(status, ...rest)
  }
  const finish = (): void => {
    // The application may have begun a response after its client had left.
    if (environ['propylon.connection']?.isAbandoned === true) delete context.status
    publishEnd(channel, context)
  }
  const accept = (body: Body): Body => {
    // The hooks of the application that has mounted this one follow.
    if (outer !== undefined) environ[TRACE_KEY] = outer
    const around = <Result>(step: () => Result): Result => call(context, step)
    const closing = onClose(body, finish)
    return Array.isArray(closing)
      ? closing
      : aroundSteps(closing, around, (error) => publishError(channel, context, error))
  }
  const fail = (error: unknown): never => {
    if (outer !== undefined) environ[TRACE_KEY] = outer
    // The server sends the page.
    if (!isDisconnect(error)) context.status = 500
    publishError(channel, context, error)
    finish()
    throw error
  }
  return channel.start.runStores(context, () => {
    try {
      const body = call(context, () => app(environ, start))
      return isPromise(body) ? body.then(accept, fail) : accept(body)
    } catch (error) {
      return fail(error)
    } finally {
      channel.end.publish(context)
    }
  })
}

function call<Result>(context: TraceContext, run: () => Result): Result {
  return context.around === undefined ? run() : context.around(run)
}

/**
 * Runs a stage of a request. If the request is traced, `start` and `end` surround the call; if it returns a promise,
 * `asyncStart` and `asyncEnd` follow when that is settled. `error` precedes the event that ends a stage that failed.
 * Stores that are bound to `start` hold in the stage.
 *
 * @param details - returns fields of the message. Called before the stage, if the request is traced.
 * @param complete - adds fields that depend on the result. Called before the stage ends.
 */
export function inStage<Result>(
  stage: Exclude<Stage, 'request'>,
  environ: Environ,
  run: () => Result,
  details?: (request: TraceContext) => Partial<TraceContext>,
  complete?: (context: TraceContext, result: Result) => void,
): Result {
  if (environ[TRACE_KEY] === undefined) return run()
  const request = traceOf(environ)
  return request === undefined ? run() : traceStage(stage, request, details?.(request) ?? {}, run, complete)
}

function traceStage<Result>(
  stage: Exclude<Stage, 'request'>,
  request: TraceContext,
  details: Partial<TraceContext>,
  run: () => Result,
  complete?: (context: TraceContext, result: Result) => void,
): Result {
  const { environ, controller, action } = request
  const context: TraceContext = {
    environ,
    ...known({ 'http.route': request['http.route'], controller, action }),
    ...details,
  }
  const channel = CHANNELS.get(stage)
  if (channel === undefined) return run()
  return channel.start.runStores(context, () => {
    try {
      const result = call(context, run)
      complete?.(context, result)
      if (isPromise(result)) {
        context.isPending = true
        const finish = () => publishEnd(channel, context)
        Promise.resolve(result).then(finish, (error: unknown) => {
          publishError(channel, context, error)
          finish()
        })
      }
      return result
    } catch (error) {
      publishError(channel, context, error)
      throw error
    } finally {
      channel.end.publish(context)
    }
  })
}

function publishEnd(channel: Channel, context: TraceContext): void {
  channel.asyncStart.publish(context)
  channel.asyncEnd.publish(context)
}

function publishError(channel: Channel, context: TraceContext, error: unknown): void {
  context.error = error
  channel.error.publish(context)
}

/** Returns the context of a request that is traced. */
export function traceOf(environ: Environ): TraceContext | undefined {
  // No other code sets this key.
  return environ[TRACE_KEY] as TraceContext | undefined
}

function known(fields: Readonly<Record<string, string | undefined>>): Partial<TraceContext> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Listeners of the events of one stage. */
export type TraceEvents = Readonly<Record<'start' | 'end' | 'asyncEnd' | 'error', (context: TraceContext) => void>>

/**
 * Listens to the events of one stage.
 *
 * @returns a function that removes the listeners.
 */
export function subscribe(stage: Stage, events: TraceEvents): () => void {
  const channel = CHANNELS.get(stage)
  const listeners = { ...events, asyncStart: () => {} }
  channel?.subscribe(listeners)
  return () => void channel?.unsubscribe(listeners)
}

/** Calls a step of a body and returns its result. */
type Around = <Result>(step: () => Result) => Result

/**
 * Returns a body whose iterator runs by `around`, so that the stream of a request runs in the context of the request.
 *
 * @param report - receives the error of a step, which is thrown as well.
 */
export function aroundSteps(body: Body, around: Around, report: (error: unknown) => void): Body {
  if (typeof body !== 'object' || body === null) return body
  const close = { close: () => around(() => body.close?.()) }
  const run = <Result>(step: () => Result): Result => {
    try {
      const result = around(step)
      if (isPromise(result)) result.then(undefined, report)
      return result
    } catch (error) {
      report(error)
      throw error
    }
  }
  if (Symbol.asyncIterator in body) {
    return { [Symbol.asyncIterator]: () => withSteps(() => body[Symbol.asyncIterator](), run), ...close }
  }
  if (Symbol.iterator in body) {
    return { [Symbol.iterator]: () => withSteps(() => body[Symbol.iterator](), run), ...close }
  }
  // The server reports a value that is not a body.
  return body
}

/** The members of an iterator that a server uses. */
interface Steps<Next, Return> {
  next(): Next
  return?(): Return
}

function withSteps<Next, Return>(begin: () => Steps<Next, Return>, run: Around): Steps<Next, Return> {
  const iterator = run(begin)
  const { return: end } = iterator
  const next = () => run(() => iterator.next())
  return end === undefined ? { next } : { next, return: () => run(() => end.call(iterator)) }
}
