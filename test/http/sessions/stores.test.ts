import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { DummyDriver, Kysely, MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from 'kysely'
import { kyselyStore, memoryStore, redisStore, type SessionStore } from 'propylon/sessions'
import { createClient } from 'redis'
import type { Database } from '../../../examples/users/model/database.ts'
import { openPostgres } from '../../../examples/users/model/postgres.ts'
import { openSqlite } from '../../../examples/users/model/sqlite.ts'
import { visitor } from './visiting.ts'

/** Part of a name that no other run of the tests uses. */
const unique = `propylon_test_${randomBytes(6).toString('hex')}`
const postgres = process.env.PROPYLON_TEST_POSTGRES
const redis = process.env.PROPYLON_TEST_REDIS

/** A store to test. */
interface Place {
  readonly store: SessionStore
  /** A store for the same sessions, with a connection of its own as another process has it. */
  readonly same?: SessionStore
  /** Returns the milliseconds until a session ends, for stores that do not use the clock of this process. */
  remaining?(id: string): Promise<number>
  close(): Promise<void>
}

/** Opens a SQLite file twice, as two processes do. */
async function sqlitePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'propylon-sessions-'))
  const databases = [1, 2].map(() => openSqlite(join(directory, 'sessions.db')))
  const [store, same] = databases.map(({ query }) => kyselyStore(query))
  if (store === undefined || same === undefined) throw new Error('there are two databases')
  await store.createTable()
  return {
    store,
    same,
    async close() {
      for (const database of databases) await database.close()
      await rm(directory, { recursive: true })
    },
  }
}

async function postgresPlace(url: string): Promise<Place> {
  const databases = [openPostgres(url), openPostgres(url)]
  const [store, same] = databases.map(({ query }) => kyselyStore(query, { table: unique }))
  if (store === undefined || same === undefined) throw new Error('there are two databases')
  await store.createTable()
  return {
    store,
    same,
    async close() {
      await databases[0]?.query.schema.dropTable(unique).execute()
      for (const database of databases) await database.close()
    },
  }
}

async function nodeRedisPlace(url: string): Promise<Place> {
  const clients = [createClient({ url }), createClient({ url })] as const
  for (const client of clients) await client.connect()
  const [store, same] = clients.map((client) => redisStore(client, { prefix: `${unique}:a:` }))
  if (store === undefined || same === undefined) throw new Error('there are two clients')
  return {
    store,
    same,
    remaining: (id) => clients[0].pTTL(`${unique}:a:${id}`),
    async close() {
      for (const client of clients) client.destroy()
    },
  }
}

async function ioredisPlace(url: string): Promise<Place> {
  const clients = [new Redis(url), new Redis(url)] as const
  const [store, same] = clients.map((client) => redisStore(client, { prefix: `${unique}:b:` }))
  if (store === undefined || same === undefined) throw new Error('there are two clients')
  return {
    store,
    same,
    remaining: (id) => clients[0].pttl(`${unique}:b:${id}`),
    async close() {
      for (const client of clients) client.disconnect()
    },
  }
}

const NO_POSTGRES = postgres === undefined && 'PROPYLON_TEST_POSTGRES names no server'
const NO_REDIS = redis === undefined && 'PROPYLON_TEST_REDIS names no server'

const places: readonly [label: string, skip: string | false, open: () => Promise<Place>][] = [
  ['in memory', false, async () => ({ store: memoryStore(), close: async () => {} })],
  ['in SQLite', false, sqlitePlace],
  ['in PostgreSQL', NO_POSTGRES, () => postgresPlace(postgres ?? '')],
  ['in Redis by node-redis', NO_REDIS, () => nodeRedisPlace(redis ?? '')],
  ['in Redis by ioredis', NO_REDIS, () => ioredisPlace(redis ?? '')],
]

