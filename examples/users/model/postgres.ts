import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database, Schema } from './database.ts'

/** SQLSTATE of a violated unique constraint (PostgreSQL, "Error Codes", class 23). */
const UNIQUE_VIOLATION = '23505'

/** SQLSTATE classes of lost connections, exhausted resources, and shutdowns and time-outs. */
const UNAVAILABLE = /^(08|53|57)/

/** Longest time to wait for a connection, and for the server to run a statement, in milliseconds. */
const TIMEOUT = 5000

/** Time after which a connection in use counts as dead, in milliseconds. A live server has ended its statement by then. */
const SILENCE_TIMEOUT = 6000

/**
 * Creates a pool of connections to PostgreSQL. The first query opens the first connection.
 *
 * @param url - `postgres://user:password@host:port/name?options`.
 */
export function openPostgres(url: string): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: TIMEOUT,
    statement_timeout: TIMEOUT,
  })
  // Without a listener, a lost connection would end the process. Its query fails, and the pool replaces the connection.
  pool.on('error', (error) => console.error(`PostgreSQL dropped a connection: ${error.message}`))
  pool.on('connect', (client) => client.on('error', () => {}))
  closeSilentConnections(pool)
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  let closed: Promise<void> | undefined
  return {
    query,
    binaryText: 'text collate "C"',
    isDuplicate: (error) => error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION,
    isUnavailable,
    close: () => (closed ??= query.destroy().then(() => (pool.ended ? undefined : pool.end()))),
  }
}

/** Closes connections whose server no longer responds, so that their queries fail and the pool makes new ones. */
function closeSilentConnections(pool: pg.Pool): void {
  const timers = new WeakMap<pg.PoolClient, NodeJS.Timeout>()
  pool.on('acquire', (client) => {
    const close = () => void (client instanceof pg.Client && client.end())
    timers.set(client, setTimeout(close, SILENCE_TIMEOUT))
  })
  pool.on('release', (_error, client) => clearTimeout(timers.get(client)))
}

/** Errors of the server have an SQLSTATE. The driver throws plain errors if a connection fails. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return UNAVAILABLE.test(error.code ?? '')
  return error instanceof AggregateError || (error instanceof Error && error.name === 'Error')
}
