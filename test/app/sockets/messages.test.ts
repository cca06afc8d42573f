import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { describe, it } from 'node:test'
import {
  FrameworkApp,
  Mapper,
  type SocketClass,
  type SocketHooks,
  type SocketMessage,
  type SocketPeer,
  type SocketRequest,
} from 'propylon'
import type { ServeOptions } from 'propylon/node'
import { Connection, serving } from '../../wsgi/node/raw.ts'

/** Opens WebSockets to a server, with the messages and closings that they have received. */
class Client {
  readonly socket: WebSocket
  readonly messages: unknown[] = []
  readonly opened: Promise<unknown>
  readonly closed: Promise<{ code: number; reason: string }>
  #wake: (() => void) | undefined

  constructor(url: string, path: string) {
    this.socket = new WebSocket(url.replace('http', 'ws') + path)
    this.socket.binaryType = 'arraybuffer'
    this.socket.addEventListener('message', ({ data }) => {
      this.messages.push(data)
      this.#wake?.()
    })
    this.opened = once(this.socket, 'open')
    this.closed = new Promise((resolve) => {
      this.socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    })
  }

  /** Resolves to the first messages when there are as many. */
  async hears(count: number): Promise<unknown[]> {
    while (this.messages.length < count) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.messages
  }
}

async function chatting(
  socket: SocketClass | SocketHooks,
  test: (open: (path?: string) => Client, logged: string[], port: number) => Promise<void>,
  options: ServeOptions = {},
): Promise<void> {
  const logged: string[] = []
  const app = new FrameworkApp({
    map: new Mapper(),
    controllers: {},
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    sockets: { '/chat/{room}': socket },
  })
  await serving(app, ({ url, port }) => test((path = '/chat/a') => new Client(url, path), logged, port), options)
}

function handshake(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
}

/** A thousand masked pings of 125 bytes. */
const PINGS = Buffer.alloc(131 * 1000, Buffer.concat([Buffer.from('89fd00000000', 'hex'), Buffer.alloc(125)]))

/** Length of the answer to such a ping. */
const PONG = 127

/** More pings than the buffers of the system and 16 MiB have room for. */
const MAX_PINGS = 600_000

/** Pings that one client sends: enough for the buffers of the system, and not for 16 MiB. */
const PINGS_THAT_STALL = 50_000

/** Opens a WebSocket whose client reads no further than the handshake. */
async function stalled(port: number, path = '/chat/a'): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(handshake(path))
  await once(socket, 'data')
  socket.pause()
  return socket
}

/**
 * Sends pings until the hook resolves `cut`, or until a write fails: the client can see the end of its connection before the hook
 * is called. Returns their number.
 */
async function ping(socket: net.Socket, cut: Promise<void>, max = MAX_PINGS): Promise<number> {
  const isCut = cut.then(() => true)
  for (let sent = 0; sent < max; sent += 1000) {
    const isLost = new Promise<boolean>((resolve) => {
      socket.write(PINGS, (error) => resolve(error !== null && error !== undefined))
    })
    if (await Promise.race([isCut, isLost])) return sent
  }
  return max
}

/** A chat whose rooms have the members of one instance each. */
class ChatSocket {
  static maxMessage = 1000
  name = ''

  authorize(request: SocketRequest) {
    this.name = request.query.get('name') ?? 'nobody'
  }

  open(peer: SocketPeer) {
    peer.subscribe('all')
    peer.send({ room: peer.context.params.room, name: this.name })
  }

  message(peer: SocketPeer, message: SocketMessage) {
    const text = message.text()
    if (text === 'fail') throw new Error('The message has failed.')
    if (text === 'bytes') peer.send(new Uint8Array([1, 2, 3]))
    else peer.publish('all', `${this.name}: ${text}`)
  }
}

