// The database: which one it is, and how it is opened.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, sql } from 'kysely'
import { keep } from 'propylon'
import { sqliteDialect } from 'propylon/sqlite'
import type { Tables } from '../model/tables.ts'

/** Whether this process runs tests: all by `npm test`, or one file by itself. */
const isTest = process.env.NODE_ENV === 'test' || /\btest_[^\\/]*$/.test(process.argv[1] ?? '')

/** The database of `DATABASE_URL`, `sqlite:PATH`, relative to the project. The first query opens it. Tests have one in memory. */
export const database = keep('database', () => new Kysely<Tables>({ dialect: sqliteDialect(path()) }))

/** Throws if the database cannot be reached. */
export const checkDatabase = () => sql`select 1`.execute(database)

function path(): string {
  if (isTest) return ':memory:'
  const url = process.env.DATABASE_URL || 'sqlite:var/site.db'
  if (!/^sqlite:./.test(url)) throw new Error('DATABASE_URL is not a path of SQLite. Set it to sqlite:var/site.db')
  const file = url.slice('sqlite:'.length)
  return file === ':memory:' ? file : resolve(fileURLToPath(new URL('../', import.meta.url)), file)
}
