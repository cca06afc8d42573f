import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { serve } from 'propylon/node'
import { type Chunk, lint, type WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from './raw.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const GET_LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** Streams a body and records its lifecycle. */
function streaming(body: () => Iterable<Chunk> | AsyncIterable<Chunk>) {
  const closed = Promise.withResolvers<void>()
  let closes = 0
  const app: WSGIApplication = lint((_environ, start_response) => {
    start_response('200 OK', [])
    return Object.assign(body(), {
      close: () => {
        closes++
        closed.resolve()
      },
    })
  })
  return { app, closed: closed.promise, closes: () => closes }
}

describe('serve, streams', () => {
  it('sends each chunk before it requests the next one', async () => {
    const gate = Promise.withResolvers<void>()
    const { app } = streaming(async function* () {
      yield 'one'
      await gate.promise
      yield 'two'
    })
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say(GET_LAST)
      await client.hears('one')
      assert.doesNotMatch(client.heard, /two/)
      gate.resolve()
      await client.hears('two')
      await client.ends()
    })
  })

  it('sends written chunks before the application returns', async () => {
    const gate = Promise.withResolvers<void>()
    const app: WSGIApplication = lint(async (_environ, start_response) => {
      const write = start_response('200 OK', [])
      write('one')
      await gate.promise
      write('two')
      return ['three']
    })
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say(GET_LAST)
      await client.hears('one')
      gate.resolve()
      await client.hears('three')
      await client.ends()
      assert.match(client.heard, /one[\s\S]*two[\s\S]*three/)
    })
  })

  for (const [kind, body] of [
    [
      'a generator',
      function* (state: { pulled: number; returned: boolean }): Generator<Chunk> {
        try {
          for (;;) {
            state.pulled++
            yield 'x'.repeat(16_384)
          }
        } finally {
          state.returned = true
        }
      },
    ],
    [
      'an async generator',
      async function* (state: { pulled: number; returned: boolean }): AsyncGenerator<Chunk> {
        try {
          for (;;) {
            state.pulled++
            yield 'x'.repeat(16_384)
          }
        } finally {
          state.returned = true
        }
      },
    ],
  ] as const) {
    it(`pulls ${kind} with back-pressure, and ends it once when the client disconnects`, async () => {
      const state = { pulled: 0, returned: false }
      const { app, closed, closes } = streaming(() => body(state))
      await serving(app, async (server, log) => {
        const client = new Connection(server.port)
        client.say(GET)
        await client.hears('xxx')
        client.socket.pause()
        // The kernel's buffers take some megabytes; then the server waits for the client.
        let before = -1
        while (state.pulled !== before) {
          before = state.pulled
          for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
        }
        assert.ok(state.pulled < 2000, `${state.pulled} chunks were pulled`)
        client.socket.destroy()
        await closed
        assert.deepEqual([state.returned, closes()], [true, 1])
        assert.equal(log.text, '')
      })
    })
  }

  it('closes a pending body when the client disconnects', async () => {
    const { app, closed, closes } = streaming(async function* () {
      yield 'begun'
      await new Promise(() => undefined)
    })
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say(GET)
      await client.hears('begun')
      client.socket.destroy()
      await closed
      assert.equal(closes(), 1)
    })
  })

  it('closes a body that is returned after the client has disconnected', async () => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const app: WSGIApplication = lint(async (_environ, start_response) => {
      asked.resolve()
      await gate.promise
      start_response('200 OK', [])
      return Object.assign(['late'].values(), { close: () => closed.resolve() })
    })
    await serving(app, async (server, log) => {
      const client = new Connection(server.port)
      client.say(GET)
      await asked.promise
      const gone = once(server.server, 'connection').then(() => undefined)
      client.socket.destroy()
      // The server accepts this connection after it has processed the end of the first one.
      const other = new Connection(server.port)
      await gone
      await new Promise((resolve) => setImmediate(resolve))
      gate.resolve()
      await closed.promise
      other.socket.destroy()
      assert.equal(log.text, '')
    })
  })

  it('reports an error of close() after a complete response', async () => {
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])
      return Object.assign(['done'].values(), {
        close: () => {
          throw new Error('cannot close')
        },
      })
    }
    await serving(app, async (server, log) => {
      assert.equal(await (await fetch(server.url)).text(), 'done')
      assert.match(log.text, /cannot close/)
    })
  })

  it('completes a long synchronous generator', async () => {
    const { app, closes } = streaming(function* () {
      for (let at = 0; at < 3000; at++) yield 'x'.repeat(1000)
    })
    await serving(app, async (server) => {
      assert.equal((await (await fetch(server.url)).text()).length, 3_000_000)
      assert.equal(closes(), 1)
    })
  })
})

describe('serve, closing', () => {
  it('completes the responses in progress, with Connection: close', async () => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const server = await serve(async (_environ, start_response) => {
      asked.resolve()
      await gate.promise
      start_response('200 OK', [])
      return ['complete']
    })
    const client = new Connection(server.port)
    client.say(GET)
    await asked.promise
    const closed = server.close()
    assert.equal(server.close(), closed)
    gate.resolve()
    await closed
    await client.ends()
    assert.match(client.heard, /Connection: close[\s\S]*complete$/)
  })

  it('closes idle connections at once', async () => {
    const server = await serve((_environ, start_response) => {
      start_response('200 OK', [])
      return ['Hello']
    })
    const client = new Connection(server.port)
    client.say(GET)
    await client.hears('Hello')
    await server.close()
    await client.ends()
  })

  it('closes a connection after its stream has ended', async () => {
    const gate = Promise.withResolvers<void>()
    const { app } = streaming(async function* () {
      yield 'begun'
      await gate.promise
      yield 'ended'
    })
    const server = await serve(app)
    const client = new Connection(server.port)
    client.say(GET)
    await client.hears('begun')
    const closed = server.close()
    gate.resolve()
    await closed
    await client.ends()
    assert.match(client.heard, /ended\r\n0\r\n\r\n$/)
  })

  it('destroys connections after drainTimeout', async () => {
    const { app, closed, closes } = streaming(async function* () {
      yield 'begun'
      await new Promise(() => undefined)
    })
    const server = await serve(app, { drainTimeout: 1 })
    const client = new Connection(server.port)
    client.say(GET)
    await client.hears('begun')
    await server.close()
    await client.ends()
    await closed
    assert.equal(closes(), 1)
  })
})
