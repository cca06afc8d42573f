import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { type ConnectHandler, fromConnect } from 'propylon/node'
import { Connection, serving } from './raw.ts'

const SIZE = 60_000
/** Room for one body, but not for two. */
const maxBufferedBytes = 100_000

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`

const reading: ConnectHandler = (req, res) => {
  let length = 0
  req.on('data', (chunk: Uint8Array) => {
    length += chunk.length
  })
  req.on('end', () => res.end(`${length} bytes`))
  req.on('error', (error) => res.destroy(error))
}

async function post(url: string, length: number): Promise<Response> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return fetch(url, { method: 'POST', headers, body: 'a='.padEnd(length, 'x') })
}

/** Repeats a request until it has a status. */
async function until(status: number, url: string): Promise<void> {
  for (let count = 0; count < 2000; count++) {
    const response = await post(url, SIZE)
    await response.arrayBuffer()
    if (response.status === status) return
    await turn()
  }
  assert.fail(`no response has the status ${status}`)
}

describe('the body that a Connect handler reads', () => {
  it('counts in the memory for all bodies, until its request ends', async () => {
    await serving(
      fromConnect(reading),
      async (server) => {
        assert.equal(await (await post(server.url, SIZE)).text(), `${SIZE} bytes`)
        const client = new Connection(server.port)
        client.say(`${head('/', SIZE)}${'x'.repeat(SIZE - 1)}`)
        await until(503, server.url)
        client.socket.destroy()
        await until(200, server.url)
      },
      { maxBufferedBytes },
    )
  })

  it('does not count once it is longer than what can be read again', async () => {
    const arrived = Promise.withResolvers<void>()
    let received = 0
    const handler: ConnectHandler = (req, res) => {
      reading(req, res, () => undefined)
      req.on('data', (chunk: Uint8Array) => {
        received += chunk.length
        if (received === 5_000_000) arrived.resolve()
      })
    }
    await serving(
      fromConnect(handler),
      async (server) => {
        const client = new Connection(server.port)
        client.say(`${head('/', 5_000_001)}${'x'.repeat(5_000_000)}`)
        await arrived.promise
        assert.equal((await post(server.url, SIZE)).status, 200)
        client.say('x')
        await client.hears('5000001 bytes')
        client.socket.destroy()
      },
      // Without room for another body if 4 MiB are counted.
      { maxBufferedBytes: 4_250_000 },
    )
  })

  it('is 503 with Retry-After for a body parser of Express', async () => {
    const app = express()
    app.use(express.urlencoded({ extended: false, limit: '1mb' }))
    app.post('/', (req, res) => void res.send(Object.keys(req.body)))
    await serving(
      fromConnect(app),
      async (server) => {
        const client = new Connection(server.port)
        client.say(`${head('/', SIZE)}${'x'.repeat(SIZE - 1)}`)
        await until(503, server.url)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  it('must arrive with the rate of a body that is read whole', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    await serving(
      fromConnect(reading),
      async (server) => {
        const client = new Connection(server.port)
        client.say(head('/', 100_000))
        for (let count = 0; count < 9 && !client.closed; count += 1) {
          client.say('x')
          for (let turns = 0; turns < 20; turns += 1) await turn()
          t.mock.timers.tick(2000)
        }
        await client.ends()
        assert.match(client.heard, /^HTTP\/1\.1 408 Request Timeout\r\n/)
      },
      { bodyTimeout: 8000 },
    )
  })
})

describe('the body behind a Connect handler that has read a part of it', () => {
  class FormController extends WSGIController {
    async index() {
      return `${(await this.request.bytes(10_000_000)).length} bytes`
    }
  }
  const peek: ConnectHandler = (req, _res, next) => {
    req.once('data', () => {
      req.pause()
      next()
    })
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/', { controller: 'form', action: 'index' }),
    controllers: { form: FormController },
    middleware: [fromConnect(peek)],
    logger: { error() {}, warn() {}, info() {} },
  })

  it('counts in the memory for all bodies', async () => {
    await serving(
      app,
      async (server) => {
        const client = new Connection(server.port)
        client.say(`${head('/', SIZE)}${'x'.repeat(100)}`)
        for (let turns = 0; turns < 50; turns += 1) await turn()
        client.say('x'.repeat(SIZE - 101))
        await until(503, server.url)
        client.say('x')
        await client.hears(`${SIZE} bytes`)
        client.socket.destroy()
      },
      { maxBufferedBytes },
    )
  })

  it('may be longer than what can be read again', async () => {
    await serving(app, async (server) => {
      assert.equal(await (await post(server.url, 6_000_000)).text(), '6000000 bytes')
    })
  })
})
