// The check behind /readyz.
import { sql } from 'kysely'
import { database } from './database.ts'

/** Throws if the database cannot be reached. `/readyz` is 503 then. */
export async function check(): Promise<void> {
  await sql`select 1`.execute(database)
}
