// The check behind /readyz.
import { sql } from 'kysely'
import { database } from './database.ts'
import { redis } from './redis.ts'

/** Throws if the database or Redis cannot be reached. `/readyz` is 503 then. */
export async function check(): Promise<void> {
  await Promise.all([sql`select 1`.execute(database), redis.ping()])
}
