import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openDatabase } from '../../examples/users/model/database.ts'

const SERVE = fileURLToPath(new URL('../../examples/users/serve.ts', import.meta.url))
const ANN = { name: 'ann', full_name: 'Ann', email: 'ann@example.org', password: 'correct horse' }

/** A child process that serves the example. */
class Example {
  readonly #child: ChildProcess
  #url = ''

  constructor(databaseUrl: string) {
    const env = { ...process.env, NODE_ENV: '', HOST: '', PORT: '0', DATABASE_URL: databaseUrl }
    this.#child = spawn(process.execPath, ['--conditions=propylon-source', SERVE], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  async start(): Promise<this> {
    assert.ok(this.#child.stdout)
    for await (const line of createInterface({ input: this.#child.stdout })) {
      this.#url = line.match(/http:.*$/)?.[0] ?? ''
      return this
    }
    throw new Error('The example ended before it printed its URL')
  }

  get(path: string): Promise<Response> {
    return fetch(this.#url + path)
  }

  async status(path: string): Promise<number> {
    const response = await this.get(path)
    await response.arrayBuffer()
    return response.status
  }

  add(name: string): Promise<Response> {
    return fetch(`${this.#url}/users`, { method: 'POST', body: new URLSearchParams({ ...ANN, name }) })
  }

  remove(name: string): Promise<Response> {
    return fetch(`${this.#url}/users/${name}`, { method: 'DELETE' })
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}

function assertUnavailable(response: Response): void {
  assert.equal(response.status, 503)
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
}

describe('the example while another process has locked the SQLite file', () => {
  let directory: string
  let path: string
  let example: Example
  let other: DatabaseSync

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'propylon-lock-'))
    path = join(directory, 'users.db')
    example = await new Example(`sqlite:${path}`).start()
    other = new DatabaseSync(path)
  })

  after(async () => {
    await example.stop()
    other.close()
    await rm(directory, { recursive: true })
  })

  it('serves other requests while writes wait, and stores the writes after the lock is released', async () => {
    const names = ['bob', 'carol', 'dave', 'eve']
    for (const name of names) assert.equal((await example.add(name)).status, 201)
    other.exec('begin exclusive')
    let settled = 0
    // A deletion hashes no password, so it waits for the lock by the time the first page has been served.
    const writes = names.map(async (name) => {
      const { status } = await example.remove(name)
      settled += 1
      return status
    })
    for (const page of ['/', '/hello', '/users', '/users.json', '/']) {
      assert.equal(await example.status(page), 200)
    }
    assert.equal(settled, 0)
    other.exec('commit')
    assert.deepEqual(await Promise.all(writes), [200, 200, 200, 200])
    assert.deepEqual(await (await example.get('/users.json')).json(), [])
  })

  it('returns 503 and stores nothing if the lock is not released', async () => {
    other.exec('begin exclusive')
    const response = await example.add('frank')
    other.exec('commit')
    assertUnavailable(response)
    assert.equal(await example.status('/users/frank.json'), 404)
    assert.equal((await example.add('frank')).status, 201)
  })

  it('waits for the lock when it opens the database', async () => {
    const file = join(directory, 'new.db')
    const locking = new DatabaseSync(file)
    locking.exec('begin exclusive')
    const opening = openDatabase(`sqlite:${file}`)
    // The first attempts fail because of the lock.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    locking.exec('commit')
    locking.close()
    const database = await opening
    assert.deepEqual(await database.query.selectFrom('users').selectAll().execute(), [])
    await database.close()
  })
})

/** A TCP proxy that forwards connections to a server, or discards the bytes that it receives. */
class SilenceableProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #silent = false

  constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      const upstream = connect(target)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from)
        from.on('error', () => to.destroy())
        from.on('close', () => to.destroy())
        // A connection that was open while bytes were discarded is never forwarded again.
        let dead = false
        from.on('data', (chunk: Uint8Array) => {
          dead ||= this.#silent
          if (!dead) to.write(chunk)
        })
      }
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  set silent(silent: boolean) {
    this.#silent = silent
  }

  resetConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#sockets.clear()
  }

  close(): void {
    this.resetConnections()
    this.#server.close()
  }
}

/** Selects a row for each connection to the same database that waits for a lock. */
const WAITING = 'select 1 from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$'

const server = process.env.PROPYLON_TEST_POSTGRES

describe('the example while PostgreSQL does not respond', {
  skip: server ? false : 'PROPYLON_TEST_POSTGRES names no server',
}, () => {
  const name = `propylon_${randomBytes(6).toString('hex')}`
  let admin: pg.Client
  let direct: pg.Client
  let proxy: SilenceableProxy
  let example: Example

  before(async () => {
    const url = new URL(server ?? '')
    admin = new pg.Client(url.href)
    await admin.connect()
    await admin.query(`create database ${name}`)
    url.pathname = `/${name}`
    direct = new pg.Client(url.href)
    await direct.connect()
    proxy = new SilenceableProxy({ host: url.hostname, port: Number(url.port || 5432) })
    url.host = `127.0.0.1:${await proxy.listen()}`
    example = await new Example(url.href).start()
  })

  after(async () => {
    await example.stop()
    proxy.close()
    await direct.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })

  it('returns 503, serves other pages, and recovers when the server responds again', async () => {
    assert.equal((await example.add('bob')).status, 201)
    proxy.silent = true
    // More requests than the pool has connections, so that some wait for a connection.
    const waiting = Array.from({ length: 12 }, () => example.get('/users.json'))
    assert.equal(await example.status('/hello'), 200)
    for (const response of await Promise.all(waiting)) assertUnavailable(response)
    proxy.silent = false
    assert.equal(await example.status('/users/bob.json'), 200)
    assert.equal((await example.add('carol')).status, 201)
  })

  it('returns 503 and stores nothing if a statement takes too long', async () => {
    await direct.query('begin')
    await direct.query('lock table users in share mode')
    const response = await example.add('dave')
    await direct.query('commit')
    assertUnavailable(response)
    assert.equal(await example.status('/users/dave.json'), 404)
  })

  it('returns 503 if the connection is lost, then opens a new one', async () => {
    await direct.query('begin')
    await direct.query('lock table users in access exclusive mode')
    const response = example.get('/users.json')
    for (;;) {
      const { rows } = await direct.query(WAITING)
      if (rows.length > 0) break
    }
    proxy.resetConnections()
    assertUnavailable(await response)
    await direct.query('commit')
    assert.equal(await example.status('/users.json'), 200)
  })
})
