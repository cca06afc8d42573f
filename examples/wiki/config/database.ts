import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { keep } from 'propylon'
import { NodeSqliteDialect } from '../lib/sqlite.ts'
import type { Tables } from '../model/tables.ts'
import { settings } from './settings.ts'

const url = settings.DATABASE_URL

/** The database of `DATABASE_URL`. The first query connects. */
export const database = keep(
  'database of the wiki',
  () => new Kysely<Tables>({ dialect: url.startsWith('sqlite:') ? sqlite() : postgres() }),
)

function sqlite() {
  return new NodeSqliteDialect(() => url.slice('sqlite:'.length))
}

function postgres() {
  // Sums and counts are 64-bit integers, which pg returns as text otherwise.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
  })
  // Without listeners a lost connection would end the process. The pool replaces it.
  pool.on('error', (error) => console.error(`PostgreSQL dropped a connection: ${error.message}`))
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
