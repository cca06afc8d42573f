import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { serve } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { Connection, Log, serving } from './raw.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('sendTimeout', () => {
  for (const [kind, body] of [
    ['whole', () => ['x'.repeat(64 * 2 ** 20)]],
    [
      'streamed',
      async function* () {
        for (;;) yield 'x'.repeat(2 ** 20)
      },
    ],
  ] as const) {
    for (const sent of ['', '\r\n']) {
      it(`cuts the connection of a client that does not read a ${kind} response and sends ${JSON.stringify(sent)}`, async () => {
        const app: WSGIApplication = (_environ, start_response) => {
          start_response('200 OK', [['Content-Type', 'text/plain']])
          return body()
        }
        await serving(
          app,
          async (server) => {
            let isClosed = false
            server.server.on('connection', (socket) =>
              socket.on('close', () => {
                isClosed = true
              }),
            )
            const client = new Connection(server.port)
            client.socket.pause()
            client.say(get('/'))
            while (!isClosed) {
              if (sent !== '') client.say(sent)
              await turn()
            }
            client.socket.destroy()
          },
          { sendTimeout: 200 },
        )
      })
    }
  }

  it('does not cut an event stream that has been read and has nothing to send', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const events = Promise.withResolvers<string>()
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/event-stream']])
      return (async function* () {
        yield 'x'.repeat(16 * 2 ** 20)
        yield await events.promise
      })()
    }
    await serving(
      app,
      async (server) => {
        const check = (count: number) => {
          for (let done = 0; done < count; done += 1) t.mock.timers.tick(60_000)
          return sockets[0]?.destroyed
        }
        const sockets: import('node:net').Socket[] = []
        server.server.on('connection', (socket) => sockets.push(socket))
        const client = new Connection(server.port)
        client.socket.pause()
        client.say(get('/'))
        while ((sockets[0]?.writableLength ?? 0) === 0) await turn()
        assert.equal(check(4), false)
        client.socket.resume()
        while ((sockets[0]?.writableLength ?? 1) > 0) await turn()
        assert.equal(check(10), false)
        events.resolve('end')
        await client.hears('end')
        client.socket.destroy()
      },
      { sendTimeout: 240_000 },
    )
  })

  it('counts the time anew when a part of a whole response has been read', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return ['x'.repeat(64 * 2 ** 20)]
    }
    await serving(
      app,
      async (server) => {
        const sockets: import('node:net').Socket[] = []
        server.server.on('connection', (socket) => sockets.push(socket))
        const check = (count: number) => {
          for (let done = 0; done < count; done += 1) t.mock.timers.tick(60_000)
          return sockets[0]?.destroyed
        }
        const client = new Connection(server.port)
        client.socket.pause()
        client.say(get('/'))
        while ((sockets[0]?.writableLength ?? 0) === 0) await turn()
        assert.equal(check(4), false)
        client.socket.resume()
        while (client.socket.bytesRead < 32 * 2 ** 20) await turn()
        client.socket.pause()
        assert.equal(check(4), false)
        assert.equal(check(4), true)
        client.socket.destroy()
      },
      { sendTimeout: 240_000 },
    )
  })

  for (const sendTimeout of [-1, Number.NaN, 2 ** 31]) {
    it(`refuses ${sendTimeout}`, async () => {
      await assert.rejects(
        serve(() => [], { sendTimeout }),
        /sendTimeout is .* Pass milliseconds from 0/,
      )
    })
  }
})

describe('maxUnsentBytes', () => {
  const SIZE = 16 * 2 ** 20
  const app: WSGIApplication = (environ, start_response) => {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return [environ.PATH_INFO === '/long' ? 'x'.repeat(SIZE) : 'short']
  }

  it('cuts the connections whose clients have not read for longest', async () => {
    await serving(
      app,
      async (server) => {
        const cut: number[] = []
        const complete = Promise.withResolvers<void>()
        let sent = Promise.withResolvers<void>()
        server.server.on('request', (req) => {
          req.socket.once('close', () => {
            if (cut.push(Number(req.headers['x-number'])) === 2) complete.resolve()
          })
          sent.resolve()
        })
        const clients: Connection[] = []
        for (let number = 1; number <= 3; number += 1) {
          const client = new Connection(server.port)
          clients.push(client)
          client.socket.pause()
          sent = Promise.withResolvers()
          client.say(`GET /long HTTP/1.1\r\nHost: x\r\nX-Number: ${number}\r\n\r\n`)
          await sent.promise
        }
        await complete.promise
        assert.deepEqual(cut, [1, 2])
        const other = new Connection(server.port)
        other.say(get('/'))
        await other.hears('short')
        for (const { socket } of [other, ...clients]) socket.destroy()
      },
      // Less than what the system leaves of one response.
      { maxUnsentBytes: 4 * 2 ** 20 },
    )
  })

  it('does not cut the newest response, which may be longer', async () => {
    await serving(
      app,
      async (server) => {
        for (let count = 0; count < 3; count += 1)
          assert.equal((await (await fetch(`${server.url}/long`)).text()).length, SIZE)
      },
      { maxUnsentBytes: 0 },
    )
  })

  for (const maxUnsentBytes of [-1, Number.NaN]) {
    it(`refuses ${maxUnsentBytes}`, async () => {
      await assert.rejects(
        serve(() => [], { maxUnsentBytes }),
        /maxUnsentBytes is .* Give a number, 0 or above/,
      )
    })
  }
})

describe('maxConnections', () => {
  it('closes further connections, serves those that are open, and logs it once', async () => {
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])
      return ['answered']
    }
    const errors = new Log()
    await serving(
      app,
      async (server) => {
        const first = new Connection(server.port)
        first.say(get('/'))
        await first.hears('answered')
        for (let count = 0; count < 3; count++) {
          const further = new Connection(server.port)
          await further.ends()
          assert.equal(further.heard, '')
        }
        first.heard = ''
        first.say(get('/'))
        await first.hears('answered')
        first.socket.destroy()
        assert.equal(errors.text.split('The server has 1 connections').length, 2)
      },
      { maxConnections: 1, errors },
    )
  })

  for (const maxConnections of [0, -1, Number.NaN]) {
    it(`refuses ${maxConnections}`, async () => {
      await assert.rejects(
        serve(() => [], { maxConnections }),
        /maxConnections is .* Pass a number from 1/,
      )
    })
  }
})
