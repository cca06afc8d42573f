// The database: which one it is, and how it is opened.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { keep } from 'propylon'
import { sqliteDialect } from 'propylon/sqlite'
import type { Tables } from '../model/tables.ts'

/** Whether this process runs tests: all by `npm test`, or one file by itself. */
const isTest = process.env.NODE_ENV === 'test' || /\btest_[^\\/]*$/.test(process.argv[1] ?? '')

const SET_IT = 'Set it to sqlite:var/site.db or postgres://user:password@host:port/name'

/**
 * The database of `DATABASE_URL`: `sqlite:PATH`, relative to the project, or `postgres://user:password@host:port/name`. The
 * first query opens it. Tests use the database of `TEST_DATABASE_URL` instead, or one of SQLite in memory.
 */
export const database = keep('database', () => new Kysely<Tables>({ dialect: openDialect() }))

/** Throws if the database cannot be reached. */
export const checkDatabase = () => sql`select 1`.execute(database)

function openDialect(): Dialect {
  const url = databaseUrl()
  if (/^postgres(?:ql)?:/.test(url)) return new PostgresDialect({ pool: async () => openPool(url) })
  const path = url.slice('sqlite:'.length)
  if (path === ':memory:') return sqliteDialect(path)
  return sqliteDialect(resolve(fileURLToPath(new URL('../', import.meta.url)), path))
}

function databaseUrl(): string {
  const { NODE_ENV, DATABASE_URL, TEST_DATABASE_URL } = process.env
  if (isTest) return checkedUrl('TEST_DATABASE_URL', TEST_DATABASE_URL || 'sqlite::memory:')
  if (!DATABASE_URL && NODE_ENV === 'production') throw new Error(`DATABASE_URL is not set. ${SET_IT}`)
  return checkedUrl('DATABASE_URL', DATABASE_URL || 'sqlite:var/site.db')
}

function checkedUrl(variable: string, url: string): string {
  if (/^(?:sqlite:.|postgres(?:ql)?:)/.test(url)) return url
  throw new Error(`${variable} names neither SQLite nor PostgreSQL. ${SET_IT}`)
}

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
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

// As SQLite reads a bigint, also the one of count(): as a number, and an error if the number would not be exact.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`The database has the integer ${text}, which is too large for a number.`)
})
