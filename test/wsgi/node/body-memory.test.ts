import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { FrameworkApp, Mapper, Request, WSGIController } from 'propylon'
import { serve, toListener } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from './raw.ts'

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'
const post = (path: string, length: number, headers = FORM) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${length}\r\n\r\n`

/** Size of a body, in bytes. The memory has room for one body but not for two. */
const SIZE = 60_000
const maxBufferedBytes = 100_000

const silent = { error() {}, warn() {}, info() {} }

/** An application that reads the body in a different way for each path. */
function reading() {
  const forms: Promise<unknown>[] = []
  let gate = Promise.withResolvers<void>()
  class ReadController extends WSGIController {
    async form() {
      const form = await this.request.form()
      return `${form.get('a')?.length}`
    }
    async held() {
      await this.request.bytes()
      await gate.promise
      return 'held'
    }
    put() {
      return this.held()
    }
    async failing() {
      await this.request.bytes()
      throw new Error('failed after reading')
    }
    async dropped() {
      forms.push(this.request.bytes().catch(() => undefined))
      await turn()
      return 'dropped'
    }
    async pieces() {
      let count = 0
      for await (const piece of this.request.environ['wsgi.input']) count += piece.byteLength
      return String(count)
    }
    async blocks() {
      const input = this.request.environ['wsgi.input']
      let count = 0
      for (let block = await input.read(8192); block.length > 0; block = await input.read(8192)) count += block.length
      return String(count)
    }
    async line() {
      return String((await this.request.environ['wsgi.input'].readline()).length)
    }
    async raw() {
      return String((await this.request.environ['wsgi.input'].read()).length)
    }
  }
  const map = new Mapper()
    .connect('/forms/put', { controller: 'read', action: 'put', conditions: { method: 'PUT' } })
    .connect('/{action}', { controller: 'read' })
  const app = new FrameworkApp({ map, controllers: { read: ReadController }, logger: silent })
  const letGo = () => {
    gate.resolve()
    gate = Promise.withResolvers()
  }
  return { app, letGo }
}

/** A request whose body is sent up to the last byte. */
async function unfinished(port: number, path = '/form'): Promise<Connection> {
  const client = new Connection(port)
  client.say(`${post(path, SIZE)}a=${'x'.repeat(SIZE - 3)}`)
  return client
}

const closing = (path: string, length: number) => post(path, length, `${FORM}Connection: close\r\n`)

/** Sends a whole request, and resolves to the response. */
async function ask(port: number, path: string, body: string): Promise<string> {
  const client = new Connection(port)
  client.say(closing(path, body.length) + body)
  await client.ends()
  return client.heard
}

const form = `a=${'x'.repeat(SIZE - 2)}`

/** Repeats a request until it is accepted, because a closed connection releases its memory some turns later. */
async function accepted(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await ask(port, '/form', form)
    if (response.startsWith('HTTP/1.1 200')) return
    assert.match(response, /^HTTP\/1\.1 503/)
    await turn()
  }
  assert.fail('the memory was not released')
}

/** Resolves when the server has buffered so much of one body that there is no room for another. */
async function exhausted(port: number, path = '/form'): Promise<string> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const response = await ask(port, path, form)
    if (!response.startsWith('HTTP/1.1 200')) return response
  }
  throw new Error('10,000 requests were served, so the limit is not reached.')
}

describe('memory for request bodies', () => {
  for (const path of ['/form', '/held', '/raw', '/line']) {
    it(`returns 503 for ${path} before the body is read if the limit is reached`, async () => {
      const { app, letGo } = reading()
      await serving(
        app,
        async (server, log) => {
          const first = await unfinished(server.port)
          await exhausted(server.port)
          const second = new Connection(server.port)
          second.say(`${post(path, 1_000_000)}${'x'.repeat(SIZE)}`)
          await second.hears('\r\n\r\n')
          assert.match(second.heard, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
          assert.match(second.heard, /\r\nRetry-After: 1\r\n/)
          first.say('x')
          await first.hears('200 OK')
          assert.equal(log.text, '')
          first.socket.destroy()
          second.socket.destroy()
          letGo()
        },
        { maxBufferedBytes },
      )
    })
  }

  const ends: Record<string, (port: number, letGo: () => void) => Promise<void>> = {
    'is complete': async (port) => {
      assert.match(await ask(port, '/form', form), /^HTTP\/1\.1 200/)
    },
    fails: async (port) => {
      assert.match(await ask(port, '/failing', form), /^HTTP\/1\.1 500/)
    },
    'is complete while a read is pending': async (port) => {
      const client = new Connection(port)
      client.say(`${closing('/dropped', SIZE + 100)}${form}`)
      await client.hears('200 OK')
      await client.ends()
    },
    'loses its client while the body is read': async (port) => {
      const client = await unfinished(port)
      await exhausted(port)
      client.socket.destroy()
    },
    'loses its client after the body is read': async (port, letGo) => {
      const client = new Connection(port)
      client.say(post('/held', SIZE) + form)
      await exhausted(port)
      client.socket.destroy()
      await accepted(port)
      letGo()
    },
    'is refused': async (port) => {
      assert.match(await ask(port, '/form', 'a='.padEnd(3 * SIZE, 'x')), /^HTTP\/1\.1 503/)
    },
  }
  for (const [end, bring] of Object.entries(ends)) {
    it(`is released when a request ${end}`, async () => {
      const { app, letGo } = reading()
      await serving(
        app,
        async (server) => {
          for (let count = 0; count < 5; count++) {
            await bring(server.port, letGo)
            await accepted(server.port)
          }
        },
        { maxBufferedBytes },
      )
    })
  }

  it('counts a retained body until the request ends', async () => {
    const { app, letGo } = reading()
    await serving(
      app,
      async (server) => {
        const client = new Connection(server.port)
        client.say(post('/held', SIZE) + form)
        assert.match(await exhausted(server.port), /^HTTP\/1\.1 503/)
        letGo()
        await client.hears('held')
        await accepted(server.port)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  it('counts a form whose first field has been read for its method', async () => {
    const { app, letGo } = reading()
    await serving(
      app,
      async (server) => {
        const client = new Connection(server.port)
        client.say(post('/forms/put', SIZE) + '_method=PUT&a='.padEnd(SIZE, 'x'))
        await exhausted(server.port)
        letGo()
        await client.hears('held')
        await accepted(server.port)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  for (const path of ['/pieces', '/blocks']) {
    it(`does not count the chunks that ${path} has consumed`, async () => {
      const { app } = reading()
      await serving(
        app,
        async (server) => {
          const body = 'x'.repeat(20 * maxBufferedBytes)
          assert.ok((await ask(server.port, path, body)).endsWith(String(body.length)))
        },
        { maxBufferedBytes },
      )
    })
  }

  it('reads a body in chunks if the limit leaves no room for complete bodies', async () => {
    const { app } = reading()
    await serving(
      app,
      async (server) => {
        const client = await unfinished(server.port)
        await exhausted(server.port)
        assert.match(await ask(server.port, '/pieces', form), /^HTTP\/1\.1 200/)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  it('counts the decompressed size of a body', async () => {
    const { app } = reading()
    await serving(
      app,
      async (server) => {
        for (const [size, status] of [
          [50_000, 200],
          [200_000, 503],
        ] as const) {
          const response = await fetch(`${server.url}/form`, {
            method: 'POST',
            headers: {
              'Content-Encoding': 'gzip',
              'Content-Type': 'application/x-www-form-urlencoded',
            },
            body: gzipSync('a='.padEnd(size, 'x')),
          })
          assert.equal(response.status, status)
        }
      },
      { maxBufferedBytes },
    )
  })

  it('counts many small chunks as the bytes that they have', async () => {
    const { app, letGo } = reading()
    await serving(
      app,
      async (server) => {
        const client = new Connection(server.port)
        const chunked = `POST /held HTTP/1.1\r\nHost: x\r\n${FORM}Transfer-Encoding: chunked\r\n\r\n`
        client.say(`${chunked}${'1\r\nx\r\n'.repeat(SIZE)}0\r\n\r\n`)
        await exhausted(server.port)
        assert.equal(client.heard, '')
        letGo()
        await client.hears('held')
        await accepted(server.port)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  it('is unlimited for Infinity', async () => {
    const { app } = reading()
    await serving(
      app,
      async (server) => {
        assert.match(await ask(server.port, '/form', 'a='.padEnd(1_000_000, 'x')), /^HTTP\/1\.1 200/)
      },
      { maxBufferedBytes: Number.POSITIVE_INFINITY },
    )
  })

  const app: WSGIApplication = (environ, start_response) => {
    start_response('200 OK', [])
    return [Request.of(environ).path]
  }
  for (const maxBufferedBytes of [-1, Number.NaN]) {
    it(`refuses ${maxBufferedBytes}`, async () => {
      const error = { name: 'RangeError', message: new RegExp(`maxBufferedBytes is ${maxBufferedBytes}`) }
      await assert.rejects(serve(app, { maxBufferedBytes }), error)
      assert.throws(() => toListener(app, { maxBufferedBytes }), error)
    })
  }
})