for (const [label, skip, open] of places) {
  describe(`a store ${label}`, { skip }, () => {
    let place: Place
    let last = 0
    const newId = (): string => {
      last += 1
      return `id-${last}`
    }
    before(async () => {
      place = await open()
    })
    after(() => place.close())

    const values = { user: 'ann', list: [1, null, { ü: '𝄞\u0000"' }], ['__proto__']: 1 }

    it('returns what was stored', async () => {
      const { store, same = store } = place
      const id = newId()
      await store.set(id, values, 60)
      assert.deepEqual(await same.get(id), values)
    })

    it('has nothing for an unknown id', async () => {
      const { store } = place
      assert.equal((await store.get('unknown')) ?? undefined, undefined)
      assert.equal(await store.update?.('unknown', values, 60), false)
      assert.equal((await store.get('unknown')) ?? undefined, undefined)
      assert.equal(await store.delete('unknown'), false)
    })

    it('replaces what was stored', async () => {
      const { store } = place
      const id = newId()
      await store.set(id, { a: 1 }, 60)
      await store.set(id, { b: 2 }, 60)
      assert.deepEqual(await store.get(id), { b: 2 })
      assert.equal(await store.update?.(id, { c: 3 }, 60), true)
      assert.deepEqual(await store.get(id), { c: 3 })
    })

    it('deletes once', async () => {
      const { store, same = store } = place
      const id = newId()
      await store.set(id, { a: 1 }, 60)
      const results = await Promise.all([store.delete(id), same.delete(id)])
      assert.deepEqual(results.sort(), [false, true])
      assert.equal(await same.update?.(id, { a: 2 }, 60), false)
      assert.equal((await store.get(id)) ?? undefined, undefined)
    })

    it('never stores a deleted session again by update', async () => {
      const { store, same = store } = place
      for (let round = 0; round < 20; round += 1) {
        const id = newId()
        await store.set(id, { a: 1 }, 60)
        await Promise.all([store.update?.(id, { a: 2 }, 60), same.delete(id), store.update?.(id, { a: 3 }, 60)])
        assert.equal((await store.get(id)) ?? undefined, undefined)
      }
    })

    it('forgets a session whose time has passed', async (context) => {
      const { store, remaining } = place
      context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      const ids = [newId(), newId(), newId()] as const
      for (const id of ids) await store.set(id, { a: 1 }, 0.001)
      context.mock.timers.tick(2)
      // Redis has a clock of its own.
      while (remaining !== undefined && (await remaining(ids[2])) !== -2) await null
      assert.equal((await store.get(ids[0])) ?? undefined, undefined)
      assert.equal(await store.update?.(ids[1], { a: 2 }, 60), false)
      assert.equal(await store.delete(ids[2]), false)
    })

    it('extends the time of a session by update', async (context) => {
      const { store, remaining } = place
      context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      const id = newId()
      await store.set(id, { a: 1 }, 10)
      await store.update?.(id, { a: 2 }, 60)
      context.mock.timers.tick(59_000)
      assert.deepEqual(await store.get(id), { a: 2 })
      assert.ok(remaining === undefined || (await remaining(id)) > 10_000)
    })

    it('keeps sessions that two processes use', async () => {
      const { store, same = store } = place
      const one = visitor({ store })
      const two = visitor({ store: same })
      await one.visit((session) => void session.set('user', 'ann'))
      const { cookie } = one
      assert.equal(await two.ask((session) => session.get('user'), { cookie }), 'ann')
      await two.visit((session) => void session.set('count', 1).regenerate(), { cookie })
      assert.equal(await one.ask((session) => session.empty, { cookie }), true)
      assert.deepEqual(await one.ask((session) => session.toJSON(), { cookie: two.cookie }), {
        user: 'ann',
        count: 1,
      })
      await one.visit((session) => session.destroy(), { cookie: two.cookie })
      assert.equal(await two.ask((session) => session.empty), true)
    })

    it('never keeps a session that one process regenerates while another destroys it', async () => {
      const { store, same = store } = place
      for (let round = 0; round < 20; round += 1) {
        const one = visitor({ store })
        const two = visitor({ store: same })
        await one.visit((session) => void session.set('user', 'ann'))
        const { cookie } = one
        const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
        const loaded = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() }
        const regenerating = one.visit(async (session) => {
          loaded.one.resolve()
          await begun
          session.regenerate()
        })
        const destroying = two.visit(
          async (session) => {
            loaded.two.resolve()
            await begun
            session.destroy()
          },
          { cookie },
        )
        await Promise.all([loaded.one.promise, loaded.two.promise])
        begin()
        const [{ setCookie }] = await Promise.all([regenerating, destroying])
        const survives = await one.ask((session) => session.has('user'), {
          cookie: setCookie?.split(';')[0] ?? cookie,
        })
        // Either the new id was made first, and is sent, or there is no session.
        assert.equal(survives, setCookie !== undefined)
        assert.equal(await two.ask((session) => session.has('user'), { cookie }), false)
      }
    })
  })
}

