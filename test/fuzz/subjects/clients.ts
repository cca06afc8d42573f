/** Clients that do not read, that leave while their work waits, and that come all at once. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import fc from 'fast-check'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { limit, limitFailures } from 'propylon/middleware'
import { type ServerHandle, serve } from 'propylon/node'
import { createEnviron, run } from 'propylon/wsgi'
import { talk } from '../http/talk.ts'
import { property, type Subject } from '../property.ts'

/** Attempts of a key that may run at the same time. */
const MAX = 3
const failures = limitFailures({ max: MAX, window: 3600 })
const errors: string[] = []
/** Attempts now, the most at the same time, and those that began although their client had left. */
const work = { running: 0, most: 0, late: 0 }

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

class ClientsController extends WSGIController {
  /** Works for a client, some at the same time for each key. */
  async work(key: string) {
    const { signal } = this.request
    const check = async () => {
      if (signal.aborted) work.late += 1
      work.running += 1
      work.most = Math.max(work.most, work.running)
      await turns(5)
      work.running -= 1
      return 'done'
    }
    return failures.attempt({ key }, check, { signal })
  }

  /** More than the buffers of a socket hold. */
  *large() {
    for (let piece = 0; piece < 64; piece++) yield 'x'.repeat(65_536)
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/work/{key}', { controller: 'clients', action: 'work' })
    .connect('/large', { controller: 'clients', action: 'large' }),
  controllers: { clients: ClientsController },
  logger: { info() {}, warn() {}, error: (message) => errors.push(message) },
})
let server: ServerHandle | undefined

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

const client = fc.record({
  path: fc.constantFrom('/work/a', '/work/b', '/large'),
  reads: fc.boolean(),
  /** Turns of the event loop after which the client leaves. Others stay until the end. */
  leaves: fc.option(fc.nat(12)),
})

/** Sends a request without waiting for its response. */
async function come(port: number, { path, reads, leaves }: { path: string; reads: boolean; leaves: number | null }) {
  const socket = net.connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  if (reads) socket.resume()
  await once(socket, 'connect')
  socket.write(requestOf(path))
  if (leaves !== null) void turns(leaves).then(() => socket.destroy())
  return socket
}

async function assertServed(port: number): Promise<void> {
  const { text } = await talk({ port, pieces: [requestOf('/work/polite')] })
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*done/s)
}

export const clients: Subject = {
  name: 'clients',
  async open() {
    server = await serve(app, { signals: false })
  },
  async close() {
    await server?.close()
  },
  properties: [
    property(
      'clients that do not read or leave take nothing from others',
      fc.array(client, { minLength: 1, maxLength: 10 }),
      async (all) => {
        const { port = 0 } = server ?? {}
        Object.assign(work, { most: 0, late: 0 })
        const sockets = await Promise.all(all.map((each) => come(port, each)))
        await assertServed(port)
        for (const socket of sockets) socket.destroy()
        while (work.running > 0) await turns(1)
        // Two keys of the clients, and one of the polite client.
        assert.ok(work.most <= 2 * MAX + 1, `${work.most} attempts ran at the same time`)
        assert.equal(work.late, 0)
        assert.deepEqual(errors.splice(0), [])
      },
    ),
    property(
      'as many of concurrent requests pass as a limit allows',
      fc.record({
        max: fc.integer({ min: 1, max: 5 }),
        count: fc.integer({ min: 1, max: 20 }),
        fails: fc.boolean(),
      }),
      async ({ max, count, fails }) => {
        const guessed = limitFailures({ max, window: 3600 })
        let passed = 0
        class PagesController extends WSGIController {
          async index() {
            const check = async () => {
              passed += 1
              await turns(1)
              return undefined
            }
            if (fails) await guessed.attempt({ address: 'x' }, check)
            else passed += 1
            return 'done'
          }
        }
        const limited = new FrameworkApp({
          map: new Mapper().connect('/', { controller: 'pages', action: 'index' }),
          controllers: { pages: PagesController },
          middleware: fails ? [] : [limit({ max, window: 3600 })],
        })
        await Promise.all(Array.from({ length: count }, () => run(limited, createEnviron({ url: '/' }))))
        assert.equal(passed, Math.min(max, count))
      },
    ),
  ],
}
