import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'

function migrations(binaryText: string): Record<string, Migration> {
  return {
    '2026-01-users': {
      async up(db) {
        await db.schema
          .createTable('users')
          // The name is the key: two creates at once cannot both succeed, whatever the application does.
          .addColumn('name', sql.raw(binaryText), (column) => column.primaryKey().notNull())
          .addColumn('full_name', 'text', (column) => column.notNull())
          .addColumn('email', 'text', (column) => column.notNull())
          .addColumn('password', 'text', (column) => column.notNull())
          .execute()
      },
      async down(db) {
        await db.schema.dropTable('users').execute()
      },
    },
  }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Brings the tables up to date. Does nothing when they are, and waits when another process is at it.
 *
 * @throws whatever the failing migration threw; what it did is rolled back.
 */
export function migrate(database: Database): Promise<void> {
  // One at a time: SQLite waits for a lock without letting the one who holds it, in the same process, go on.
  const turn = last.then(() => migrateNow(database))
  last = turn.catch(() => undefined)
  return turn
}

async function migrateNow({ query, binaryText }: Database): Promise<void> {
  const provider = { getMigrations: async () => migrations(binaryText) }
  const { error } = await new Migrator({ db: query, provider }).migrateToLatest()
  if (error !== undefined) throw error
}
