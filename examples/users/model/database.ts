import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { whileLocked } from './lock.ts'
import { migrate } from './migrations.ts'

/** A row of the table `users`. The password is a hash as returned by `hashPassword`. */
export interface UserRow {
  name: string
  full_name: string
  email: string
  password: string
}

/** The tables, for the types of the query builder. */
export interface Schema {
  users: UserRow
}

/** An open database with all tables. */
export interface Database {
  /** The query builder. */
  readonly query: Kysely<Schema>
  /** Type of a text column that is compared and sorted byte by byte, so that user names are case-sensitive. */
  readonly binaryText: string
  /** Whether an error reports a violated unique constraint, such as a user name that is taken. */
  isDuplicate(error: unknown): boolean
  /** Whether an error reports that the database does not respond in time. */
  isUnavailable(error: unknown): boolean
  /** Closes the connections. */
  close(): Promise<void>
}

/** A database cannot be opened. The message is one line and does not contain the password of the URL. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
}

/** URL of the database if `DATABASE_URL` is not set. */
export const DEFAULT_URL = `sqlite:${fileURLToPath(new URL('../var/users.db', import.meta.url))}`

/**
 * Opens a database and runs its migrations. Several processes can do so at the same time.
 *
 * @param url - `sqlite:PATH` (the directory is created; `sqlite::memory:` is lost when it is closed) or `postgres://…`.
 * @throws DatabaseError - the URL is malformed or the database cannot be used.
 */
export async function openDatabase(url: string = DEFAULT_URL): Promise<Database> {
  try {
    return await whileLocked(() => connectAndMigrate(url))
  } catch (error) {
    throw error instanceof DatabaseError ? error : unusable(url, error)
  }
}

async function connectAndMigrate(url: string): Promise<Database> {
  const database = await connect(url)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

async function connect(url: string): Promise<Database> {
  if (url.startsWith('sqlite:') && url.length > 'sqlite:'.length) {
    const { openSqlite } = await import('./sqlite.ts')
    return openSqlite(sqlitePath(url))
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres.ts')
    return openPostgres(url)
  }
  throw new DatabaseError('DATABASE_URL must be sqlite:PATH or postgres://HOST/NAME')
}

function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === ':memory:') return path
  const file = resolve(path)
  makeDirectory(dirname(file))
  return file
}

/** Replaces Node's recursive mkdir, which never returns if mkdir fails with ENOENT in an existing directory (/proc). */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path)
}

function unusable(url: string, cause: unknown): DatabaseError {
  const place = url.startsWith('sqlite:') ? url : url.replace(/\/\/[^/]*@/, '//').replace(/\?.*/s, '')
  return new DatabaseError(`Cannot use the database ${place}: ${reason(cause)}`.replace(/\s+/g, ' '), {
    cause,
  })
}

/** Returns the message of an error. A refused connection is an AggregateError without one: it has an error per address. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reason).join('; ')
  return error instanceof Error ? error.message : String(error)
}
