import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'

function migrations(binaryText: string): Record<string, Migration> {
  return {
    '2026-01-users': {
      async up(db) {
        await db.schema
          .createTable('users')
          // The primary key prevents two concurrent requests from creating the same user.
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

/**
 * Runs the migrations that the database does not have yet.
 *
 * @throws the error of the migration that failed. Its changes are rolled back.
 */
export async function migrate({ query, binaryText }: Database): Promise<void> {
  const provider = { getMigrations: async () => migrations(binaryText) }
  const { error } = await new Migrator({ db: query, provider }).migrateToLatest()
  if (error !== undefined) throw error
}
