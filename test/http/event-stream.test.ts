import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { eventStream, FrameworkApp, Mapper, Request, type ServerSentEvent, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { createEnviron, run } from 'propylon/wsgi'
import { send } from './send.ts'

async function* events(...list: readonly ServerSentEvent[]): AsyncGenerator<ServerSentEvent> {
  yield* list
}

const textOf = async (...list: readonly ServerSentEvent[]) => (await send(eventStream(events(...list)))).text

/** A source whose `next()` stays pending, and that counts calls. */
function silentSource() {
  const calls: string[] = []
  const returned = Promise.withResolvers<void>()
  const source: AsyncIterableIterator<ServerSentEvent> = {
    next() {
      calls.push('next')
      return new Promise(() => {})
    },
    async return() {
      calls.push('return')
      returned.resolve()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => source,
  }
  return { source, calls, returned: returned.promise }
}

describe('the text of an event', () => {
  const cases: [string, ServerSentEvent, string][] = [
    ['text', { data: 'hello' }, 'data: hello\n\n'],
    ['empty text', { data: '' }, 'data: \n\n'],
    ['an object', { data: { a: 1, b: 'x\ny' } }, 'data: {"a":1,"b":"x\\ny"}\n\n'],
    ['a number', { data: 3 }, 'data: 3\n\n'],
    ['null', { data: null }, 'data: null\n\n'],
    ['lines with every line end', { data: 'a\nb\r\nc\rd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
    ['all fields', { id: 7, event: 'page', data: 'x', retry: 500 }, 'id: 7\nevent: page\nretry: 500\ndata: x\n\n'],
  ]
  for (const [title, event, text] of cases) {
    it(`has ${title}`, async () => assert.equal(await textOf(event), text))
  }

  for (const field of ['id', 'event']) {
    for (const end of ['\n', '\r', '\0']) {
      it(`refuses ${JSON.stringify(end)} in ${field}`, async () => {
        await assert.rejects(textOf({ data: 'x', [field]: `a${end}data: b` }), {
          name: 'TypeError',
          message: new RegExp(`The ${field} of a server-sent event`),
        })
      })
    }
  }

  it('refuses data that JSON cannot express', async () => {
    await assert.rejects(textOf({ data: undefined }), { name: 'TypeError', message: /is undefined/ })
  })

  it('refuses a retry that is not a number of milliseconds', async () => {
    await assert.rejects(textOf({ data: '', retry: 1.5 }), RangeError)
    assert.throws(() => eventStream(events(), { retry: -1 }), RangeError)
    assert.throws(() => eventStream(events(), { heartbeat: Number.NaN }), RangeError)
  })

  it('refuses a source that is not iterable', () => {
    // @ts-expect-error: a promise is no source
    assert.throws(() => eventStream(Promise.resolve()), { name: 'TypeError', message: /a promise/ })
  })
})

describe('an event stream', () => {
  it('has headers that keep it from caches and buffers', async () => {
    const { headers } = await send(eventStream(events({ data: 'x' })))
    assert.deepEqual(headers, {
      'content-type': ['text/event-stream'],
      'cache-control': ['no-store'],
      'x-accel-buffering': ['no'],
    })
  })

  it('sends the time to reconnect first', async () => {
    const { text } = await send(eventStream(events({ data: 'x' }), { retry: 2500 }))
    assert.equal(text, 'retry: 2500\n\ndata: x\n\n')
  })

  it('sends the head and a comment before a source has an event', async () => {
    const { source } = silentSource()
    const result = await run(eventStream(source, { heartbeat: 0 }), createEnviron())
    const first = await result.body[Symbol.asyncIterator]().next()
    assert.deepEqual([result.status, new TextDecoder().decode(first.value)], ['200 OK', ':\n\n'])
    await result.body.close?.()
  })

  it('sends comments while the source waits, and calls its next() once', async () => {
    const { source, calls } = silentSource()
    const result = await run(eventStream(source, { heartbeat: 1 }), createEnviron())
    const iterator = result.body[Symbol.asyncIterator]()
    for (let n = 0; n < 3; n++) assert.equal(String.fromCharCode(...(await iterator.next()).value), ':\n\n')
    await result.body.close?.()
    assert.deepEqual(calls, ['next', 'return'])
  })

  it('takes an event only when the last one was taken', async () => {
    let taken = 0
    async function* source() {
      for (;;) yield { data: ++taken }
    }
    const result = await run(eventStream(source()), createEnviron())
    const iterator = result.body[Symbol.asyncIterator]()
    await iterator.next()
    await setImmediate()
    assert.equal(taken, 1)
    await iterator.next()
    assert.equal(taken, 2)
    await result.body.close?.()
  })

  it('answers calls that wait at the same time in their order', async () => {
    const { body } = eventStream(events({ data: 1 }, { data: 2 }))
    assert.ok(body instanceof Object && Symbol.asyncIterator in body)
    const iterator = body[Symbol.asyncIterator]()
    const chunks = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
    assert.deepEqual(
      chunks.map(({ value }) => value),
      ['data: 1\n\n', 'data: 2\n\n', undefined],
    )
  })

  it('ends all pending chunks when it is closed', async () => {
    const { source, calls } = silentSource()
    const { body } = eventStream(source, { heartbeat: 0, retry: 1 })
    assert.ok(body instanceof Object && Symbol.asyncIterator in body)
    const iterator = body[Symbol.asyncIterator]()
    await iterator.next()
    const pending = [iterator.next(), iterator.next()]
    await setImmediate()
    await iterator.return?.()
    for (const chunk of pending) assert.deepEqual(await chunk, { done: true, value: undefined })
    assert.deepEqual(calls, ['next', 'return'])
  })

  it('ends without an error when its source was aborted', async () => {
    async function* source() {
      yield { data: 1 }
      throw AbortSignal.abort().reason
    }
    assert.equal((await send(eventStream(source()))).text, 'data: 1\n\n')
  })

  it('does not check an event that comes when it was closed', async () => {
    const left = Promise.withResolvers<undefined>()
    async function* source() {
      yield { data: await left.promise }
    }
    const { body } = await run(eventStream(source()), createEnviron())
    await body[Symbol.asyncIterator]().next()
    const closing = body.close()
    left.resolve(undefined)
    await closing
  })

  it('fails with its source', async () => {
    async function* source() {
      yield { data: 1 }
      throw new Error('the database is gone')
    }
    await assert.rejects(send(eventStream(source())), /the database is gone/)
  })

  it('returns the source of a response that is not read', async () => {
    const { source, calls } = silentSource()
    const result = await run(eventStream(source), createEnviron({ method: 'HEAD' }))
    await result.body.close?.()
    assert.deepEqual(calls, ['return'])
  })

  it('returns the source at once when the client disconnects', async () => {
    const { source, returned } = silentSource()
    class EventsController extends WSGIController {
      index() {
        return eventStream(source)
      }
    }
    const map = new Mapper().connect('/', { controller: 'events', action: 'index' })
    const server = await serve(new FrameworkApp({ map, controllers: { events: EventsController } }))
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [head] = await once(socket, 'data')
    assert.match(String(head), /^HTTP\/1.1 200 OK\r\n.*text\/event-stream/s)
    socket.destroy()
    await returned
    await server.close()
  })
})

describe('lastEventId of a request', () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['42', '42'],
    ['\u00c3\u00bc', 'ü'],
    ['\u00fc', '\u00fc'],
    ['€', '€'],
  ]
  for (const [field, id] of cases) {
    it(`is ${JSON.stringify(id)} for ${JSON.stringify(field)}`, () => {
      const environ = createEnviron()
      if (field !== undefined) environ.HTTP_LAST_EVENT_ID = field
      assert.equal(new Request(environ).lastEventId, id)
    })
  }
})