describe('a WebSocket', () => {
  it('has an instance of the class for each connection, with the parameters of the path', async () => {
    await chatting(ChatSocket, async (open) => {
      const clients = ['/chat/a?name=ada', '/chat/b%20c?name=bob'].map(open)
      const first = await Promise.all(clients.map((client) => client.hears(1)))
      assert.deepEqual(first, [['{"room":"a","name":"ada"}'], ['{"room":"b c","name":"bob"}']])
    })
  })

  it('publishes to the other peers of the path, however it is encoded', async () => {
    await chatting(ChatSocket, async (open) => {
      const [ada, bob, eve] = ['/chat/a?name=ada', '/chat/%61?name=bob', '/chat/e?name=eve'].map(open)
      assert.ok(ada && bob && eve)
      await Promise.all([ada, bob, eve].map((client) => client.hears(1)))
      ada.socket.send('hi')
      eve.socket.send('bytes')
      assert.equal((await bob.hears(2))[1], 'ada: hi')
      assert.deepEqual((await eve.hears(2))[1], new Uint8Array([1, 2, 3]).buffer)
      assert.equal(ada.messages.length, 1)
    })
  })

  it('accepts an object of hooks', async () => {
    const events: unknown[] = []
    const hooks: SocketHooks = {
      open: (peer) => void events.push(['open', peer.context.params.room]),
      message: (_peer, message) => void events.push(['message', message.json()]),
      close: (_peer, { code, reason }) => void events.push(['close', code, reason]),
    }
    await chatting(hooks, async (open) => {
      const client = open()
      await client.opened
      client.socket.send('{"n":1}')
      client.socket.close(4000, 'enough')
      await client.closed
    })
    assert.deepEqual(events, [
      ['open', 'a'],
      ['message', { n: 1 }],
      ['close', 4000, 'enough'],
    ])
  })

  it('calls the hooks of a connection one after the other', async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    const hooks: SocketHooks = {
      async open() {
        await gate.promise
        events.push('opened')
      },
      async message(peer, message) {
        await new Promise(setImmediate)
        events.push(message.text())
        if (message.text() === '2') peer.close()
      },
      close: () => void events.push('closed'),
    }
    await chatting(hooks, async (open) => {
      const client = open()
      await client.opened
      for (const text of ['0', '1', '2']) client.socket.send(text)
      gate.resolve()
      await client.closed
    })
    assert.deepEqual(events, ['opened', '0', '1', '2', 'closed'])
  })

  for (const [name, hooks] of [
    ['open', { open: () => Promise.reject(new Error('The hook has failed.')) }],
    [
      'message',
      {
        message() {
          throw new Error('The hook has failed.')
        },
      },
    ],
  ] as const) {
    it(`is closed with 1011 if ${name}() throws, which is logged`, async () => {
      const ended: SocketPeer[] = []
      await chatting({ ...hooks, close: (peer) => void ended.push(peer) }, async (open, logged) => {
        const client = open()
        await client.opened
        client.socket.send('1')
        client.socket.send('2')
        assert.deepEqual(await client.closed, { code: 1011, reason: 'A hook has failed.' })
        assert.equal(logged.length, 1)
        assert.match(logged[0] ?? '', /^GET \/chat\/a\nError: The hook has failed/)
      })
      assert.equal(ended.length, 1)
    })
  }

  for (const [length, data] of [
    ['characters', (n: number) => 'x'.repeat(n)],
    ['bytes', (n: number) => new Uint8Array(n)],
    ['bytes of UTF-8', (n: number) => 'é'.repeat(n / 2)],
  ] as const) {
    it(`is closed with 1009 if a message has more ${length} than maxMessage`, async () => {
      const lengths: number[] = []
      const hooks: SocketHooks = {
        maxMessage: 1000,
        message: (_peer, message) => void lengths.push(message.uint8Array().length),
      }
      await chatting(hooks, async (open) => {
        const client = open()
        await client.opened
        client.socket.send(data(1000))
        client.socket.send(data(1002))
        assert.equal((await client.closed).code, 1009)
        assert.deepEqual(lengths, [1000])
      })
    })
  }

  it('accepts messages of 1 MiB by default', async () => {
    const hooks: SocketHooks = { message: (peer, message) => void peer.send(message.text().length) }
    await chatting(hooks, async (open) => {
      const client = open()
      await client.opened
      client.socket.send('x'.repeat(2 ** 20))
      assert.deepEqual(await client.hears(1), [String(2 ** 20)])
      client.socket.send('x'.repeat(2 ** 20 + 1))
      assert.equal((await client.closed).code, 1009)
    })
  })

  it('is closed with 1001 when the server shuts down, and its last hook runs before onShutdown()', async () => {
    const events: string[] = []
    const app = new FrameworkApp({
      map: new Mapper(),
      controllers: {},
      sockets: { '/chat': { message() {}, close: async () => void events.push('close') } },
    })
    app.onShutdown(() => void events.push('shutdown'))
    let closed: Promise<unknown> | undefined
    await serving(app, async ({ url }) => {
      const client = new Client(url, '/chat')
      closed = client.closed
      await client.opened
    })
    assert.deepEqual(await closed, { code: 1001, reason: 'The server is shutting down.' })
    assert.deepEqual(events, ['close', 'shutdown'])
  })

  it('is cut if its client reads nothing of what it is sent', async () => {
    const cut = Promise.withResolvers<number>()
    let sent = 0
    const hooks: SocketHooks = {
      async open(peer) {
        const piece = new Uint8Array(2 ** 20)
        while (sent < 200) {
          peer.send(piece)
          sent += 1
          await new Promise(setImmediate)
        }
      },
      close: () => cut.resolve(sent),
    }
    await chatting(hooks, async (_open, _logged, port) => {
      const client = new Connection(port)
      client.socket.pause()
      client.say(handshake('/chat/a'))
      await cut.promise
      client.socket.destroy()
    })
  })

  it('is cut first if it has waited longest when all unsent bytes together exceed maxUnsentBytes', async () => {
    const cut = Promise.withResolvers<string | undefined>()
    const opened: string[] = []
    const hooks: SocketHooks = {
      open(peer) {
        opened.push(peer.context.params.room ?? '')
        for (let n = 0; n < 10; n++) peer.send(new Uint8Array(2 ** 20))
      },
      close: (peer) => cut.resolve(peer.context.params.room),
    }
    await chatting(
      hooks,
      async (_open, _logged, port) => {
        const clients = ['a', 'b', 'c', 'd', 'e'].map((room) => {
          const client = new Connection(port)
          client.socket.pause()
          client.say(handshake(`/chat/${room}`))
          return client
        })
        assert.equal(await cut.promise, opened[0])
        for (const { socket } of clients) socket.destroy()
      },
      { maxUnsentBytes: 2 ** 24 },
    )
  })

  it('lets others be served after each chunk that its client sends', async () => {
    const count = 150_000
    const all = Promise.withResolvers<void>()
    let [received, mostInATurn] = [0, 0]
    const hooks: SocketHooks = {
      message() {
        received += 1
        if (received === count) all.resolve()
      },
    }
    await chatting(hooks, async (_open, _logged, port) => {
      const client = await stalled(port)
      let before = 0
      const observe = () => {
        mostInATurn = Math.max(mostInATurn, received - before)
        before = received
        if (received < count) setImmediate(observe)
      }
      observe()
      // Masked frames of one byte.
      client.write(Buffer.alloc(7 * count, Buffer.from('81810000000078', 'hex')))
      await all.promise
      client.destroy()
      // A chunk has 65,536 bytes.
      assert.ok(mostInATurn < 20_000, `${mostInATurn} messages were handled in one turn`)
    })
  })

  it('is cut if its client sends pings and reads nothing', async () => {
    const cut = Promise.withResolvers<void>()
    await chatting({ close: () => cut.resolve() }, async (_open, _logged, port) => {
      const client = await stalled(port)
      const sent = await ping(client, cut.promise)
      assert.ok(sent < MAX_PINGS, `${sent} pings`)
      await cut.promise
    })
  })

  it('counts pongs in maxUnsentBytes', async () => {
    const cut = Promise.withResolvers<void>()
    const hooks: SocketHooks = { close: () => cut.resolve() }
    await chatting(
      hooks,
      async (_open, _logged, port) => {
        const first = await stalled(port)
        await ping(first, cut.promise, PINGS_THAT_STALL)
        const second = await stalled(port, '/chat/b')
        const sent = await ping(second, cut.promise)
        for (const socket of [first, second]) socket.destroy()
        assert.ok(sent < MAX_PINGS, `${sent} pings`)
      },
      { maxUnsentBytes: 2 ** 21 },
    )
  })

  for (const way of ['send', 'publish'] as const) {
    it(`is cut if its client reads nothing of many short messages by ${way}()`, async () => {
      const peers = new Map<unknown, SocketPeer>()
      const ready = Promise.withResolvers<void>()
      const hooks: SocketHooks = {
        open(peer) {
          peer.subscribe('all')
          peers.set(peer.context.request.query.get('name'), peer)
          if (peers.size === 2) ready.resolve()
        },
      }
      await chatting(hooks, async (open, _logged, port) => {
        open('/chat/a?name=writer')
        const reader = await stalled(port, '/chat/a?name=reader')
        await ready.promise
        const [from, to] = [peers.get('writer'), peers.get('reader')]
        assert.ok(from && to)
        const give = (data: unknown) => (way === 'send' ? to.send(data) : from.publish('all', data))
        // Fills the buffers of the system.
        while (to.bufferedAmount === 0) {
          give(new Uint8Array(2 ** 16))
          await new Promise(setImmediate)
        }
        for (let n = 0; n < 2 ** 16 + 1; n++) give('x')
        give('the last one')
        const isCut = await new Promise((resolve) => {
          reader.on('data', (data) => data.includes('the last one') && resolve(false))
          reader.on('close', () => resolve(true)).resume()
        })
        reader.destroy()
        assert.equal(isCut, true)
      })
    })
  }

  it('is not cut while its client reads, however many messages and pings it has', async () => {
    const hooks: SocketHooks = {
      message(peer) {
        for (let n = 0; n < 70_000; n++) peer.send('x')
        peer.send('the last one')
      },
    }
    await chatting(hooks, async (_open, _logged, port) => {
      const client = await stalled(port)
      for (let n = 0; n < 70; n++) client.write(PINGS)
      // An empty message.
      client.write(Buffer.from('818000000000', 'hex'))
      let unheard = 70_000 * (PONG + 3) + 2 + 'the last one'.length
      const isCut = await new Promise((resolve) => {
        client.on('close', () => resolve(true))
        client.on('data', (data: Buffer) => {
          unheard -= data.length
          if (unheard === 0) resolve(false)
        })
        client.resume()
      })
      client.destroy()
      assert.equal(isCut, false)
    })
  })

  it('stops reading while messages wait for their hook, and loses none', async () => {
    const gate = Promise.withResolvers<void>()
    const texts: string[] = []
    const hooks: SocketHooks = {
      maxMessage: 1000,
      async message(_peer, message) {
        await gate.promise
        texts.push(message.text().slice(0, 5))
      },
    }
    await chatting(hooks, async (open) => {
      const client = open()
      await client.opened
      const sent = Array.from({ length: 50_000 }, (_, n) => String(10_000 + n))
      for (const text of sent) client.socket.send(text.padEnd(900))
      gate.resolve()
      client.socket.close()
      assert.equal((await client.closed).code, 1005)
      assert.deepEqual(texts, sent)
    })
  })

  it('does not outlive a client that disappears during the handshake', async () => {
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const events: string[] = []
    const hooks: SocketHooks = {
      async authorize() {
        entered.resolve()
        await gate.promise
      },
      open: () => void events.push('open'),
      close: () => void events.push('close'),
    }
    await chatting(hooks, async (_open, logged, port) => {
      const client = new Connection(port)
      client.say(handshake('/chat/a'))
      await entered.promise
      client.socket.resetAndDestroy()
      gate.resolve()
      await new Promise(setImmediate)
      assert.deepEqual(logged, [])
    })
    assert.equal(events.filter((event) => event === 'open').length, events.filter((event) => event === 'close').length)
  })
})
