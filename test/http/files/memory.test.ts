/** Long files over real sockets: what is read ahead of slow clients, and the descriptors that stay open. Linux only. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Request } from 'propylon'
import { sendFile, staticFiles } from 'propylon/files'
import { type ServerHandle, serve } from 'propylon/node'
import { type Chunk, createEnviron, type WSGIApplication } from 'propylon/wsgi'
import type { ServerHooks } from '../../../src/wsgi/error-reporting.ts'
import { folderOf } from './folder.ts'

const MEBIBYTE = 1024 * 1024
const SIZE = 300 * MEBIBYTE

const folder = folderOf({})
for (const name of ['big.bin', 'big.txt']) {
  const descriptor = openSync(join(folder, name), 'w')
  ftruncateSync(descriptor, SIZE)
  closeSync(descriptor)
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Number of bytes in buffers that something still holds. */
function usedMemory(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/** Number of descriptors of this process that are files of the folder. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder)
    } catch {
      return false // The descriptor by which the directory was read.
    }
  }).length
}

/** Number of bytes that the server has pulled from each body. */
const pulled: number[] = []

/** Counts the bytes of a body. */
function counting(app: WSGIApplication): WSGIApplication {
  return async (environ, start_response) => {
    const body = await app(environ, start_response)
    const at = pulled.push(0) - 1
    async function* counted(): AsyncGenerator<Chunk> {
      for await (const chunk of body) {
        pulled[at] = (pulled[at] ?? 0) + chunk.length
        yield chunk
      }
    }
    return Object.assign(counted(), { close: () => body.close?.() })
  }
}

const files = staticFiles(folder)
const app: WSGIApplication = async (environ, start_response) => {
  if (!environ.PATH_INFO.startsWith('/sent/')) return files(environ, start_response)
  const response = await sendFile(Request.of(environ), join(folder, environ.PATH_INFO.slice(6)))
  return response.send(environ, start_response)
}

describe('a file of 300 MiB', { skip: !existsSync('/proc/self/fd') }, () => {
  let server: ServerHandle
  const errors: unknown[] = []
  before(async () => {
    const watched: ServerHooks = {
      wsgi: counting(app),
      reportError: (error) => errors.push(error),
      handleError: (error) => {
        throw error
      },
    }
    server = await serve(watched)
  })
  after(() => server.close())

  /** Sends a request and waits for the first bytes of the response. */
  async function ask(path: string, fields = ''): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`)
    await once(socket, 'readable')
    return socket
  }

  /** Lets the event loop turn until a condition holds. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise(setImmediate)
  }

  const requests = {
    'from staticFiles': ['/big.bin', ''],
    'from sendFile': ['/sent/big.bin', ''],
    'from staticFiles, compressed': ['/big.txt', 'Accept-Encoding: gzip\r\n'],
    'a range of it': ['/big.bin', 'Range: bytes=1000-\r\n'],
  }
  for (const [name, [path = '', fields]] of Object.entries(requests)) {
    it(`is not read ahead of three clients that do not read: ${name}`, async () => {
      pulled.length = 0
      const memory = usedMemory()
      const clients = await Promise.all([1, 2, 3].map(() => ask(path, fields)))
      try {
        for (let turn = 0; turn < 2000; turn++) await new Promise(setImmediate)
        assert.equal(openFiles(), 3)
        // The system's buffers hold some mebibytes of each connection.
        for (const bytes of pulled) assert.ok(bytes < 20 * MEBIBYTE, `${bytes} bytes were read`)
        assert.ok(usedMemory() - memory < 20 * MEBIBYTE)
      } finally {
        for (const client of clients) client.destroy()
      }
      await until(() => openFiles() === 0)
      assert.deepEqual(errors.splice(0), [])
    })
  }

  it('is sent completely to a client that reads', async () => {
    const socket = await ask('/big.bin', 'Connection: close\r\n')
    let received = 0
    for await (const chunk of socket) received += chunk.length
    assert.ok(received > SIZE && received < SIZE + 1000)
    await until(() => openFiles() === 0)
  })

  for (const fields of ['If-None-Match: *\r\n', 'If-Match: "x"\r\n', 'Range: bytes=999999999-\r\n']) {
    it(`is not left open by a response without it: ${fields.trim()}`, async () => {
      for (const path of ['/big.bin', '/sent/big.bin', '/big.txt']) {
        ;(await ask(path, `${fields}Accept-Encoding: br\r\n`)).destroy()
      }
      await until(() => openFiles() === 0)
    })
  }

  it('is not left open by a response that is dropped', async () => {
    await sendFile(new Request(createEnviron()), join(folder, 'big.bin'))
    assert.equal(openFiles(), 1)
    await until(() => {
      collectGarbage()
      return openFiles() === 0
    })
  })

  it('is not left open by HEAD', async () => {
    for (const path of ['/big.bin', '/sent/big.bin', '/big.txt']) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\n\r\n`)
      await once(socket, 'readable')
      socket.destroy()
    }
    await until(() => openFiles() === 0)
    assert.deepEqual(errors, [])
  })
})
