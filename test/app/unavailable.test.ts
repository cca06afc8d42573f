import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Redis } from 'ioredis'
import pg from 'pg'
import { FrameworkApp, isUnavailable, type Logger, Mapper, WSGIController } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import { createClient } from 'redis'
import { freePort } from '../free-port.ts'
import { thrownValues } from './thrown-values.ts'

/** Returns the error with which a promise rejects. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail('It did not fail.'),
    (error: unknown) => error,
  )

const withCode = (code: string, more: object = {}) => Object.assign(new Error('failed'), { code, ...more })

describe('isUnavailable()', () => {
  it('is true for a PostgreSQL that refuses connections', async () => {
    const client = new pg.Client({ host: 'localhost', port: await freePort() })
    assert.equal(isUnavailable(await errorOf(client.connect())), true)
  })

  it('is true for a PostgreSQL that closes or delays connections', async () => {
    for (const [drop, options] of [
      [true, {}],
      [false, { connectionTimeoutMillis: 1 }],
    ] as const) {
      const sockets: Socket[] = []
      const server = createServer((socket) => {
        sockets.push(socket.on('error', () => {}))
        if (drop) socket.destroy()
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const client = new pg.Client({ host: '127.0.0.1', port, ...options })
      client.on('error', () => {})
      assert.equal(isUnavailable(await errorOf(client.connect())), true)
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })

  it('is true for a Redis that refuses connections', async () => {
    for (const options of [{ maxRetriesPerRequest: 0 }, { retryStrategy: () => null }]) {
      const client = new Redis(await freePort(), '127.0.0.1', options).on('error', () => {})
      assert.equal(isUnavailable(await errorOf(client.get('x'))), true)
      client.disconnect()
    }
  })

  it('is true for a client of node-redis that is offline, or not connected', async () => {
    const client = createClient({ socket: { port: await freePort() }, disableOfflineQueue: true })
    client.on('error', () => {})
    assert.equal(isUnavailable(await errorOf(client.get('x'))), true)
    const connecting = client.connect()
    assert.equal(isUnavailable(await errorOf(client.get('x'))), true)
    client.destroy()
    await connecting.catch(() => {})
  })

  it('is true for a server that refuses or drops the connections of fetch()', async () => {
    assert.equal(isUnavailable(await errorOf(fetch(`http://127.0.0.1:${await freePort()}`))), true)
    const server = createServer((socket) => socket.resume().end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    assert.equal(isUnavailable(await errorOf(fetch(`http://127.0.0.1:${port}`))), true)
    server.close()
  })

  it('is true for a SQLite file that is locked or full, and false for a wrong statement', () => {
    const name = `file:unavailable${process.pid}?mode=memory&cache=shared`
    const [one, other] = [new DatabaseSync(name), new DatabaseSync(name)]
    one.exec('create table t (x); begin immediate')
    const error = (statement: string): unknown => {
      try {
        return other.exec(statement)
      } catch (thrown) {
        return thrown
      }
    }
    assert.equal(isUnavailable(error('begin immediate')), true)
    assert.equal(isUnavailable(error('select nothing')), false)
    one.exec('commit; pragma max_page_count = 3')
    other.exec('pragma max_page_count = 3')
    assert.equal(isUnavailable(error('insert into t values (zeroblob(100000))')), true)
    one.close()
    other.close()
  })

  for (const [kind, error, expected] of [
    ['a connection that was reset', withCode('ECONNRESET'), true],
    ['a shutdown of PostgreSQL', withCode('57P01'), true],
    ['too many connections', withCode('53300'), true],
    ['a statement that was too slow', withCode('57014'), true],
    ['a full disk', withCode('ENOSPC'), true],
    ['a busy file, as better-sqlite3 says it', withCode('SQLITE_BUSY_TIMEOUT'), true],
    ['a socket that does not exist', withCode('ENOENT', { syscall: 'connect' }), true],
    ['a Redis that starts', new Error('LOADING Redis is loading the dataset in memory'), true],
    ['an error with such a cause', new Error('outer', { cause: withCode('ECONNREFUSED') }), true],
    ['several addresses', new AggregateError([withCode('ECONNREFUSED')]), true],
    ['very many addresses', new AggregateError(Array(200_000).fill(withCode('ECONNREFUSED'))), true],
    ['a file that does not exist', withCode('ENOENT', { syscall: 'open' }), false],
    ['a violated constraint', withCode('23505'), false],
    ['a syntax error of SQL', withCode('42601'), false],
    ['a wrong password', withCode('28P01'), false],
    ['a Redis replica', new Error("READONLY You can't write against a read only replica."), true],
    ['a message that begins like a reply of Redis', new Error('READONLY field'), false],
    ['a message that begins like one of pg', new Error('timeout expired for the trial'), false],
    ['another error', new TypeError('Connection of undefined'), false],
  ] as const) {
    it(`is ${expected} for ${kind}`, () => assert.equal(isUnavailable(error), expected))
  }

  for (const [kind, value] of Object.entries(thrownValues)) {
    it(`is false for ${kind}`, () => assert.equal(isUnavailable(value()), false))
  }
})

class PagesController extends WSGIController {
  index() {
    throw withCode('ECONNREFUSED')
  }
  wrong() {
    throw new Error('wrong')
  }
}

class StockController extends RPCController {
  static readonly faces = ['json', 'jsonrpc', 'xmlrpc'] as const
  count() {
    throw withCode('ECONNREFUSED')
  }
}

describe('the option unavailable', () => {
  const make = (unavailable: ((error: unknown) => boolean) | undefined, logger: Logger) =>
    new FrameworkApp({
      map: new Mapper().rpc('stock', '/stock').connect('/pages/{action}', { controller: 'pages' }),
      controllers: { pages: PagesController, stock: StockController },
      logger,
      ...(unavailable && { unavailable }),
    })

  it('answers 503 with Retry-After, and logs the error', async () => {
    const logged: string[] = []
    const reported: unknown[] = []
    const app = new FrameworkApp({
      map: new Mapper().connect('/{action}', { controller: 'pages' }),
      controllers: { pages: PagesController },
      logger: { info() {}, warn() {}, error: (message) => logged.push(message) },
      onError: (error) => reported.push(error),
      unavailable: isUnavailable,
    })
    const client = new TestApp(app, { errors: 'page' })
    const response = await client.get('/index')
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'])
    assert.doesNotMatch(response.text, /failed/)
    assert.match(logged[0] ?? '', /failed/)
    assert.equal(reported.length, 1)
    assert.equal((await client.get('/wrong')).status, 500)
  })

  it('does so for errors of middleware', async () => {
    const app = new FrameworkApp({
      map: new Mapper(),
      controllers: {},
      logger: { info() {}, warn() {}, error() {} },
      middleware: [
        () => () => {
          throw withCode('57P03')
        },
      ],
      unavailable: isUnavailable,
    })
    assert.equal((await new TestApp(app, { errors: 'page' }).get('/')).status, 503)
  })

  it('does so for remote procedures', async () => {
    const client = new TestApp(make(isUnavailable, { info() {}, warn() {}, error() {} }), { errors: 'page' })
    const call = '<?xml version="1.0"?><methodCall><methodName>count</methodName></methodCall>'
    for (const [path, type, body] of [
      ['/stock/count', 'application/json', '{}'],
      ['/stock', 'application/json', '{"jsonrpc":"2.0","method":"count","id":1}'],
      ['/stock', 'text/xml', call],
    ] as const) {
      const response = await client.post(path, body, { headers: { 'Content-Type': type } })
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5'], type)
    }
  })

  it('is 500 without it, or if it fails', async () => {
    const logged: string[] = []
    const logger = { info() {}, warn() {}, error: (message: string) => logged.push(message) }
    const broken = () => {
      throw new Error('broken')
    }
    for (const unavailable of [undefined, broken]) {
      const client = new TestApp(make(unavailable, logger), { errors: 'page' })
      assert.equal((await client.get('/pages/index')).status, 500)
    }
    assert.match(logged.join('\n'), /unavailable failed\nError: broken/)
  })
})
