// The database: which one it is, and how it is opened.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { keep } from 'propylon'
import type { Tables } from '../model/tables.ts'

/** Whether this process runs tests: all by `npm test`, or one file by itself. */
const isTest = process.env.NODE_ENV === 'test' || /\btest_[^\\/]*$/.test(process.argv[1] ?? '')

/**
 * The database of `DATABASE_URL`: `postgres://user:password@host:port/name`. The first query connects. Tests use
 * the database of `TEST_DATABASE_URL` instead.
 */
export const database = keep(
  'database',
  () => new Kysely<Tables>({ dialect: new PostgresDialect({ pool: async () => openPool() }) }),
)

/** Throws if the database cannot be reached. */
export const checkDatabase = () => sql`select 1`.execute(database)

const SET_IT = 'Set it to postgres://user:password@host:port/name'

function openPool(): pg.Pool {
  const variable = isTest ? 'TEST_DATABASE_URL' : 'DATABASE_URL'
  const url = process.env[variable]
  if (!url) throw new Error(`${variable} is not set. ${SET_IT}`)
  if (!/^postgres(?:ql)?:/.test(url)) throw new Error(`${variable} is not a URL of PostgreSQL. ${SET_IT}`)
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    keepAlive: true,
    // Times in milliseconds. The server ends a statement; the client gives up on a server that is silent.
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
  })
  // Without a listener a lost connection would end the process. The pool replaces it.
  pool.on('error', (error) => console.error(`PostgreSQL dropped a connection: ${error.message}`))
  return pool
}

// A bigint is a number, as the types of the tables say, and an error if the number would not be exact.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`The database has the integer ${text}, which is too large for a number.`)
})
