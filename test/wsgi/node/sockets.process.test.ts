import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serve } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'

const app: WSGIApplication = (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [`${environ.REMOTE_ADDR} ${environ['wsgi.url_scheme']} ${environ.SERVER_NAME}`]
}

const directory = mkdtempSync(join(tmpdir(), 'propylon-'))
after(() => rmSync(directory, { recursive: true }))
let count = 0
const newPath = () => join(directory, `${count++}.sock`)

async function ask(socketPath: string, headers: Record<string, string> = {}): Promise<string> {
  const [response] = (await once(get({ socketPath, headers, agent: false }), 'response')) as [IncomingMessage]
  return text(response)
}

/** Leaves a socket file as a server does that is killed. */
async function leaveSocket(path: string): Promise<void> {
  const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', program]), 'exit')
  assert.ok(existsSync(path))
}

const skip = process.platform === 'win32' && 'the system has no unix sockets'

describe('serve on a unix socket', { skip }, () => {
  it('listens on it, names it, and removes it when it closes', async () => {
    const path = newPath()
    const server = await serve(app, { path })
    assert.deepEqual([server.url, server.path, server.port, server.host], [`unix:${path}`, path, 0, ''])
    assert.equal(await ask(path), ' http localhost')
    await server.close()
    assert.ok(!existsSync(path))
  })

  it('creates it with the given permissions', async () => {
    const path = newPath()
    const server = await serve(app, { path, mode: 0o620 })
    assert.equal(statSync(path).mode & 0o777, 0o620)
    await server.close()
  })

  it('trusts its peers if trustProxy has unix', async () => {
    const path = newPath()
    const server = await serve(app, { path, trustProxy: ['unix'] })
    const headers = { 'X-Forwarded-For': '203.0.113.9, unix:', 'X-Forwarded-Proto': 'https' }
    assert.equal(await ask(path, headers), '203.0.113.9 https localhost')
    await server.close()
  })

  it('does not trust its peers otherwise', async () => {
    const path = newPath()
    const server = await serve(app, { path, trustProxy: ['0.0.0.0/0', '::/0'] })
    assert.equal(await ask(path, { 'X-Forwarded-For': '203.0.113.9' }), ' http localhost')
    await server.close()
  })

  it('replaces a socket that a dead server has left', async () => {
    const path = newPath()
    await leaveSocket(path)
    const server = await serve(app, { path })
    assert.equal(await ask(path), ' http localhost')
    await server.close()
  })

  it('does not replace the socket of another server', async () => {
    const path = newPath()
    const server = await serve(app, { path })
    await assert.rejects(serve(app, { path }), {
      code: 'EADDRINUSE',
      message: /^Cannot listen on the unix socket .*: it is in use/,
    })
    assert.equal(await ask(path), ' http localhost')
    await server.close()
  })

  it('does not replace a file of another kind', async () => {
    const path = newPath()
    writeFileSync(path, 'precious')
    await assert.rejects(serve(app, { path }), { code: 'EADDRINUSE', message: /is a file of another kind/ })
    assert.ok(existsSync(path))
  })

  it('names a directory that does not exist', async () => {
    const error = { message: /its directory does not exist: create it first/ }
    await assert.rejects(serve(app, { path: join(directory, 'none', 'app.sock') }), error)
  })
})

describe('serve on a file descriptor', { skip }, () => {
  /** File descriptor of a listening socket. */
  function descriptorOf(server: ReturnType<typeof createServer>): number {
    const handle: unknown = Reflect.get(server, '_handle')
    const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
    assert.ok(typeof fd === 'number')
    return fd
  }

  it('says that a descriptor is not a socket', async () => {
    await assert.rejects(serve(app, { fd: 12345 }), { message: /^Cannot listen on file descriptor 12345: / })
  })

  it('refuses several places', async () => {
    for (const options of [
      { port: 0, path: '/x' },
      { host: 'localhost', fd: 3 },
      { path: '/x', fd: 3 },
      { mode: 0o600 },
      { path: '' },
    ]) {
      await assert.rejects(serve(app, options), TypeError)
    }
  })

  const program = (options: string) => `import { serve } from 'propylon/node'
const server = await serve((environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['served']
}, ${options})
console.log(server.url)`

  const starts: [what: string, environment: string, options: string][] = [
    ['the given one', '', '{ fd: 3 }'],
    ['the one with which systemd starts the process', 'LISTEN_PID=$$ LISTEN_FDS=1', '{}'],
  ]
  for (const [what, environment, options] of starts)
    it(`listens on ${what}`, async () => {
      const opened = createServer().listen(0, '127.0.0.1')
      await once(opened, 'listening')
      const file = join(fileURLToPath(new URL('.', import.meta.url)), `.activated-${process.pid}.ts`)
      writeFileSync(file, program(options))
      const child = spawn(
        '/bin/sh',
        ['-c', `${environment} exec "$0" --conditions=propylon-source "$1"`, process.execPath, file],
        { stdio: ['ignore', 'pipe', 'inherit', descriptorOf(opened)] },
      )
      try {
        const [line] = await once(child.stdout ?? assert.fail(), 'data')
        const url = String(line).trim()
        const { port } = opened.address() as { port: number }
        assert.equal(url, `http://127.0.0.1:${port}`)
        // The other owner of the socket does not accept connections.
        opened.close()
        assert.equal(await (await fetch(url)).text(), 'served')
      } finally {
        child.kill('SIGKILL')
        rmSync(file)
      }
    })
})
