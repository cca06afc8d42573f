import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { toListener } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from './raw.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const last = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

/** Returns requests for `/0`, `/1`, …, of which the last one closes the connection. */
function requests(count: number): string {
  const paths = Array.from({ length: count }, (_, at) => `/${at}`)
  return paths.map((path, at) => (at === count - 1 ? last(path) : get(path))).join('')
}

/** Paths in the order of the responses. */
const answered = (heard: string) => [...heard.matchAll(/<(\/\d+)>/g)].map(([, path]) => path)

/** Resolves when a number is positive and has not changed for a while. */
async function settled(read: () => number): Promise<number> {
  let before = 0
  while (before === 0 || read() !== before) {
    before = read()
    for (let count = 0; count < 500; count++) await turn()
  }
  return before
}

/** A response body. 200 of them are several times larger than the kernel's buffers. */
const PAGE = 'x'.repeat(256 * 1024)

const MORE_THAN_THE_KERNEL_TAKES = 'x'.repeat(8 * 1024 * 1024)

describe('pipelined requests', () => {
  for (const kind of ['at once', 'later'] as const) {
    it(`produces no further responses ${kind} while the client does not read`, async () => {
      let calls = 0
      const app: WSGIApplication = (environ, start_response) => {
        calls++
        start_response('200 OK', [])
        const body = [`<${environ.PATH_INFO}>`, PAGE]
        return kind === 'at once' ? body : turn(body)
      }
      await serving(app, async (server) => {
        const client = new Connection(server.port)
        client.socket.pause()
        client.say(requests(200))
        const unread = await settled(() => calls)
        assert.ok(unread > 0 && unread < 100, `${unread} responses were produced`)
        client.socket.resume()
        await client.ends()
        assert.equal(calls, 200)
        assert.deepEqual(
          answered(client.heard),
          Array.from({ length: 200 }, (_, at) => `/${at}`),
        )
      })
    })
  }

  it('does not start a request before the previous response is complete', async () => {
    let running = 0
    let most = 0
    const app: WSGIApplication = async (environ, start_response) => {
      most = Math.max(most, ++running)
      await turn()
      running--
      start_response('200 OK', [])
      return [`<${environ.PATH_INFO}>`]
    }
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say(requests(20))
      await client.ends()
      assert.equal(most, 1)
      assert.equal(answered(client.heard).length, 20)
    })
  })

  it('stops reading a connection with many waiting requests, and resumes when they have started', async () => {
    const gate = Promise.withResolvers<void>()
    const app: WSGIApplication = async (environ, start_response) => {
      await gate.promise
      start_response('200 OK', [])
      return [`<${environ.PATH_INFO}>`]
    }
    await serving(app, async (server) => {
      const sockets: Socket[] = []
      server.server.on('connection', (socket) => sockets.push(socket))
      const count = 10_000
      const all = requests(count)
      const client = new Connection(server.port)
      client.say(all)
      const read = await settled(() => sockets[0]?.bytesRead ?? 0)
      assert.ok(read > 0 && read <= 2 * 65_536, `${read} of ${all.length} bytes were read`)
      gate.resolve()
      await client.ends()
      assert.equal(answered(client.heard).length, count)
    })
  })

  it('does not read on when a part of the response before the waiting requests has been taken', async () => {
    const app: WSGIApplication = async (_environ, start_response) => {
      start_response('200 OK', [])
      return (async function* () {
        for (;;) yield MORE_THAN_THE_KERNEL_TAKES
      })()
    }
    await serving(app, async (server) => {
      let received = 0
      server.server.on('request', () => received++)
      const client = new Connection(server.port)
      client.say(get('/0'))
      await client.hears('xxx')
      client.socket.removeAllListeners('data').resume()
      client.say(get('/1').repeat(20_000))
      while (client.socket.bytesRead < 10 * MORE_THAN_THE_KERNEL_TAKES.length) await turn()
      const most = (2 * 65_536) / get('/1').length
      assert.ok(received > 1 && received <= most, `${received} requests were received`)
      client.socket.destroy()
    })
  })

  it('holds the body of one waiting request at most', async () => {
    const app: WSGIApplication = async (environ, start_response) => {
      if (environ.REQUEST_METHOD === 'GET') await gate.promise
      const body = await environ['wsgi.input'].read()
      start_response('200 OK', [])
      return [`<${environ.PATH_INFO}>${body.byteLength}`]
    }
    const gate = Promise.withResolvers<void>()
    await serving(app, async (server) => {
      let received = 0
      server.server.on('request', () => received++)
      const client = new Connection(server.port)
      const length = 60_000
      const post = `POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
      client.say(get('/0') + post.repeat(50) + last('/2'))
      const count = await settled(() => received)
      assert.ok(count <= 4, `${count} requests were received`)
      gate.resolve()
      await client.ends()
      assert.equal(client.heard.match(/<\/1>60000/g)?.length, 50)
      assert.deepEqual(answered(client.heard).at(-1), '/2')
    })
  })

  it('reads the body of the last of many waiting requests', async () => {
    const gate = Promise.withResolvers<void>()
    const app: WSGIApplication = async (environ, start_response) => {
      await gate.promise
      const body = await environ['wsgi.input'].read()
      start_response('200 OK', [])
      return [`<${environ.PATH_INFO}>${body.byteLength}`]
    }
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      const length = 1024 * 1024
      const post = `POST /200 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`
      client.say(get('/0').repeat(200) + post + 'x'.repeat(length))
      await settled(() => client.socket.bytesWritten)
      gate.resolve()
      await client.ends()
      assert.ok(client.heard.endsWith(`</200>${length}`), client.heard.slice(-200))
    })
  })

  it('does not call the application for requests of a disconnected client', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const paths: string[] = []
    const app: WSGIApplication = async (environ, start_response) => {
      paths.push(environ.PATH_INFO)
      begun.resolve()
      await gate.promise
      start_response('200 OK', [])
      return []
    }
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      const closed = new Promise((resolve) => {
        server.server.on('connection', (socket) => socket.on('close', resolve))
      })
      client.say(get('/0') + get('/1'))
      await begun.promise
      client.socket.destroy()
      await closed
      gate.resolve()
      await settled(() => paths.length)
      assert.deepEqual(paths, ['/0'])
    })
  })

  it('runs each request in the async context in which it was received', async () => {
    const context = new AsyncLocalStorage<string>()
    const found: [path: string, context: string | undefined][] = []
    const listener = toListener((environ, start_response) => {
      found.push([environ.PATH_INFO, context.getStore()])
      start_response('200 OK', [])
      return []
    })
    const server = http.createServer((req, res) => context.run(req.url ?? '', () => listener(req, res)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = new Connection((server.address() as AddressInfo).port)
    client.say(requests(3))
    await client.ends()
    assert.deepEqual(found, [
      ['/0', '/0'],
      ['/1', '/1'],
      ['/2', '/2'],
    ])
    await new Promise((resolve) => server.close(resolve))
  })

  it('also apply to toListener() on another server', async () => {
    let calls = 0
    const app: WSGIApplication = (_environ, start_response) => {
      calls++
      start_response('200 OK', [])
      return [PAGE]
    }
    const server = http.createServer(toListener(app))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = new Connection((server.address() as AddressInfo).port)
    client.socket.pause()
    client.say(requests(200))
    const unread = await settled(() => calls)
    assert.ok(unread > 0 && unread < 100, `${unread} responses were produced`)
    client.socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('requests that wait behind a stream on many connections', () => {
  it('are bounded: a connection with the most is closed, and others are served, pipelined or not', async () => {
    const app: WSGIApplication = async (environ, start_response) => {
      start_response('200 OK', [])
      if (environ.PATH_INFO !== '/stream') return [`<${environ.PATH_INFO}>`]
      return (async function* () {
        yield 'begun'
        await new Promise<never>(() => {})
      })()
    }
    await serving(app, async (server) => {
      const clients: Connection[] = []
      let received = 0
      let closed = 0
      server.server.on('request', () => received++)
      server.server.on('connection', (socket) => socket.on('close', () => closed++))
      while (!clients.some(({ closed }) => closed)) {
        assert.ok(clients.length < 100)
        const client = new Connection(server.port)
        clients.push(client)
        client.say(get('/stream'))
        await client.hears('begun')
        client.say(get('/1').repeat(2000))
        const before = received
        while (received === before && !client.closed) await turn()
        await settled(() => received)
      }
      assert.ok(received < 15_000, `${received} requests were parsed`)
      assert.match(await (await fetch(server.url)).text(), /^<\/>$/)
      const other = new Connection(server.port)
      other.say(requests(20))
      await other.ends()
      assert.equal(answered(other.heard).length, 20)
      // A connection that is not read does not notice that its client has left.
      server.server.closeAllConnections()
      while (closed < clients.length) await turn()
      const after = new Connection(server.port)
      after.say(requests(200))
      await after.ends()
      assert.equal(answered(after.heard).length, 200)
    })
  })
})
