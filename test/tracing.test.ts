import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { context, SpanKind, SpanStatusCode, trace as traces } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { FrameworkApp, Mapper, redirect, WSGIController } from 'propylon'
import { trace } from 'propylon/otel'
import { TestApp } from 'propylon/testing'

class UsersController extends WSGIController {
  __before__() {}

  async show(id: string) {
    await Promise.resolve()
    traces.getTracer('application').startSpan('query').end()
    return this.render('user', { id })
  }

  away() {
    redirect('/')
  }

  fail() {
    throw new TypeError('boom')
  }

  long_name() {
    return 'long'
  }

  async *rows() {
    traces.getTracer('application').startSpan('query').end()
    yield 'first'
    await Promise.resolve()
    traces.getTracer('application').startSpan('query').end()
  }

  async *broken() {
    yield 'first'
    throw new TypeError('boom')
  }

  async wait(signal: AbortSignal) {
    await setTimeout(60_000, undefined, { signal })
  }

  __after__() {}
}

class PartsController extends WSGIController {
  show() {
    return 'part'
  }
}

const parts = new FrameworkApp({
  map: new Mapper().connect('/{id}', { controller: 'parts', action: 'show' }),
  controllers: { parts: PartsController },
})

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/users/{id}', { controller: 'users', action: 'show' })
    .connect('/{controller}/{action}/x')
    .connect('/parts/{path_info:.*}', { controller: 'parts' }),
  controllers: { users: UsersController, parts: parts.wsgi },
  templates: { user: 'User <%= it.id %>' },
  logger: { info() {}, warn() {}, error() {} },
})
const client = new TestApp(app, { errors: 'page' })

const STAGES = ['request', 'route', 'before', 'action', 'render', 'after']

type Message = Readonly<Record<string, unknown>>

/** Sends a request and returns the events of all channels, with the labels that they have. */
async function eventsOf(path: string): Promise<[event: string, labels: string][]> {
  const events: [string, string][] = []
  const stops = STAGES.map((stage) => {
    const note = (name: string) => (message: unknown) => {
      const { 'http.route': route = '', controller = '', action = '', status = '' } = message as Message
      events.push([`${stage} ${name}`, [route, controller, action, status].filter((each) => each !== '').join(' ')])
    }
    const listeners = {
      start: note('start'),
      end: note('end'),
      asyncStart: () => {},
      asyncEnd: note('asyncEnd'),
      error: note('error'),
    }
    const channel = tracingChannel(`propylon.${stage}`)
    channel.subscribe(listeners)
    return () => channel.unsubscribe(listeners)
  })
  try {
    await client.get(path)
  } finally {
    for (const stop of stops) stop()
  }
  return events
}

describe('the tracing channels', () => {
  it('publish the stages of a request with the names of route, controller and action', async () => {
    assert.deepEqual(await eventsOf('/users/42'), [
      ['request start', ''],
      ['route start', ''],
      ['route end', '/users/{id}'],
      ['before start', '/users/{id} users show'],
      ['before end', '/users/{id} users show'],
      ['action start', '/users/{id} users show'],
      ['action end', '/users/{id} users show'],
      ['request end', '/users/{id} users show'],
      ['render start', '/users/{id} users show'],
      ['render end', '/users/{id} users show'],
      ['action asyncEnd', '/users/{id} users show'],
      ['after start', '/users/{id} users show'],
      ['after end', '/users/{id} users show'],
      ['request asyncEnd', '/users/{id} users show 200'],
    ])
  })

  it('publish an error and its status', async () => {
    const events = await eventsOf('/users/fail/x')
    assert.deepEqual(
      events.filter(([event]) => /error|asyncEnd|after/.test(event)),
      [
        ['action error', '/{controller}/{action}/x users fail'],
        ['after start', '/{controller}/{action}/x users fail'],
        ['after end', '/{controller}/{action}/x users fail'],
        ['request error', '/{controller}/{action}/x users fail 500'],
        ['request asyncEnd', '/{controller}/{action}/x users fail 500'],
      ],
    )
  })

  it('name the method of an action that the URL spells with dashes', async () => {
    const events = await eventsOf('/users/long-name/x')
    assert.deepEqual(events.at(-1), ['request asyncEnd', '/{controller}/{action}/x users long_name 200'])
  })

  it('have no status if the client left before the response', async () => {
    const channel = tracingChannel('propylon.request')
    const ended = Promise.withResolvers<Message>()
    const asyncEnd = (message: unknown) => ended.resolve(message as Message)
    const listeners = { start() {}, end() {}, asyncStart() {}, asyncEnd, error() {} }
    channel.subscribe(listeners)
    try {
      const leaving = new AbortController()
      const response = app.fetch(new Request('http://localhost/users/42', { signal: leaving.signal }))
      leaving.abort()
      await response
      const { controller, status } = await ended.promise
      assert.deepEqual([controller, status], ['users', undefined])
    } finally {
      channel.unsubscribe(listeners)
    }
  })

  it('never have words of the client', async () => {
    for (const path of ['/nope/nope/x', '/users/nope/x', '/nope']) {
      const labels = (await eventsOf(path)).map(([, label]) => label).join()
      assert.doesNotMatch(labels, /nope/)
    }
  })
})

