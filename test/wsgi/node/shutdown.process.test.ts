import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { Connection } from './raw.ts'

/** A time longer than the timeout of the tests, in milliseconds. */
const NEVER = 600_000

const hello: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['Hello']
}

/** An event stream that goes on for as long as its client listens. */
const events: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['content-type', 'text/event-stream; charset=utf-8']])
  return (async function* () {
    yield 'data: 1\n\n'
    await new Promise(() => undefined)
  })()
}

function application(...controllers: WSGIApplication[]) {
  const logged: string[] = []
  const app = new FrameworkApp({
    map: new Mapper().connect('/', { controller: 'only' }),
    controllers: { only: controllers[0] ?? hello },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
  })
  return { app, logged }
}

describe('shutdown', () => {
  it('sets ready to false at once', async () => {
    const server = await serve(hello)
    assert.equal(server.ready, true)
    const closed = server.close()
    assert.equal(server.ready, false)
    await closed
  })

  it('accepts requests while it waits, and closes their connections', async (t) => {
    const server = await serve(hello)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = server.close({ delay: 2000 })
    const response = await fetch(server.url)
    assert.deepEqual([response.status, response.headers.get('Connection')], [200, 'close'])
    t.mock.timers.tick(2000)
    t.mock.timers.reset()
    await closed
    await assert.rejects(fetch(server.url))
  })

  it('answers connections that wait while the process is busy', async (t) => {
    const server = await serve(hello)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = server.close({ delay: 2000 })
    t.mock.timers.tick(2000)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    const connections = [1, 2, 3, 4, 5].map(() => new Connection(server.port))
    for (const each of connections) each.say('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    // The system connects them in this phase of the event loop. The server accepts in the next one.
    await new Promise((resolve) => process.nextTick(resolve))
    t.mock.timers.tick(2000)
    t.mock.timers.reset()
    for (const each of connections) await each.hears('Hello')
    await closed
  })

  it('ends event streams completely', async () => {
    const server = await serve(events, { drainTimeout: NEVER })
    const response = await fetch(server.url)
    const text = response.text()
    await server.close()
    assert.equal(await text, 'data: 1\n\n')
  })

  it('ends event streams that begin while it waits', async (t) => {
    const server = await serve(events, { drainTimeout: NEVER })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = server.close({ delay: 2000 })
    assert.match(await (await fetch(server.url)).text(), /^(?:data: 1\n\n)?$/)
    t.mock.timers.tick(2000)
    t.mock.timers.reset()
    await closed
  })

  it('runs the callbacks of onShutdown after the requests have ended, the last one first', async () => {
    const steps: string[] = []
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { app, logged } = application(async (...call) => {
      begun.resolve()
      await release.promise
      steps.push('request')
      return hello(...call)
    })
    app.onShutdown(async () => {
      await new Promise(setImmediate)
      steps.push('first')
    })
    app.onShutdown(() => {
      throw new Error('not closed')
    })
    app.onShutdown(() => steps.push('third'))
    const server = await serve(app)
    const response = fetch(server.url)
    await begun.promise
    const closed = server.close()
    release.resolve()
    await closed
    await (await response).text()
    assert.deepEqual(steps, ['request', 'third', 'first'])
    assert.match(logged.join('\n'), /onShutdown\(\) failed\nError: not closed/)
  })

  it('runs them when the last server of the application has closed', async () => {
    const { app } = application()
    let calls = 0
    app.onShutdown(() => (calls += 1))
    const servers = await Promise.all([serve(app), serve(app)])
    await servers[0].close()
    assert.equal(calls, 0)
    await servers[1].close()
    await servers[1].close()
    assert.equal(calls, 1)
  })
})

const file = fileURLToPath(new URL(`.shutdown-${process.pid}.ts`, import.meta.url))
after(() => rmSync(file, { force: true }))

/** Runs a program that has `serve` and an application, and returns its URL. */
async function program(code: string) {
  writeFileSync(
    file,
    `import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
const slow = async (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return (async function* () {
    yield 'begun '
    await new Promise((resolve) => setTimeout(resolve, 300))
    yield 'and done'
  })()
}
const app = new FrameworkApp({ map: new Mapper().connect('/', { controller: 'slow' }), controllers: { slow } })
setInterval(() => {}, 1000) // The process does not end by itself.
${code}`,
  )
  const child = spawn(process.execPath, ['--conditions=propylon-source', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  await once(child.stdout, 'data')
  const ended = once(child, 'close').then(([status, signal]) => [status, signal])
  return { url: output.trim(), child, ended, output: () => output }
}

describe('SIGTERM', () => {
  it('completes requests, runs the callbacks and ends the process with status 0', async () => {
    const { url, child, ended, output } = await program(`
app.onShutdown(() => console.log('closed'))
const server = await serve(app)
console.log(server.url)`)
    const response = await fetch(url)
    child.kill('SIGTERM')
    assert.equal(await response.text(), 'begun and done')
    assert.deepEqual(await ended, [0, null])
    assert.match(output(), /\nclosed\n$/)
  })

  it('leaves the end of the process to a listener of the application', async () => {
    const { child, ended } = await program(`
let server
process.once('SIGTERM', async () => {
  await server.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  process.exit(7)
})
server = await serve(app)
console.log(server.url)`)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [7, null])
  })

  it('is left to the application with signals: false', async () => {
    const { child, ended } = await program(`
const server = await serve(app, { signals: false })
console.log(server.url)`)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [null, 'SIGTERM'])
  })

  it('has no listeners after the last server has closed', async () => {
    const before = process.listenerCount('SIGTERM')
    const servers = await Promise.all([serve(hello), serve(hello)])
    assert.equal(process.listenerCount('SIGTERM'), before + 1)
    for (const server of servers) await server.close()
    assert.equal(process.listenerCount('SIGTERM'), before)
  })
})

describe('an upgraded socket', () => {
  it('is closed at once', async () => {
    const server = await serve(hello, { drainTimeout: NEVER })
    server.server.on('upgrade', (_req, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    const client = new Connection(server.port)
    client.say('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    await client.hears('101')
    await server.close()
    await client.ends()
  })
})