describe('memoryStore', () => {
  it('removes the least recently used session if there are too many', async () => {
    const store = memoryStore({ entries: 2 })
    await store.set('a', {}, 60)
    await store.set('b', {}, 60)
    await store.get('a')
    await store.set('c', {}, 60)
    const present = await Promise.all(['a', 'b', 'c'].map(async (id) => (await store.get(id)) !== undefined))
    assert.deepEqual(present, [true, false, true])
  })

  it('removes sessions if they are too large together', async () => {
    const store = memoryStore({ size: 100 })
    await store.set('a', { text: 'x'.repeat(60) }, 60)
    await store.set('b', { text: 'x'.repeat(60) }, 60)
    assert.equal(await store.get('a'), undefined)
    await store.delete('b')
    await store.set('c', { text: 'x'.repeat(20) }, 60)
    await store.set('d', { text: 'x'.repeat(20) }, 60)
    assert.ok((await store.get('c')) !== undefined && (await store.get('d')) !== undefined)
  })

  it('shares no object with those who store and read', async () => {
    const store = memoryStore()
    const list = [1]
    await store.set('a', { list }, 60)
    list.push(2)
    const read = await store.get('a')
    assert.deepEqual(read, { list: [1] })
    assert.notEqual(await store.get('a'), read)
  })

  for (const options of [{ entries: 0 }, { size: -1 }, { entries: Number.NaN }]) {
    it(`refuses ${JSON.stringify(options)}`, () => assert.throws(() => memoryStore(options), RangeError))
  }
})

describe('redisStore', () => {
  it('sends the commands of node-redis with its options', async () => {
    const sent: unknown[] = []
    const client = {
      async get(key: string) {
        sent.push(['get', key])
        return null
      },
      async set(...command: unknown[]) {
        sent.push(['set', ...command])
        return null
      },
      async del(key: string) {
        sent.push(['del', key])
        return 0
      },
    }
    await callAll(redisStore(client))
    assert.deepEqual(sent, [
      ['get', 'session:id'],
      ['set', 'session:id', '{"a":1}', { PX: 60_000 }],
      ['set', 'session:id', '{"a":2}', { PX: 1500, XX: true }],
      ['del', 'session:id'],
    ])
  })

  it('sends the commands of ioredis with its arguments', async () => {
    const sent: unknown[] = []
    const client = {
      status: 'ready',
      async get(key: string) {
        sent.push(['get', key])
        return null
      },
      async set(...command: unknown[]) {
        sent.push(['set', ...command])
        return null
      },
      async del(key: string) {
        sent.push(['del', key])
        return 0
      },
    }
    await callAll(redisStore(client, { prefix: 'p:' }))
    assert.deepEqual(sent, [
      ['get', 'p:id'],
      ['set', 'p:id', '{"a":1}', 'PX', 60_000],
      ['set', 'p:id', '{"a":2}', 'PX', 1500, 'XX'],
      ['del', 'p:id'],
    ])
  })

  async function callAll(store: SessionStore): Promise<void> {
    await store.get('id')
    await store.set('id', { a: 1 }, 60)
    assert.equal(await store.update?.('id', { a: 2 }, 1.5), false)
    assert.equal(await store.delete('id'), false)
  }

  for (const [label, client] of [
    ['nothing', undefined],
    ['an object that is no client', { get() {} }],
  ] as const) {
    it(`refuses ${label}`, () => {
      assert.throws(() => Reflect.apply(redisStore, undefined, [client]), /Pass a client of the package redis/)
    })
  }
})

