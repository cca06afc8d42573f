import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Generated, Kysely, SqliteDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { sqliteDialect } from 'propylon/sqlite'

interface Tables {
  pages: { id: Generated<number>; title: string; parent: number | null }
  counters: { value: number }
}

describe('sqliteDialect()', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sqlite-'))
  })
  after(() => rm(directory, { recursive: true }))

  async function openPages(path: string): Promise<Kysely<Tables>> {
    const database = new Kysely<Tables>({ dialect: sqliteDialect(path) })
    const parent = sql`create table if not exists pages (id integer primary key, title text, parent integer references pages)`
    await parent.execute(database)
    return database
  }

  it('is a dialect of the Kysely that the application has loaded', () => {
    assert.ok(sqliteDialect(':memory:') instanceof SqliteDialect)
  })

  it('creates the file and its directory, and stores values', async () => {
    const path = join(directory, 'new/folder/site.db')
    const database = await openPages(path)
    await database.insertInto('pages').values({ id: 1, title: 'Ü', parent: null }).execute()
    await database.destroy()
    const again = await openPages(path)
    const rows = await again.selectFrom('pages').selectAll().execute()
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 1, title: 'Ü', parent: null }],
    )
    await again.destroy()
  })

  it('creates files that only the owner may read, and keeps the permissions of existing ones', async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    const modes = async (path: string) => {
      const database = await openPages(path)
      const files = [path, `${path}-wal`, `${path}-shm`]
      const found = await Promise.all(files.map(modeOf))
      await database.destroy()
      return found
    }
    assert.deepEqual(await modes(join(directory, 'private.db')), ['600', '600', '600'])
    const shared = join(directory, 'shared.db')
    await writeFile(shared, '')
    await chmod(shared, 0o640)
    assert.deepEqual(await modes(shared), ['640', '640', '640'])
  })

  for (const path of ['', undefined, 'sqlite:var/site.db', new URL('file:///var/site.db')]) {
    it(`refuses ${path === '' ? 'an empty path' : path} as a path`, () => {
      assert.throws(
        () => Reflect.apply(sqliteDialect, undefined, [path]),
        /^TypeError: sqliteDialect\(\) got .*\. Pass the path of a file/,
      )
    })
  }

  it('names the file that cannot be opened', async () => {
    const database = new Kysely<Tables>({ dialect: sqliteDialect(directory) })
    await assert.rejects(database.selectFrom('pages').selectAll().execute(), {
      message: `SQLite cannot open ${JSON.stringify(directory)}: unable to open database file`,
    })
  })

  it('enforces foreign keys', async () => {
    const database = await openPages(':memory:')
    await assert.rejects(database.insertInto('pages').values({ id: 1, title: 'x', parent: 9 }).execute(), /FOREIGN KEY/)
    await database.destroy()
  })

  it('refuses values that SQLite cannot store', async () => {
    const database = await openPages(':memory:')
    await assert.rejects(sql`select ${new Date()}`.execute(database), /SQLite cannot store .*Date/)
    await database.destroy()
  })

  it('rolls back a transaction that fails', async () => {
    const database = await openPages(':memory:')
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('pages').values({ id: 1, title: 'x', parent: null }).execute()
        throw new Error('no')
      }),
      /no/,
    )
    assert.deepEqual(await database.selectFrom('pages').selectAll().execute(), [])
    await database.destroy()
  })

  it('throws the error of a transaction that SQLite has rolled back by itself', async () => {
    const database = await openPages(':memory:')
    await sql`pragma max_page_count = 3`.execute(database)
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('pages').values({ title: 'small', parent: null }).execute()
        await transaction
          .insertInto('pages')
          .values({ title: 'x'.repeat(100_000), parent: null })
          .execute()
      }),
      /database or disk is full/,
    )
    assert.deepEqual(await database.selectFrom('pages').selectAll().execute(), [])
    await database.destroy()
  })

  it('locks the file when a transaction begins, so that two connections lose no update', async () => {
    const path = join(directory, 'counter.db')
    const connections = [await openPages(path), await openPages(path)]
    const [first] = connections
    assert.ok(first)
    await sql`create table counters (value integer)`.execute(first)
    await first.insertInto('counters').values({ value: 0 }).execute()
    for (let round = 0; round < 20; round++) {
      for (const database of connections) {
        await database.transaction().execute(async (transaction) => {
          const { value } = await transaction.selectFrom('counters').select('value').executeTakeFirstOrThrow()
          await transaction
            .updateTable('counters')
            .set({ value: value + 1 })
            .execute()
        })
      }
    }
    assert.equal((await first.selectFrom('counters').selectAll().executeTakeFirstOrThrow()).value, 40)
    for (const database of connections) await database.destroy()
  })

  it('waits for the lock of another process without blocking this one', async () => {
    const path = join(directory, 'locked.db')
    const database = await openPages(path)
    const other = new DatabaseSync(path)
    for (const write of [
      () => database.insertInto('pages').values({ title: 'alone', parent: null }).execute(),
      () =>
        database.transaction().execute((transaction) => {
          return transaction.insertInto('pages').values({ title: 'in a transaction', parent: null }).execute()
        }),
    ]) {
      other.exec('begin immediate')
      let isDone = false
      const written = write().finally(() => {
        isDone = true
      })
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      assert.equal(isDone, false)
      other.exec('commit')
      await written
    }
    assert.equal((await database.selectFrom('pages').selectAll().execute()).length, 2)
    other.close()
    await database.destroy()
  })

  it('waits for a new lock as long as for the first, if it has written in between', async (t) => {
    const path = join(directory, 'locked-twice.db')
    const database = await openPages(path)
    const other = new DatabaseSync(path)
    let time = 0
    const clock = t.mock.method(performance, 'now', () => time)
    const write = () => database.insertInto('pages').values({ title: 'x', parent: null }).execute()
    const calls = async (count: number) => {
      const until = clock.mock.callCount() + count
      while (clock.mock.callCount() < until) await setImmediate()
    }
    const outcome = async (promise: Promise<unknown>) => {
      let isSettled = false
      const settled = promise.finally(() => {
        isSettled = true
      })
      settled.catch(() => {})
      for (let count = -1; !isSettled; await setImmediate()) {
        if (clock.mock.callCount() !== count) time += 450
        count = clock.mock.callCount()
      }
      return settled
    }
    other.exec('begin immediate')
    await assert.rejects(outcome(write()), /database is locked/)
    other.exec('rollback')
    await write()
    other.exec('begin immediate')
    const written = write()
    // One call at the beginning, and one for each refusal.
    await calls(2)
    time += 500
    await calls(1)
    other.exec('rollback')
    await written
    other.close()
    await database.destroy()
  })

  it('does not wait if that is in vain', async () => {
    const path = join(directory, 'snapshot.db')
    const database = await openPages(path)
    const other = new DatabaseSync(path)
    await database.connection().execute(async (connection) => {
      await sql`begin`.execute(connection)
      await connection.selectFrom('pages').selectAll().execute()
      other.exec("insert into pages (title) values ('x')")
      await assert.rejects(
        connection.insertInto('pages').values({ title: 'y', parent: null }).execute(),
        /database is locked/,
      )
      await sql`rollback`.execute(connection)
    })
    other.close()
    await database.destroy()
  })

  it('runs migrations in one transaction', async () => {
    const database = await openPages(':memory:')
    const migrations: Record<string, Migration> = {
      one: { up: (db) => db.schema.createTable('one').addColumn('x', 'text').execute() },
      two: { up: () => Promise.reject(new Error('the second one fails')) },
    }
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
    const { error } = await migrator.migrateToLatest()
    assert.match(String(error), /the second one fails/)
    assert.ok(!(await database.introspection.getTables()).some(({ name }) => name === 'one'))
    await database.destroy()
  })
})
