import { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { keep } from 'propylon'
import { sqliteDialect } from 'propylon/sqlite'
import type { Tables } from '../model/tables.ts'
import { settings } from './settings.ts'

/** Longest time of a statement, in milliseconds. */
const STATEMENT_TIMEOUT = 10_000

const url = settings.DATABASE_URL

/** The database of `DATABASE_URL`. The first query connects. */
export const database = keep('database of the wiki', () => {
  const dialect = url.startsWith('sqlite:') ? sqliteDialect(url.slice('sqlite:'.length)) : postgres()
  return new Kysely<Tables>({ dialect })
})

function postgres(): PostgresDialect {
  // Counts and sizes are 64-bit integers, which pg returns as text otherwise.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const limits = { max: 10, connectionTimeoutMillis: 5000, statement_timeout: STATEMENT_TIMEOUT }
  const pool = new pg.Pool({ connectionString: url, ...limits })
  // Without listeners a lost connection would end the process. The pool replaces it.
  pool.on('error', (error) => console.error(`PostgreSQL dropped a connection: ${error.message}`))
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // No statement takes so long: the server is gone. Its queries fail, and the pool opens other connections.
    const { stream } = client.connection
    if (stream instanceof Socket) stream.setTimeout(STATEMENT_TIMEOUT + 2000, () => stream.destroy())
  })
  return new PostgresDialect({ pool })
}
