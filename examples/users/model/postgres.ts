import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database, Schema } from './database.ts'

/** The SQLSTATE of a key that is taken (PostgreSQL, "Error Codes", class 23). */
const UNIQUE_VIOLATION = '23505'

/**
 * Connects to PostgreSQL through a pool; the first connection is made by the first query.
 *
 * @param url - `postgres://user:password@host:port/name?options`.
 */
export function openPostgres(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000 })
  // A connection that the server drops while it idles is replaced by the next query; unheard, the error would end the process.
  pool.on('error', (error) => console.error(`PostgreSQL dropped a connection: ${error.message}`))
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  let closed: Promise<void> | undefined
  return {
    query,
    binaryText: 'text collate "C"',
    isDuplicate: (error) => error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION,
    close: () => (closed ??= query.destroy().then(() => (pool.ended ? undefined : pool.end()))),
  }
}
