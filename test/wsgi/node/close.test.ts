import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { type ServerHandle, serve } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { Connection } from './raw.ts'

/** A time longer than the timeout of the tests, in milliseconds. */
const NEVER = 600_000

const hello: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['Hello']
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
const CONNECT = 'CONNECT other.example:80 HTTP/1.1\r\nHost: x\r\n\r\n'

/** The last socket of each server. */
const sockets = new WeakMap<ServerHandle, Socket>()

/** Sends a part of a request and resolves when the server has received all of it. */
async function sends(server: ServerHandle, client: Connection, bytes: string): Promise<void> {
  const [socket] = (await once(server.server, 'connection')) as [Socket]
  sockets.set(server, socket)
  client.say(bytes)
  await arrived(server, bytes.length)
}

/** Resolves when a server has received so many bytes of its last connection. */
async function arrived(server: ServerHandle, count: number): Promise<void> {
  while ((sockets.get(server)?.bytesRead ?? 0) < count) await new Promise(setImmediate)
}

describe('close', () => {
  const halves: [what: string, bytes: string][] = [
    ['nothing', ''],
    ['half a request head', 'GET / HTTP/1.1\r\nHost: x\r\nX-Fie'],
    ['half a request line', 'GE'],
    ['a request, and half a head after its response', `${GET}GET / HTTP/1.1\r\nHo`],
  ]
  for (const [what, bytes] of halves) {
    it(`closes a connection that has sent ${what}`, async () => {
      const server = await serve(hello, { drainTimeout: NEVER })
      const client = new Connection(server.port)
      await sends(server, client, bytes)
      if (bytes.startsWith(GET)) await client.hears('Hello')
      await server.close()
      await client.ends()
    })
  }

  it('answers a request whose head has begun to arrive', async () => {
    const server = await serve(hello, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    await sends(server, client, 'GET / HTTP/1.1\r\nHost: x\r\nX-Fie')
    const closed = server.close()
    client.say('ld: 1\r\n\r\n')
    await closed
    await client.ends()
    assert.match(client.heard, /^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*Hello$/)
  })

  it('answers a request whose head arrived while the process was suspended', async () => {
    const server = await serve(hello, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    await sends(server, client, 'GET / HTTP/1.1\r\nHost: x\r\nX-Fie')
    const closed = server.close()
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    client.say('ld: 1\r\n\r\n')
    // Longer than the server waits for the head.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100)
    await closed
    await client.ends()
    assert.match(client.heard, /^HTTP\/1\.1 200 OK[\s\S]*Hello$/)
  })

  it('answers the requests of all connections that wait to be accepted', async () => {
    const server = await serve(hello)
    const { hostname, port } = new URL(server.url)
    const clients = Array.from({ length: 40 }, () => net.connect(Number(port), hostname))
    const answers = clients.map(async (client) => {
      client.write(GET)
      let text = ''
      for await (const chunk of client) text += chunk
      return text.slice(0, text.indexOf('\r\n'))
    })
    await Promise.race(clients.map((client) => once(client, 'connect')))
    await server.close()
    assert.deepEqual(await Promise.all(answers), Array(40).fill('HTTP/1.1 200 OK'))
  })

  it('answers a second request on a connection whose head has begun to arrive', async () => {
    const server = await serve(hello, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    await sends(server, client, GET)
    await client.hears('Hello')
    client.say('GET / HT')
    await arrived(server, GET.length + 'GET / HT'.length)
    const closed = server.close()
    client.say('TP/1.1\r\nHost: x\r\n\r\n')
    await closed
    await client.ends()
    assert.equal(client.heard.match(/Hello/g)?.length, 2)
  })

  it('completes a response in progress, then closes the connection if it has received a partial head', async () => {
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])
      return (async function* () {
        yield 'begun '
        begun.resolve()
        await release.promise
        yield 'done'
      })()
    }
    const server = await serve(app, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    client.say(`${GET}GET / HTTP/1.1\r\nHo`)
    await begun.promise
    const closed = server.close()
    release.resolve()
    await closed
    await client.ends()
    assert.match(client.heard, /begun[\s\S]*done/)
  })

  it('responds to all pipelined requests that have arrived', async () => {
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const app: WSGIApplication = async (_environ, start_response) => {
      begun.resolve()
      start_response('200 OK', [])
      return (async function* () {
        yield 'begun '
        await release.promise
        yield 'done'
      })()
    }
    const server = await serve(app, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    client.say(GET + GET + GET)
    await begun.promise
    await new Promise(setImmediate)
    const closed = server.close()
    release.resolve()
    await closed
    await client.ends()
    assert.equal(client.heard.match(/done/g)?.length, 3)
    assert.equal(client.heard.match(/Connection: close/g)?.length, 1)
  })

  const upgraded: [event: 'upgrade' | 'connect', request: string][] = [
    ['upgrade', UPGRADE],
    ['connect', CONNECT],
  ]
  for (const [event, request] of upgraded) {
    it(`ends a socket that a listener of ${event} has taken over`, async () => {
      const server = await serve(hello, { drainTimeout: NEVER })
      server.server.on(event, (_req: unknown, socket: Socket) => socket.write('HTTP/1.1 200 Taken\r\n\r\n'))
      const client = new Connection(server.port)
      client.say(request)
      await client.hears('Taken')
      await server.close()
      await client.ends()
      assert.equal(client.heard, 'HTTP/1.1 200 Taken\r\n\r\n')
    })

    it(`returns before drainTimeout if the client of ${event} does not close its side`, async () => {
      const server = await serve(hello, { drainTimeout: NEVER })
      server.server.on(event, (_req: unknown, socket: Socket) => socket.write('HTTP/1.1 200 Taken\r\n\r\n'))
      const client = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
      client.on('error', () => undefined)
      client.write(request)
      await once(client, 'data')
      await server.close()
      client.destroy()
    })

    it(`destroys a socket of ${event} after drainTimeout if the client does not close it`, async () => {
      const server = await serve(hello, { drainTimeout: 50 })
      server.server.on(event, (_req: unknown, socket: Socket) => socket.write('HTTP/1.1 200 Taken\r\n\r\n'))
      const client = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
      client.on('error', () => undefined)
      client.write(request)
      await once(client, 'data')
      await server.close()
      client.destroy()
    })

    it(`sends the buffered data of an ${event} socket`, async () => {
      const server = await serve(hello, { drainTimeout: NEVER })
      server.server.on(event, (_req: unknown, socket: Socket) => {
        socket.write('HTTP/1.1 200 Taken\r\n\r\n')
        socket.write(Buffer.alloc(4_000_000, 'x'))
      })
      const client = new Connection(server.port)
      client.say(request)
      await client.hears('Taken')
      await server.close()
      await client.ends()
      assert.equal(client.heard.length, 'HTTP/1.1 200 Taken\r\n\r\n'.length + 4_000_000)
    })
  }

  it('destroys connections in progress after drainTimeout', async () => {
    const called = Promise.withResolvers<void>()
    const app: WSGIApplication = () => {
      called.resolve()
      return new Promise(() => undefined)
    }
    const server = await serve(app, { drainTimeout: 50 })
    const client = new Connection(server.port)
    client.say(GET)
    await called.promise
    await server.close()
    await client.ends()
    assert.equal(client.heard, '')
  })

  it('closes a connection at once if its TLS handshake is incomplete', async () => {
    const server = await serve(hello, { tls: {}, drainTimeout: NEVER })
    const client = new Connection(server.port)
    await once(server.server, 'connection')
    await server.close()
    await client.ends()
  })
})

it('close() waits until requests that were cut have cleaned up', async () => {
  let cleanedUp = false
  const app: WSGIApplication = async (environ) => {
    try {
      for await (const _ of environ['wsgi.input'].stream);
      return []
    } finally {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      cleanedUp = true
    }
  }
  const server = await serve(app, { port: 0, signals: false, drainTimeout: 20 })
  const socket = net.connect(server.port, '127.0.0.1').on('error', () => {})
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf')
  await once(server.server, 'request')
  await server.close()
  assert.equal(cleanedUp, true)
  socket.destroy()
})
