import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { sqliteDialect } from 'propylon/sqlite'

interface Tables {
  pages: { id: number; title: string; parent: number | null }
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
    await assert.rejects(
      database.insertInto('pages').values({ id: 1, title: 'x', parent: 9 }).execute(),
      /FOREIGN KEY/,
    )
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
