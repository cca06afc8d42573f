/**
 * `propylon/otel`: spans of OpenTelemetry from the tracing channels.
 *
 * @module
 */

import type { Attributes, Context, Span, SpanOptions, TracerProvider } from '@opentelemetry/api'
import { METHODS } from '../../base/methods.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { isDisconnect, isInstance, toError } from '../../base/thrown.ts'
import { HTTPException } from '../../http/http-exception.ts'
import { environHeaders } from '../../wsgi/environ.ts'
import type { Environ } from '../../wsgi/types.ts'
import { STAGES, type Stage, subscribe, type TraceContext, traceOf } from './channels.ts'

/** The methods that the semantic conventions of OpenTelemetry name. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([...METHODS, 'CONNECT', 'TRACE'])

/**
 * Makes a span of each request, with one inside for each of routing, hooks, action and rendering.
 *
 * The span of a request is named by method and route, `GET /users/{id}`, has the attributes of the semantic conventions
 * for HTTP servers, and continues the trace of the client's headers. Spans that the application makes in an action
 * belong to that action, if the provider has registered a context manager.
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
  const api = optionalPackage('@opentelemetry/api', 'propylon/otel')
  const { context: contexts, propagation, SpanKind, SpanStatusCode, trace: traces } = api
  const spans = new WeakMap<TraceContext, Span>()

  /** Returns the active context. Without a context manager no span is active: then with the span of a request. */
  function inside(request: TraceContext | undefined): Context {
    const active = contexts.active()
    const span = request === undefined ? undefined : spans.get(request)
    return span === undefined || traces.getSpan(active) !== undefined ? active : traces.setSpan(active, span)
  }

  function begin(context: TraceContext, name: string, options: SpanOptions, parent: Context): void {
    const tracer = (provider ?? traces.getTracerProvider()).getTracer('propylon')
    const span = tracer.startSpan(name, options, parent)
    spans.set(context, span)
    const own = traces.setSpan(parent, span)
    context.around = (run) => contexts.with(own, run)
  }

  function beginRequest(context: TraceContext): void {
    const { environ, outer } = context
    const { REQUEST_METHOD } = environ
    const active = inside(outer)
    // An instrumentation of node:http, or the application that has mounted this one, has continued the client's trace.
    const isInside = traces.getSpan(active) !== undefined
    const parent = isInside ? active : propagation.extract(active, Object.fromEntries(environHeaders(environ)))
    const isKnown = KNOWN_METHODS.has(REQUEST_METHOD)
    const attributes: Attributes = {
      'http.request.method': isKnown ? REQUEST_METHOD : '_OTHER',
      ...(isKnown ? {} : { 'http.request.method_original': REQUEST_METHOD }),
      'url.path': environ.SCRIPT_NAME + environ.PATH_INFO,
      'url.scheme': environ['wsgi.url_scheme'],
    }
    const kind = isInside ? SpanKind.INTERNAL : SpanKind.SERVER
    begin(context, methodName(environ), { kind, attributes }, parent)
  }

  function fail(context: TraceContext): void {
    const { error } = context
    // redirect() and abort() end an action as intended. A client that leaves is not an error of the server.
    if ((isInstance(error, HTTPException) && error.status < 500) || isDisconnect(error)) return
    const span = spans.get(context)
    span?.recordException(toError(error))
    span?.setStatus({ code: SpanStatusCode.ERROR })
  }

  function end(context: TraceContext): void {
    const span = spans.get(context)
    if (span === undefined) return
    spans.delete(context)
    // Only a request has a status.
    const { status } = context
    if (status !== undefined) {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.setAttributes(attributesOf(context))
    span.end()
  }

  function endRequest(context: TraceContext): void {
    const route = context['http.route']
    if (route !== undefined) spans.get(context)?.updateName(`${methodName(context.environ)} ${route}`)
    end(context)
  }

  const listen = (stage: Stage, start: (context: TraceContext) => void, ended = end) =>
    subscribe(stage, {
      start,
      end: (context) => {
        if (context.isPending !== true) ended(context)
      },
      asyncEnd: ended,
      error: fail,
    })
  const stops = [
    listen('request', beginRequest, endRequest),
    ...STAGES.map((stage) =>
      listen(stage, (context) => {
        begin(context, stage, { attributes: attributesOf(context) }, inside(traceOf(context.environ)))
      }),
    ),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Returns the method for names of spans, which have no words of the client. */
function methodName({ REQUEST_METHOD }: Environ): string {
  return KNOWN_METHODS.has(REQUEST_METHOD) ? REQUEST_METHOD : 'HTTP'
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
