import { type Kysely, sql } from 'kysely'

/** Changes the tables. Change `model/tables.ts` as well. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A table: await db.schema.createTable('notes').addColumn('id', 'integer', (id) => id.primaryKey()).execute()
  // A column: await db.schema.alterTable('notes').addColumn('text', 'text').execute()
  await sql`select 1`.execute(db)
}

/** Undoes what `up` did. */
export async function down(db: Kysely<unknown>): Promise<void> {
  // For instance: await db.schema.dropTable('notes').execute()
  await sql`select 1`.execute(db)
}
