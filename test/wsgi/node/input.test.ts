import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as later } from 'node:timers/promises'
import { serve, toListener } from 'propylon/node'
import { ClientDisconnected, type InputStream, type WSGIApplication } from 'propylon/wsgi'
import { Connection } from './raw.ts'

const LAST = 'Host: localhost\r\nConnection: close\r\n'
const stated = (length: number) => `POST / HTTP/1.1\r\n${LAST}Content-Length: ${length}\r\n\r\n`
const CHUNKED = `POST / HTTP/1.1\r\n${LAST}Transfer-Encoding: chunked\r\n\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

type Reading = (input: InputStream) => Promise<string>

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Returns an application that responds with the result of `reading`. */
function answering(reading: Reading): WSGIApplication {
  return async (environ, start_response) => {
    const read = await reading(environ['wsgi.input'])
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return [`<${read}>`]
  }
}

/** The ways to serve an application: with the gateway's own server, and as a listener of another server. */
const servers: Record<string, (app: WSGIApplication, test: (port: number) => Promise<void>) => Promise<void>> = {
  'serve()': async (app, test) => {
    const server = await serve(app)
    try {
      await test(server.port)
    } finally {
      await server.close()
    }
  },
  'toListener() on a server of one’s own': async (app, test) => {
    const server = http.createServer(toListener(app))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await test((server.address() as AddressInfo).port)
    } finally {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    }
  },
}

const all: Reading = async (input) => text(await input.read())

/** Reads the body after all of it has arrived. */
const late: Reading = async (input) => {
  for (let turn = 0; turn < 20; turn++) await later()
  return all(input)
}

const readings: [what: string, reading: Reading, request: string, read: string][] = [
  ['the whole body', all, `${stated(5)}bytes`, 'bytes'],
  ['a whole chunked body', all, `${CHUNKED}${chunk('by')}${chunk('tes')}0\r\n\r\n`, 'bytes'],
  [
    'the stated number of bytes, then none',
    async (input) => `${text(await input.read(5))}|${text(await input.read(5))}`,
    `${stated(5)}bytes`,
    'bytes|',
  ],
  [
    'chunks smaller than those that arrive',
    async (input) => {
      const pieces: string[] = []
      for (let piece = 'x'; piece !== ''; ) {
        piece = text(await input.read(2))
        pieces.push(piece)
      }
      return pieces.join('|')
    },
    `${stated(5)}bytes`,
    'by|te|s|',
  ],
  ['a body that has arrived before the first read', late, `${stated(5)}bytes`, 'bytes'],
  [
    'a chunked body that has arrived before the first read',
    late,
    `${CHUNKED}${chunk('by')}${chunk('tes')}0\r\n\r\n`,
    'bytes',
  ],
  [
    'a byte and, after a pause, the rest in order',
    async (input) => {
      const first = text(await input.read(1))
      for (let turn = 0; turn < 20; turn++) await later()
      return `${first}|${text(await input.read())}`
    },
    `${CHUNKED}${chunk('ab')}${chunk('cd')}${chunk('ef')}0\r\n\r\n`,
    'a|bcdef',
  ],
  [
    'lines',
    async (input) => `${text(await input.readline())}|${text(await input.readline())}`,
    `${CHUNKED}${chunk('on')}${chunk('e\ntwo')}0\r\n\r\n`,
    'one\n|two',
  ],
  [
    'with an iterator',
    async (input) => {
      let read = ''
      for await (const piece of input) read += text(piece)
      return read
    },
    `${CHUNKED}${chunk('by')}${chunk('tes')}0\r\n\r\n`,
    'bytes',
  ],
]

for (const [name, serving] of Object.entries(servers)) {
  describe(`wsgi.input of ${name}`, () => {
    for (const [what, reading, request, read] of readings) {
      it(`reads ${what}`, () =>
        serving(answering(reading), async (port) => {
          const client = new Connection(port)
          client.say(request)
          await client.ends()
          assert.ok(client.heard.endsWith(`<${read}>`), client.heard)
        }))
    }

    it('reads chunks that arrive one by one', () => {
      let asked = Promise.withResolvers<void>()
      const reading: Reading = async (input) => {
        let read = ''
        for (let count = 0; count < 3; count++) {
          const piece = input.read(2)
          asked.resolve()
          read += `${text(await piece)}|`
        }
        return read
      }
      return serving(answering(reading), async (port) => {
        const client = new Connection(port)
        client.say(stated(6))
        for (const piece of ['ab', 'cd', 'ef']) {
          await asked.promise
          asked = Promise.withResolvers()
          client.say(piece)
        }
        await client.ends()
        assert.ok(client.heard.endsWith('<ab|cd|ef|>'), client.heard)
      })
    })

    it('applies back-pressure to an unread body without losing bytes', () => {
      const length = 32 * 1024 * 1024
      const begun = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const reading: Reading = async (input) => {
        let count = (await input.read(1)).byteLength
        begun.resolve()
        await goOn.promise
        for await (const piece of input) count += piece.byteLength
        return String(count)
      }
      return serving(answering(reading), async (port) => {
        const client = new Connection(port)
        client.say(stated(length))
        client.say('x'.repeat(length))
        await begun.promise
        for (let turn = 0; turn < 200; turn++) await later()
        assert.ok(client.socket.writableLength > 0, 'the whole body has been taken')
        goOn.resolve()
        await client.ends()
        assert.ok(client.heard.endsWith(`<${length}>`), client.heard)
      })
    })

    it('keeps the order of chunks that arrive before and after the first read', () => {
      const begun = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const reading: Reading = async (input) => {
        begun.resolve()
        await goOn.promise
        return text(await input.read())
      }
      return serving(answering(reading), async (port) => {
        const client = new Connection(port)
        client.say(`${stated(8)}ab`)
        await begun.promise
        client.say('cd')
        for (let turn = 0; turn < 20; turn++) await later()
        client.say('ef')
        for (let turn = 0; turn < 20; turn++) await later()
        goOn.resolve()
        client.say('gh')
        await client.ends()
        assert.ok(client.heard.endsWith('<abcdefgh>'), client.heard)
      })
    })

    it('raises no unhandled rejection for an abandoned read when the client disconnects', () => {
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<unknown>()
      const reading: Reading = async (input) => {
        input.read()
        begun.resolve()
        await ended.promise
        return 'nothing'
      }
      // The test runner fails a test in which a rejection is not handled.
      return serving(answering(reading), async (port) => {
        const client = new Connection(port)
        client.say(`${stated(10)}half`)
        await begun.promise
        client.socket.destroy()
        for (let turn = 0; turn < 50; turn++) await later()
        ended.resolve(undefined)
      })
    })

    it('throws when the client disconnects before the body is complete', () => {
      const lost = Promise.withResolvers<unknown>()
      const begun = Promise.withResolvers<void>()
      const reading: Reading = async (input) => {
        const reading = input.read(10)
        begun.resolve()
        return text(
          await reading.catch((error: unknown) => {
            lost.resolve(error)
            throw error
          }),
        )
      }
      return serving(answering(reading), async (port) => {
        const client = new Connection(port)
        client.say(`${stated(10)}half`)
        await begun.promise
        client.socket.destroy()
        assert.ok((await lost.promise) instanceof ClientDisconnected)
      })
    })
  })
}

it('wsgi.input of toListener() reads a request that was paused before the application was called', async () => {
  const listener = toListener(answering(all))
  const server = http.createServer((req, res) => {
    req.pause()
    setImmediate(() => listener(req, res))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new Connection((server.address() as AddressInfo).port)
  client.say(`${stated(5)}bytes`)
  await client.ends()
  assert.ok(client.heard.endsWith('<bytes>'), client.heard)
  await new Promise((resolve) => server.close(resolve))
})
