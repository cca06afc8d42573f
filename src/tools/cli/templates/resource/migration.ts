import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('things_table')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('things_table').execute()
}
