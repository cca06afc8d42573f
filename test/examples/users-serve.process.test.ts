import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const SERVE = fileURLToPath(new URL('../../examples/users/serve.ts', import.meta.url))

let directory: string
let url: string

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'propylon-serve-'))
  url = `sqlite:${join(directory, 'users.db')}`
})

after(() => rm(directory, { recursive: true }))

function start(variables: Record<string, string>, ...options: string[]): ChildProcess {
  const env = { ...process.env, NODE_ENV: '', HOST: '', PORT: '0', DATABASE_URL: url, ...variables }
  return spawn(process.execPath, [...options, '--conditions=propylon-source', SERVE], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('The process ended without output')
}

describe('serve.ts', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`prints its URL, serves, and exits with 0 on ${signal}`, async () => {
      const child = start({})
      const exited = once(child, 'exit')
      const [address = ''] = (await firstLine(child)).match(/http:\/\/127\.0\.0\.1:\d+$/) ?? []
      const response = await fetch(`${address}/users.json`)
      assert.equal(response.status, 200)
      await response.arrayBuffer()
      child.kill(signal)
      assert.deepEqual(await exited, [0, null])
    })
  }

  it('shuts down when npm start is terminated', async () => {
    const child = spawn('npm', ['start', '--silent'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, NODE_ENV: '', HOST: '', PORT: '0', DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const exited = once(child, 'exit')
    try {
      const [address = ''] = (await firstLine(child)).match(/http:.*$/) ?? []
      child.kill('SIGTERM')
      await exited
      await assert.rejects(fetch(address), TypeError)
    } finally {
      try {
        process.kill(-Number(child.pid), 'SIGKILL')
      } catch {
        // Nothing is left of the group.
      }
    }
  })

  it('logs an unhandled rejection and continues', async () => {
    const reject = "process.on('SIGUSR2', () => void Promise.reject(new Error('not awaited')))"
    const child = start({}, '--import', `data:text/javascript,${encodeURIComponent(reject)}`)
    const exited = once(child, 'exit')
    const [address = ''] = (await firstLine(child)).match(/http:.*$/) ?? []
    child.kill('SIGUSR2')
    assert.ok(child.stderr)
    let logged = ''
    while (!/Unhandled rejection.*\nError: not awaited/.test(logged)) {
      logged += String((await once(child.stderr, 'data'))[0])
    }
    assert.equal((await fetch(`${address}/users.json`)).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })

  it('keeps an acknowledged user if it is killed at once', async () => {
    const values = { name: 'ann', full_name: 'Ann', email: 'ann@example.org', password: 'correct horse' }
    const first = start({})
    const exited = once(first, 'exit')
    const [address = ''] = (await firstLine(first)).match(/http:.*$/) ?? []
    assert.equal((await fetch(`${address}/users`, { method: 'POST', body: new URLSearchParams(values) })).status, 201)
    first.kill('SIGKILL')
    await exited
    const second = start({})
    const [again = ''] = (await firstLine(second)).match(/http:.*$/) ?? []
    assert.equal((await fetch(`${again}/users/ann.json`)).status, 200)
    const ended = once(second, 'exit')
    second.kill()
    await ended
  })
})

describe('serve.ts fails', () => {
  async function errorLine(variables: Record<string, string>): Promise<string> {
    const child = start(variables)
    const exited = once(child, 'exit')
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
    assert.deepEqual(await exited, [1, null])
    assert.equal(stdout, '')
    assert.match(stderr, /^[^\n]+\n$/)
    return stderr
  }

  it('if the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    try {
      assert.match(await errorLine({ PORT: String(address.port) }), /in use/)
    } finally {
      other.close()
    }
  })

  for (const [name, variables, message] of [
    ['a malformed port', { PORT: 'http' }, /^PORT must be a number/],
    ['a port over 65535', { PORT: '65536' }, /^PORT must be a number/],
    ['an unsupported database', { DATABASE_URL: 'mysql://root:secret@localhost/users' }, /^DATABASE_URL must be/],
    ['a directory as database', { DATABASE_URL: 'sqlite:/' }, /^Cannot use the database sqlite:\//],
    ['an unreachable server', { DATABASE_URL: 'postgres://ann:secret@127.0.0.1:1/x' }, /ECONNREFUSED/],
  ] as const) {
    it(`with one line without secrets for ${name}`, async () => {
      const line = await errorLine(variables)
      assert.match(line, message)
      assert.doesNotMatch(line, /secret/)
    })
  }
})
