import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./workers-program.ts', import.meta.url))

function start(t: TestContext, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=propylon-source', PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout)
  const [line] = await once(createInterface({ input: stdout }), 'line')
  return String(line).replace('Serving at ', '')
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pidAt = async (url: string) => (await fetch(url, { headers: { connection: 'close' } })).text()

describe('serveWorkers()', () => {
  it('serves in this process with one worker', async (t) => {
    const child = start(t, '1')
    const exited = once(child, 'exit')
    const url = await urlOf(child)
    assert.equal(await pidAt(url), String(child.pid))
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`serves in several processes, until ${signal}`, async (t) => {
      const child = start(t, '2')
      const exited = once(child, 'exit')
      const url = await urlOf(child)
      const pids = new Set<string>()
      while (pids.size < 2) pids.add(await pidAt(url))
      assert.ok(!pids.has(String(child.pid)))
      child.kill(signal)
      assert.deepEqual(await exited, [0, null])
    })
  }

  it('ends workers that hang on a second SIGINT, with status 130', async (t) => {
    const child = start(t, '2')
    const exited = once(child, 'exit')
    const response = await fetch(`${await urlOf(child)}/hang`)
    const pid = Number((await response.body?.pipeThrough(new TextDecoderStream()).getReader().read())?.value)
    t.after(() => isRunning(pid) && process.kill(pid, 'SIGKILL'))
    child.kill('SIGINT')
    await setTimeout(200)
    assert.ok(isRunning(pid))
    child.kill('SIGINT')
    assert.deepEqual(await exited, [130, null])
    assert.ok(!isRunning(pid))
  })

  it('completes requests if workers receive SIGTERM from outside and from their supervisor', async (t) => {
    const child = start(t, '2')
    const exited = once(child, 'exit')
    const response = await fetch(`${await urlOf(child)}/signal`)
    assert.ok(response.body)
    const chunks = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
    const pid = Number((await chunks.next()).value)
    process.kill(pid, 'SIGTERM')
    assert.equal((await chunks.next()).value, 'received')
    child.kill('SIGTERM')
    assert.equal((await chunks.next()).value, 'all closed')
    assert.ok((await chunks.next()).done)
    assert.deepEqual(await exited, [0, null])
  })

  it('serves a connection that was made before the shutdown, also while the supervisor is suspended', async (t) => {
    const child = start(t, '2')
    const exited = once(child, 'exit')
    const url = await urlOf(child)
    const pids = new Set<string>()
    while (pids.size < 2) pids.add(await pidAt(url))
    child.kill('SIGSTOP')
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
    await once(socket, 'connect')
    // Before the signal: a worker closes connections without a request.
    const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    await new Promise((sent) => socket.write(request, sent))
    for (const pid of pids) process.kill(Number(pid), 'SIGTERM')
    child.kill('SIGTERM')
    // Without a response the connection would wait for the supervisor, which goes on below.
    socket.setTimeout(30_000, () => socket.destroy())
    let answer = ''
    for await (const chunk of socket) answer += chunk
    child.kill('SIGCONT')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.ok(pids.has(answer.split('\r\n\r\n')[1] ?? ''))
    assert.deepEqual(await exited, [0, null])
  })

  it('replaces the workers on SIGHUP, without a failed request', async (t) => {
    const child = start(t, '2')
    const url = await urlOf(child)
    const old = new Set<string>()
    while (old.size < 2) old.add(await pidAt(url))
    child.kill('SIGHUP')
    const fresh = new Set<string>()
    while (fresh.size < 2) {
      const pid = await pidAt(url)
      if (!old.has(pid)) fresh.add(pid)
    }
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })

  it('completes requests in progress if the process that started the workers is killed', async (t) => {
    const child = start(t, '2')
    const url = await urlOf(child)
    const { body } = await fetch(`${url}/held`)
    assert.ok(body)
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    assert.equal((await reader.read()).value, 'begun')
    child.kill('SIGKILL')
    assert.equal((await reader.read()).value, ' and complete')
    assert.equal((await reader.read()).done, true)
  })

  for (const workers of ['1', '2']) {
    it(`ends with status 1 if the application does not load, with ${workers}`, async (t) => {
      const child = start(t, workers, 'fail')
      const exited = once(child, 'exit')
      assert.ok(child.stderr)
      assert.match(await text(child.stderr), /Error: the application does not load/)
      assert.deepEqual(await exited, [1, null])
    })
  }

  it('refuses a number of workers that is not positive', async (t) => {
    const child = start(t, '0')
    assert.ok(child.stderr)
    assert.match(await text(child.stderr), /RangeError: serveWorkers\(\) received 0 workers/)
  })
})
