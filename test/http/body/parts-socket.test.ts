import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FrameworkApp, Mapper, type Part, type PartLimits, type Request, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { isDisconnect } from 'propylon/wsgi'
import { Connection } from '../../wsgi/node/raw.ts'
import { BOUNDARY } from './multipart-body.ts'

const MEBIBYTE = 1024 * 1024
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n`
const TAIL = `\r\n--${BOUNDARY}--\r\n`

/** Serves an action that reads a form. The test receives the URL and the first connection. */
async function serving(
  read: (request: Request) => Promise<unknown>,
  test: (server: { url: string; port: number; connected: Promise<Socket> }) => Promise<void>,
): Promise<void> {
  class UploadController extends WSGIController {
    async index() {
      return String(await read(this.request))
    }
  }
  const silent = { info() {}, warn() {}, error() {} }
  const map = new Mapper().connect('/', { controller: 'upload', action: 'index' })
  const app = new FrameworkApp({ map, controllers: { upload: UploadController }, logger: silent })
  const server = await serve(app, { drainTimeout: 2000 })
  const connected = once(server.server, 'connection').then(([socket]: Socket[]) => socket as Socket)
  try {
    await test({ url: server.url, port: server.port, connected })
  } finally {
    await server.close()
  }
}

/** Sends a form with one file of a number of mebibytes, of unknown length. */
function upload(url: string, mebibytes: number): Promise<globalThis.Response> {
  async function* form() {
    yield Buffer.from(HEAD)
    for (let sent = 0; sent < mebibytes; sent += 1) yield new Uint8Array(MEBIBYTE)
    yield Buffer.from(TAIL)
  }
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': TYPE },
    body: Readable.toWeb(Readable.from(form())) as ReadableStream<Uint8Array>,
    duplex: 'half',
  })
}

/** Calls `use` for each part of a request. */
async function eachPart(request: Request, use: (part: Part) => Promise<unknown>, limits?: PartLimits): Promise<string> {
  for await (const part of request.parts(limits)) await use(part)
  return 'done'
}

/** Maximum number of bytes that the process may hold of an upload: a few pieces of 64 KiB. */
const MAX_IN_FLIGHT = MEBIBYTE / 2

describe('an upload over a socket', () => {
  it('is received only as fast as it is read', async () => {
    let socket: Socket | undefined
    let consumed = 0
    let most = 0
    const consume = async (part: Part) => {
      for await (const chunk of part.stream) {
        // Time for a server that reads ahead to do so.
        for (let turn = 0; turn < 20; turn += 1) await setImmediate()
        consumed += chunk.length
        most = Math.max(most, (socket?.bytesRead ?? Number.NaN) - consumed)
      }
    }
    await serving(
      (request) => eachPart(request, consume),
      async ({ url, connected }) => {
        connected.then((accepted) => {
          socket = accepted
        })
        const response = await upload(url, 32)
        assert.equal(await response.text(), 'done')
      },
    )
    assert.equal(consumed, 32 * MEBIBYTE)
    assert.ok(most < MAX_IN_FLIGHT, `${most} bytes were held`)
  })

  it('is written to a file as it arrives', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'upload-'))
    let socket: Socket | undefined
    let saved = false
    let most = 0
    const save = async (part: Part) => {
      const saving = part.saveTo(join(directory, 'big')).finally(() => {
        saved = true
      })
      while (!saved) {
        const received = socket?.bytesRead ?? Number.NaN
        const [name = ''] = await readdir(directory)
        const { size } = await stat(join(directory, name)).catch(() => ({ size: received }))
        most = Math.max(most, received - size)
      }
      await saving
    }
    try {
      await serving(
        (request) => eachPart(request, save),
        async ({ url, connected }) => {
          connected.then((accepted) => {
            socket = accepted
          })
          assert.equal(await (await upload(url, 32)).text(), 'done')
        },
      )
      assert.equal((await stat(join(directory, 'big'))).size, 32 * MEBIBYTE)
      assert.ok(most < MAX_IN_FLIGHT, `${most} bytes were not in the file`)
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('leaves no file when the client leaves', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'upload-'))
    let failure: unknown
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const read = async (request: Request) => {
      try {
        return await eachPart(request, (part) => {
          const saving = part.saveTo(join(directory, 'file'))
          begun.resolve()
          return saving
        })
      } catch (error) {
        failure = error
        throw error
      } finally {
        ended.resolve()
      }
    }
    try {
      await serving(read, async ({ port }) => {
        const client = new Connection(port)
        client.say(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: 99999\r\n\r\n${HEAD}xx`)
        await begun.promise
        client.socket.destroy()
        await ended.promise
      })
      assert.ok(isDisconnect(failure), String(failure))
      assert.deepEqual(await readdir(directory), [])
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  const refusals: [label: string, limits: PartLimits, type: string, status: string][] = [
    ['too large a file', { file: 1000 }, TYPE, '413 Content Too Large'],
    ['too large a form', { total: 1000 }, TYPE, '413 Content Too Large'],
    ['another type', {}, 'text/plain', '415 Unsupported Media Type'],
  ]
  for (const [label, limits, type, status] of refusals) {
    it(`is answered if it has ${label}, though the client is still sending`, async () => {
      const discard = (request: Request) => eachPart(request, async () => {}, limits)
      await serving(discard, async ({ port }) => {
        const client = new Connection(port)
        client.say(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 999999\r\n\r\n`)
        client.say(HEAD + 'x'.repeat(100_000))
        await client.hears(`HTTP/1.1 ${status}`)
        client.socket.destroy()
      })
    })
  }

  it('is not requested if its length exceeds the limit', async () => {
    const discard = (request: Request) => eachPart(request, async () => {}, { total: 1000 })
    await serving(discard, async ({ port }) => {
      const client = new Connection(port)
      client.say(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: 999999\r\nExpect: 100-continue\r\n\r\n`,
      )
      await client.ends()
      assert.match(client.heard, /^HTTP\/1\.1 413 /)
    })
  })

  it('counts what bytes() holds as memory of the server, until the loop goes on', async () => {
    const map = new Mapper().connect('/', { controller: 'upload', action: 'index' })
    class UploadController extends WSGIController {
      async index() {
        return eachPart(this.request, (part) => part.bytes(), { file: MEBIBYTE })
      }
    }
    const app = new FrameworkApp({ map, controllers: { upload: UploadController } })
    const send = (url: string, sizes: number[]) => {
      const form = new FormData()
      for (const size of sizes) form.append('f', new Blob([new Uint8Array(size)]), 'a')
      return fetch(url, { method: 'POST', body: form })
    }
    const server = await serve(app, { maxBufferedBytes: 200_000 })
    try {
      assert.equal((await send(server.url, [100_000, 100_000, 100_000])).status, 200)
      assert.equal((await send(server.url, [300_000])).status, 503)
      assert.equal((await send(server.url, [100_000])).status, 200)
    } finally {
      await server.close()
    }
  })
})
