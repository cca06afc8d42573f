/** What a client of a WebSocket sees of the application, on every runtime that has them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'

/** A WebSocket that collects what it receives. */
class Client {
  readonly socket: WebSocket
  readonly messages: string[] = []
  readonly opened: Promise<unknown>
  readonly closed: Promise<number>
  #wake: (() => void) | undefined

  constructor(url: string, path = 'chat/a') {
    this.socket = new WebSocket(new URL(path, url.replace('http', 'ws')))
    this.socket.addEventListener('message', ({ data }) => {
      this.messages.push(String(data))
      this.#wake?.()
    })
    this.opened = once(this.socket, 'open')
    this.closed = new Promise((resolve) => {
      this.socket.addEventListener('close', ({ code }) => resolve(code))
    })
  }

  async hears(count: number): Promise<string[]> {
    while (this.messages.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.messages
  }
}

function handshakeOf(path: string, host: string, fields = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${fields}\r\n`
}

/** Sends a handshake and resolves to the head of the response. */
function handshake(url: string, path: string, fields = ''): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.write(handshakeOf(path, host, fields))
  return new Promise((resolve, reject) => {
    let heard = ''
    socket.on('error', reject)
    socket.on('data', (data) => {
      heard += data
      if (!heard.includes('\r\n\r\n')) return
      socket.destroy()
      resolve(heard.slice(0, heard.indexOf('\r\n\r\n')))
    })
  })
}

interface SocketBehaviour {
  readonly name: string
  /** Runtime that behaves otherwise. */
  readonly not?: string
  /** The only runtime whose counter is ours and counts in this way. */
  readonly only?: string
  run(url: string): Promise<void>
}

export const socketBehaviours: readonly SocketBehaviour[] = [
  {
    name: 'opens a WebSocket and sends messages both ways',
    async run(url) {
      const client = new Client(url, 'chat/b%20c')
      assert.match((await client.hears(1))[0] ?? '', /^b c \d+$/)
      client.socket.send('hé')
      client.socket.send(new Uint8Array(5))
      assert.deepEqual((await client.hears(3)).slice(1), ['echo 3', 'echo 5'])
      client.socket.close()
      await client.closed
    },
  },
  {
    name: 'publishes to the peers of the same path only',
    async run(url) {
      const clients = ['chat/x', 'chat/x', 'chat/y'].map((path) => new Client(url, path))
      await Promise.all(clients.map((client) => client.hears(1)))
      const [sender, same, other] = clients
      assert.ok(sender && same && other)
      sender.socket.send('news')
      assert.deepEqual((await same.hears(2)).slice(1), ['news'])
      other.socket.send('own')
      assert.deepEqual((await other.hears(2)).slice(1), ['echo 3'])
      for (const client of clients) client.socket.close()
      await Promise.all(clients.map((client) => client.closed))
    },
  },
  ...(['fail', 'x'.repeat(1001)] as const).map((text) => ({
    name: `closes the connection after ${text === 'fail' ? 'an error' : 'a message that is too long'}`,
    async run(url: string) {
      const client = new Client(url)
      await client.opened
      client.socket.send(text)
      assert.equal(await client.closed, text === 'fail' ? 1011 : 1009)
    },
  })),
  {
    name: 'sends fields of the response with the handshake',
    async run(url) {
      const head = await handshake(url, '/chat/a')
      assert.match(head, /^HTTP\/1\.1 101 /)
      assert.match(head, /\r\nset-cookie: session=/i)
    },
  },
  ...(
    [
      ['/chat/a?refused=1', '', 403],
      ['/chat/a', 'Origin: https://evil.example\r\n', 403],
      ['/nowhere', '', 404],
      ['/hello', '', 200],
    ] as const
  ).map(([path, fields, status]) => ({
    name: `answers a handshake for ${path}${fields && ' of another site'} with ${status}`,
    async run(url: string) {
      assert.match(await handshake(url, path, fields), new RegExp(`^HTTP/1\\.1 ${status} `))
    },
  })),
  {
    name: 'cuts a client that does not read',
    // It drops further messages, and closes the connection when the client fails to answer its pings.
    not: 'Deno',
    async run(url) {
      const reader = new Client(url, 'chat/reader')
      const countLeft = async () => {
        reader.socket.send('left')
        return Number((await reader.hears(reader.messages.length + 1)).at(-1))
      }
      await reader.hears(1)
      const before = await countLeft()
      const { hostname, port, host } = new URL(url)
      const stalled = net.connect(Number(port), hostname)
      stalled.on('error', () => undefined)
      stalled.write(handshakeOf('/chat/stalled', host))
      await once(stalled, 'data')
      stalled.pause()
      // A masked frame with the text "flood".
      stalled.write(Buffer.from('\x81\x85\0\0\0\0flood', 'latin1'))
      while ((await countLeft()) === before);
      stalled.destroy()
      reader.socket.close()
      await reader.closed
    },
  },
  {
    name: 'cuts a client that is sent short messages and reads nothing, by their number',
    // Node's system takes many of them, and Bun keeps them without objects.
    only: 'Deno',
    async run(url) {
      const { hostname, port, host } = new URL(url)
      const stalled = net.connect(Number(port), hostname)
      stalled.on('error', () => undefined)
      stalled.write(handshakeOf('/chat/stalled', host))
      await once(stalled, 'data')
      stalled.pause()
      const reader = new Client(url, 'chat/reader')
      await reader.hears(1)
      // A masked frame with the text "drip".
      stalled.write(Buffer.from('\x81\x84\0\0\0\0drip', 'latin1'))
      let taken = 0
      while (taken === 0) {
        reader.socket.send('taken')
        taken = Number((await reader.hears(reader.messages.length + 1)).at(-1))
      }
      stalled.destroy()
      reader.socket.close()
      await reader.closed
      // 16 MiB, at 256 bytes for each.
      assert.ok(taken > 60_000 && taken < 70_000, `${taken} messages were taken`)
    },
  },
  {
    name: 'cuts a client that sends pings and reads nothing',
    // It reads no further pings, so that the client cannot send them.
    not: 'Deno',
    async run(url) {
      const { hostname, port, host } = new URL(url)
      const stalled = net.connect(Number(port), hostname)
      stalled.on('error', () => undefined)
      stalled.write(handshakeOf('/chat/stalled', host))
      await once(stalled, 'data')
      stalled.pause()
      // Masked pings of 125 bytes.
      const ping = Buffer.concat([Buffer.from('89fd00000000', 'hex'), Buffer.alloc(125)])
      const pings = Buffer.alloc(ping.length * 1000, ping)
      let isCut = false
      for (let sent = 0; !isCut && sent < 600_000; sent += 1000) {
        isCut = await new Promise<boolean>((resolve) => {
          stalled.write(pings, (error) => resolve(error !== null && error !== undefined))
        })
      }
      stalled.destroy()
      assert.equal(isCut, true)
    },
  },
]
