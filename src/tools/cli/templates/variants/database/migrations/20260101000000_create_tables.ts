import type { Kysely } from 'kysely'
import { kyselyStore } from 'propylon/sessions'

export async function up(db: Kysely<unknown>): Promise<void> {
  await kyselyStore(db).createTable()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('sessions').execute()
}
