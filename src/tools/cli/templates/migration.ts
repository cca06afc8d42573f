import { type Kysely, sql } from 'kysely'

/** Changes the tables. Change `model/tables.ts` as well. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // For instance: await db.schema.alterTable('pages').addColumn('title', 'text').execute()
  await sql`select 1`.execute(db)
}

/** Undoes what `up` did. */
export async function down(db: Kysely<unknown>): Promise<void> {
  // For instance: await db.schema.alterTable('pages').dropColumn('title').execute()
  await sql`select 1`.execute(db)
}
