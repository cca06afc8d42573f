import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { serve, toListener } from 'propylon/node'
import { isDisconnect, type WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from './raw.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n'
const TIMEOUT = 8000

/** An application that reads a body piece by piece, and records what it has read. */
class Reader {
  received = ''
  failure: unknown
  readonly failed = Promise.withResolvers<void>()
  #wake: () => void = () => {}

  readonly wsgi: WSGIApplication = async (environ, start_response) => {
    try {
      for await (const piece of environ['wsgi.input']) {
        this.received += Buffer.from(piece)
        this.#wake()
      }
    } catch (error) {
      this.failure = error
      this.failed.resolve()
      throw error
    }
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return ['complete']
  }

  /** Resolves when bytes have been read and the next read is pending. */
  async reads(text: string): Promise<void> {
    while (this.received !== text) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    await setImmediate()
  }
}

describe('bodyTimeout', () => {
  it('answers 408 to a client that stops, and ends the read', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const reader = new Reader()
    await serving(
      reader,
      async ({ port }) => {
        const client = new Connection(port)
        client.say(`${HEAD}abc`)
        await reader.reads('abc')
        t.mock.timers.tick(TIMEOUT * 1.5)
        await reader.failed.promise
        await client.ends()
        assert.match(client.heard, /^HTTP\/1\.1 408 Request Timeout\r\n/)
        assert.ok(isDisconnect(reader.failure))
        assert.match(String((reader.failure as Error).cause), /within bodyTimeout/)
      },
      { bodyTimeout: TIMEOUT },
    )
  })

  it('answers 408 to a client that sends a body for memory byte by byte', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const app: WSGIApplication = async (environ, start_response) => {
      const body = await environ['wsgi.input'].read()
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return [body]
    }
    await serving(
      app,
      async ({ port }) => {
        const client = new Connection(port)
        client.say(HEAD)
        for (let count = 0; count < 9 && !client.closed; count += 1) {
          client.say('x')
          for (let turn = 0; turn < 20; turn += 1) await setImmediate()
          t.mock.timers.tick(TIMEOUT / 4)
        }
        await client.ends()
        assert.match(client.heard, /^HTTP\/1\.1 408 Request Timeout\r\n/)
      },
      { bodyTimeout: TIMEOUT },
    )
  })

  it('does not end an upload that makes progress, however long it takes', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const reader = new Reader()
    await serving(
      reader,
      async ({ port }) => {
        const client = new Connection(port)
        client.say(HEAD)
        for (let count = 1; count < 10; count += 1) {
          client.say('x')
          await reader.reads('x'.repeat(count))
          t.mock.timers.tick(TIMEOUT)
        }
        client.say('x')
        await client.hears('complete')
        client.socket.destroy()
      },
      { bodyTimeout: TIMEOUT },
    )
  })

  it('does not count the time in which the application does not read', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const begun = Promise.withResolvers<void>()
    const wait = Promise.withResolvers<void>()
    const app: WSGIApplication = async (environ, start_response) => {
      const first = await environ['wsgi.input'].read(1)
      begun.resolve()
      await wait.promise
      const rest = await environ['wsgi.input'].read()
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return [first, rest]
    }
    await serving(
      app,
      async ({ port }) => {
        const client = new Connection(port)
        client.say(`${HEAD}a`)
        await begun.promise
        t.mock.timers.tick(TIMEOUT * 10)
        wait.resolve()
        client.say('bcdefghij')
        await client.hears('abcdefghij')
        client.socket.destroy()
      },
      { bodyTimeout: TIMEOUT },
    )
  })

  it('is off for 0', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const reader = new Reader()
    await serving(
      reader,
      async ({ port }) => {
        const client = new Connection(port)
        client.say(`${HEAD}abc`)
        await reader.reads('abc')
        t.mock.timers.tick(10_000_000)
        client.say('defghij')
        await client.hears('complete')
        client.socket.destroy()
      },
      { bodyTimeout: 0 },
    )
  })

  for (const bodyTimeout of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${bodyTimeout}`, () => {
      assert.throws(() => toListener(new Reader(), { bodyTimeout }), /bodyTimeout is .* Pass milliseconds/)
    })
  }
})

describe("Node's time-outs", () => {
  const rows: [given: { requestTimeout?: number; headersTimeout?: number }, request: number, headers: number][] = [
    [{}, 0, 60_000],
    [{ requestTimeout: 0 }, 0, 60_000],
    [{ requestTimeout: 30_000 }, 30_000, 30_000],
    [{ headersTimeout: 5000 }, 0, 5000],
    [{ requestTimeout: 30_000, headersTimeout: 5000 }, 30_000, 5000],
  ]
  for (const [given, request, headers] of rows) {
    it(`are ${request} ms for a request and ${headers} ms for its head with ${JSON.stringify(given)}`, async () => {
      const { server, close } = await serve(new Reader(), given).then((handle) => ({
        server: handle.server,
        close: () => handle.close(),
      }))
      assert.deepEqual([server.requestTimeout, server.headersTimeout], [request, headers])
      await close()
    })
  }
})