describe('trace()', () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

  async function spansOf(path: string, send = (url: string): Promise<unknown> => client.get(url)) {
    exporter.reset()
    const stop = trace(provider)
    try {
      await send(path)
    } finally {
      stop()
    }
    const spans = exporter.getFinishedSpans()
    const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name
    return spans.map((span) => ({ name: span.name, parent: nameOf(span.parentSpanContext?.spanId), span }))
  }

  /** Runs a function with a context manager and the provider registered, as in an application. */
  async function registered<Result>(run: () => Promise<Result>): Promise<Result> {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    traces.setGlobalTracerProvider(provider)
    try {
      return await run()
    } finally {
      context.disable()
      traces.disable()
    }
  }

  it('makes a span of a request with its stages inside', async () => {
    const spans = await spansOf('/users/42')
    assert.deepEqual(
      spans.map(({ name, parent }) => [name, parent]),
      [
        ['route', 'GET /users/{id}'],
        ['before', 'GET /users/{id}'],
        ['render', 'GET /users/{id}'],
        ['action', 'GET /users/{id}'],
        ['after', 'GET /users/{id}'],
        ['GET /users/{id}', undefined],
      ],
    )
    assert.deepEqual(spans.at(-1)?.span.attributes, {
      'http.request.method': 'GET',
      'url.path': '/users/42',
      'url.scheme': 'http',
      'http.route': '/users/{id}',
      'propylon.controller': 'users',
      'propylon.action': 'show',
      'http.response.status_code': 200,
    })
  })

  it('makes the span of the action the parent of those that are made in it', async () => {
    const spans = await registered(() => spansOf('/users/42'))
    const parents = Object.fromEntries(spans.map(({ name, parent }) => [name, parent]))
    assert.deepEqual([parents.query, parents.render, parents.action], ['action', 'action', 'GET /users/{id}'])
  })

  it('makes the span of the request the parent of those that are made while its body is streamed', async () => {
    const spans = await registered(() => spansOf('/users/rows/x'))
    assert.deepEqual(
      spans.filter(({ name }) => name === 'query').map(({ parent }) => parent),
      ['GET /{controller}/{action}/x', 'GET /{controller}/{action}/x'],
    )
  })

  it('puts the request of a mounted application into the outer one, without a context manager too', async () => {
    const spans = await spansOf('/parts/7')
    assert.deepEqual(
      spans.map(({ name, parent, span }) => [name, parent, span.kind]),
      [
        ['route', 'GET /parts/{path_info:.*}', SpanKind.INTERNAL],
        ['route', 'GET /{id}', SpanKind.INTERNAL],
        ['action', 'GET /{id}', SpanKind.INTERNAL],
        ['GET /parts/{path_info:.*}', undefined, SpanKind.SERVER],
        ['GET /{id}', 'GET /parts/{path_info:.*}', SpanKind.INTERNAL],
      ],
    )
  })

  it('names a method that is no standard one HTTP', async () => {
    const [span] = (await spansOf('/users/42', (url) => client.request('CHOSEN', url))).slice(-1)
    assert.equal(span?.name, 'HTTP /users/{id}')
    assert.equal(span.span.attributes['http.request.method'], '_OTHER')
    assert.equal(span.span.attributes['http.request.method_original'], 'CHOSEN')
  })

  it('records no error when the client has left', async () => {
    const spans = await spansOf('/users/wait/x', async (url) => {
      const leaving = new AbortController()
      const response = app.fetch(new Request(`http://localhost${url}`, { signal: leaving.signal }))
      leaving.abort()
      await response
      // The response does not wait for the action, which ends when its signal is aborted.
      while (exporter.getFinishedSpans().length < 5) await setImmediate()
    })
    assert.deepEqual(
      spans.map(({ name, span }) => [name, span.status.code]),
      [
        ['route', SpanStatusCode.UNSET],
        ['before', SpanStatusCode.UNSET],
        ['action', SpanStatusCode.UNSET],
        ['after', SpanStatusCode.UNSET],
        ['GET /{controller}/{action}/x', SpanStatusCode.UNSET],
      ],
    )
  })

  it('records an error of a streamed body', async () => {
    const spans = await spansOf('/users/broken/x', async (url) => {
      const response = await app.fetch(new Request(`http://localhost${url}`))
      await assert.rejects(response.text())
    })
    const { status, events } = spans.at(-1)?.span ?? assert.fail('There is no span.')
    assert.deepEqual(
      [status.code, events.map(({ attributes }) => attributes?.['exception.message'])],
      [SpanStatusCode.ERROR, ['boom']],
    )
  })

  it('records unexpected errors only', async () => {
    const failed = await spansOf('/users/fail/x')
    assert.deepEqual(
      failed.filter(({ span }) => span.status.code === 2).map(({ name }) => name),
      ['action', 'GET /{controller}/{action}/x'],
    )
    const redirected = await spansOf('/users/away/x')
    assert.deepEqual(
      redirected.filter(({ span }) => span.events.length > 0 || span.status.code === 2),
      [],
    )
  })
})
