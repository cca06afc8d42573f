import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { eventStream, FrameworkApp, Mapper, type ServerSentEvent, WSGIController } from 'propylon'
import { TestApp, type TestEvent } from 'propylon/testing'
import type { WSGIApplication } from 'propylon/wsgi'

const streaming =
  (chunks: readonly (string | Uint8Array)[], status = '200 OK', type = 'text/event-stream'): WSGIApplication =>
  (_environ, start_response) => {
    start_response(status, [
      ['Content-Type', type],
      ['Set-Cookie', 'seen=yes'],
    ])
    return chunks
  }

async function all(events: AsyncIterable<TestEvent>): Promise<TestEvent[]> {
  const read: TestEvent[] = []
  for await (const event of events) read.push(event)
  return read
}

describe('events()', () => {
  for (const [title, chunks, expected] of [
    ['fields', ['id: 1\nevent: page\ndata: a\n\n'], [{ id: '1', event: 'page', data: 'a' }]],
    ['data of several lines', ['data: a\ndata:b\ndata\n\n'], [{ data: 'a\nb\n' }]],
    ['no events without data, and no comments', [':\n\nid: 1\n\nretry: 5\ndata: x\n\n'], [{ data: 'x' }]],
    [
      'all kinds of line ends',
      ['data: a\r', '\n\r\ndata: b\r\rdata: c\n\n'],
      [{ data: 'a' }, { data: 'b' }, { data: 'c' }],
    ],
    ['no incomplete event at the end', ['data: a\n\ndata: b\n'], [{ data: 'a' }]],
    [
      'characters that are cut in two',
      [Buffer.from('data: ü').subarray(0, 7), Buffer.from('ü\n\n').subarray(1)],
      [{ data: 'ü' }],
    ],
  ] as const) {
    test(`yields ${title}`, async () =>
      assert.deepEqual(await all(new TestApp(streaming(chunks)).events('/')), expected))
  }

  test('yields what eventStream() sends', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.record({ id: fc.stringMatching(/^\w+$/), data: fc.string() })), async (sent) => {
        async function* source(): AsyncGenerator<ServerSentEvent> {
          yield* sent
        }
        const read = await all(new TestApp((...call) => eventStream(source()).send(...call)).events('/'))
        const lines = sent.map(({ id, data }) => ({ id, data: data.replace(/\r\n|\r/g, '\n') }))
        assert.deepEqual(read, lines)
      }),
    ))

  test('sends the request at once, with the id, the cookies and the headers', async () => {
    const seen: unknown[] = []
    const client = new TestApp((environ, start_response) => {
      seen.push(environ.HTTP_COOKIE, environ.HTTP_LAST_EVENT_ID, environ.HTTP_X_A, environ.QUERY_STRING)
      return streaming(['data: a\n\n'])(environ, start_response)
    })
    await all(client.events('/'))
    client.events('/', { lastEventId: 'ü', headers: { 'X-A': 'b' }, query: { c: 1 } })
    assert.deepEqual(seen.slice(4), ['seen=yes', 'Ã¼', 'b', 'c=1'])
  })

  test('disconnects when the loop is left', async () => {
    let reason: unknown
    class ClockController extends WSGIController {
      index() {
        const { signal } = this.request
        signal.addEventListener('abort', () => {
          reason = signal.reason.name
        })
        const source = async function* () {
          yield { data: 1 }
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        }
        return eventStream(source(), { heartbeat: 0 })
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'clock', action: 'index' }),
      controllers: { clock: ClockController },
    })
    for await (const { data } of new TestApp(app).events('/')) {
      assert.equal(data, '1')
      break
    }
    assert.equal(reason, 'ClientDisconnected')
  })

  for (const [title, app, message] of [
    ['another status', streaming(['gone'], '404 Not Found'), /404 Not Found, of type text\/event-stream.*\ngone/],
    ['another type', streaming(['{}'], '200 OK', 'application/json'), /of type application\/json/],
  ] as const) {
    test(`refuses ${title}`, () => assert.rejects(all(new TestApp(app).events('/')), message))
  }

  test('throws the error of the application in the loop', () =>
    assert.rejects(
      all(
        new TestApp(() => {
          throw new Error('no database')
        }).events('/'),
      ),
      /no database/,
    ))
})