describe('kyselyStore', () => {
  /** Returns the number of rows, also of those whose time has passed. */
  async function rows({ query }: Database): Promise<number> {
    const counted = await sql<{ n: number }>`select count(*) as n from sessions`.execute(query)
    return Number(counted.rows[0]?.n)
  }

  it('creates its table once for concurrent calls', async () => {
    const { query, close } = openSqlite(':memory:')
    try {
      const store = kyselyStore(query, { table: 'web_sessions' })
      await Promise.all([store.createTable(), store.createTable()])
      await store.set('a', { a: 1 }, 60)
      await kyselyStore(query, { table: 'web_sessions' }).createTable()
      assert.deepEqual(await store.get('a'), { a: 1 })
    } finally {
      await close()
    }
  })

  const firstUses: [method: string, use: (store: SessionStore) => Promise<unknown>, result: unknown][] = [
    ['get', (store) => store.get('a'), undefined],
    ['set', (store) => store.set('a', { a: 1 }, 60), undefined],
    ['update', async (store) => store.update?.('a', {}, 60), false],
    ['delete', (store) => store.delete('a'), false],
  ]
  for (const [method, use, result] of firstUses) {
    it(`creates its table when ${method}() is used first`, async () => {
      const { query, close } = openSqlite(':memory:')
      try {
        const store = kyselyStore(query)
        const results = await Promise.all([use(store), use(store)])
        assert.deepEqual(results, [result, result])
        await store.set('b', { b: 1 }, 60)
        assert.deepEqual(await store.get('b'), { b: 1 })
      } finally {
        await close()
      }
    })
  }

  it('creates its table later if the database fails at first', async () => {
    const { query, close } = openSqlite(':memory:')
    let isDown = true
    const failing = query.withPlugin({
      transformQuery({ node }) {
        if (isDown) throw new Error('the database is down')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    try {
      const store = kyselyStore(failing)
      await assert.rejects(store.get('a'), /the database is down/)
      isDown = false
      await store.set('a', { a: 1 }, 60)
      assert.deepEqual(await store.get('a'), { a: 1 })
    } finally {
      await close()
    }
  })

  it('creates its table while other processes do, in PostgreSQL', { skip: NO_POSTGRES }, async () => {
    const databases = Array.from({ length: 5 }, () => openPostgres(postgres ?? ''))
    const table = `${unique}_race`
    try {
      const stores = databases.map(({ query }) => kyselyStore(query, { table }))
      await Promise.all(stores.map((store, index) => store.set(`${index}`, { a: index }, 60)))
      assert.deepEqual(await stores[0]?.get('4'), { a: 4 })
    } finally {
      await databases[0]?.query.schema.dropTable(table).ifExists().execute()
      await Promise.all(databases.map((database) => database.close()))
    }
  })

  it('creates its table in a transaction', async () => {
    const { query, close } = openSqlite(':memory:')
    try {
      await query.transaction().execute((transaction) => kyselyStore(transaction).createTable())
      await kyselyStore(query).set('a', { a: 1 }, 60)
    } finally {
      await close()
    }
  })

  it('throws the error of the database if the table cannot be created', async () => {
    const { query, close } = openSqlite(':memory:')
    await close()
    await assert.rejects(kyselyStore(query).createTable(), /database is not open|driver has already been destroyed/)
  })

  it('removes rows whose time has passed, at most once in ten minutes', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    const database = openSqlite(':memory:')
    try {
      const store = kyselyStore(database.query)
      await store.createTable()
      await store.set('a', {}, 60)
      context.mock.timers.tick(61_000)
      await store.set('b', {}, 3600)
      assert.equal(await rows(database), 2)
      context.mock.timers.tick(600_000)
      await store.set('c', {}, 60)
      assert.equal(await rows(database), 2)
      assert.deepEqual(await store.get('b'), {})
    } finally {
      await database.close()
    }
  })

  it('refuses other databases', () => {
    const db = new Kysely<object>({
      dialect: {
        createAdapter: () => new MysqlAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (database) => new MysqlIntrospector(database),
        createQueryCompiler: () => new MysqlQueryCompiler(),
      },
    })
    assert.throws(() => kyselyStore(db), /kyselyStore\(\) supports SQLite and PostgreSQL/)
  })

  it('refuses what is no database', () => {
    for (const value of [undefined, {}]) {
      assert.throws(() => Reflect.apply(kyselyStore, undefined, [value]), /^TypeError: kyselyStore\(\) got/)
    }
  })
})
