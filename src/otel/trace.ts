import type { Attributes, Context, Span, TracerProvider } from '@opentelemetry/api'
import { HTTPException } from '../http/http-exception.ts'
import { subscribe, type TraceContext, type TraceEvents, traceOf } from '../tracing/channels.ts'
import { environHeaders } from '../wsgi/environ.ts'
import { isInstance, toError } from '../wsgi/thrown.ts'
import { type OpenTelemetry, openTelemetry } from './package.ts'

const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
])

/**
 * Makes a span of each request, with one inside for each of routing, hooks, action and rendering.
 *
 * The span of a request is named by method and route, `GET /users/{id}`, has the attributes of the semantic conventions
 * for HTTP servers, and continues the trace of the client's headers. Spans that the application makes in an action belong
 * to that action, if the provider has registered a context manager.
 *
 * @param provider - makes the spans. Defaults to the one that is registered with `@opentelemetry/api`.
 * @returns a function that ends tracing.
 * @throws Error - the package `@opentelemetry/api` is not installed.
 *
 * @example
 * ```ts
 * import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
 * import { trace } from 'propylon/otel'
 *
 * trace(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] }))
 * ```
 */
export function trace(provider?: TracerProvider): () => void {
  const api = openTelemetry()
  const tracing = new Tracing(api, provider)
  const stops = [
    subscribe('request', tracing.events('request')),
    subscribe('route', tracing.events('route')),
    subscribe('before', tracing.events('before')),
    subscribe('action', tracing.events('action')),
    subscribe('render', tracing.events('render')),
    subscribe('after', tracing.events('after')),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

class Tracing {
  readonly #api: OpenTelemetry
  readonly #provider: TracerProvider | undefined
  readonly #spans = new WeakMap<TraceContext, Span>()

  constructor(api: OpenTelemetry, provider: TracerProvider | undefined) {
    this.#api = api
    this.#provider = provider
  }

  events(stage: string): TraceEvents {
    return {
      start: (context) =>
        stage === 'request' ? this.#startRequest(context) : this.#startStage(stage, context),
      end: (context) => {
        if (context.isPending !== true) this.#end(context)
      },
      asyncEnd: (context) => this.#end(context),
      error: (context) => this.#fail(context),
    }
  }

  #startRequest(context: TraceContext): void {
    const { SpanKind, context: contexts, propagation, trace: traces } = this.#api
    const { environ } = context
    const method = METHODS.has(environ.REQUEST_METHOD) ? environ.REQUEST_METHOD : '_OTHER'
    const active = contexts.active()
    // An instrumentation of node:http has continued the trace of the client.
    const isInside = traces.getSpan(active) !== undefined
    const parent = isInside
      ? active
      : propagation.extract(active, Object.fromEntries(environHeaders(environ)))
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': environ.SCRIPT_NAME + environ.PATH_INFO,
      'url.scheme': environ['wsgi.url_scheme'],
    }
    const kind = isInside ? SpanKind.INTERNAL : SpanKind.SERVER
    this.#start(context, method === '_OTHER' ? 'HTTP' : method, { kind, attributes }, parent)
  }

  #startStage(stage: string, context: TraceContext): void {
    const active = this.#api.context.active()
    const request = traceOf(context.environ)
    const outer = request === undefined ? undefined : this.#spans.get(request)
    // Without a context manager no span is active.
    const isActive = this.#api.trace.getSpan(active) !== undefined
    const parent = isActive || outer === undefined ? active : this.#api.trace.setSpan(active, outer)
    this.#start(context, stage, { attributes: attributesOf(context) }, parent)
  }

  #start(
    context: TraceContext,
    name: string,
    options: Parameters<ReturnType<TracerProvider['getTracer']>['startSpan']>[1],
    parent: Context,
  ): void {
    const { context: contexts, trace: traces } = this.#api
    const tracer = (this.#provider ?? traces.getTracerProvider()).getTracer('propylon')
    const span = tracer.startSpan(name, options, parent)
    this.#spans.set(context, span)
    const own = traces.setSpan(parent, span)
    context.around = (run) => contexts.with(own, run)
  }

  #fail(context: TraceContext): void {
    const { error } = context
    // redirect() and abort() end an action as intended.
    if (isInstance(error, HTTPException) && error.status < 500) return
    const span = this.#spans.get(context)
    span?.recordException(toError(error))
    span?.setStatus({ code: this.#api.SpanStatusCode.ERROR })
  }

  #end(context: TraceContext): void {
    const span = this.#spans.get(context)
    if (span === undefined) return
    this.#spans.delete(context)
    span.setAttributes(attributesOf(context))
    const { status, environ } = context
    const route = context['http.route']
    if (status !== undefined) {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
      if (route !== undefined) span.updateName(`${environ.REQUEST_METHOD} ${route}`)
    }
    span.end()
  }
}

function attributesOf(context: TraceContext): Attributes {
  const { controller, action, template } = context
  const all = {
    'http.route': context['http.route'],
    'propylon.controller': controller,
    'propylon.action': action,
    'propylon.template': template,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
