import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { whileLocked } from './lock.ts'
import { migrate } from './migrations.ts'

/** A row of the table `users`. The password is the hash, in the form that password.ts writes. */
export interface UserRow {
  name: string
  full_name: string
  email: string
  password: string
}

/** The tables, as the query builder's types know them. */
export interface Schema {
  users: UserRow
}

/** A database that is open and has every table. */
export interface Database {
  /** The query builder. */
  readonly query: Kysely<Schema>
  /** The type of a column of text that is compared and sorted byte by byte: names are case-sensitive, everywhere. */
  readonly binaryText: string
  /** Whether an error is the database's answer to a name (or another key) that is taken. */
  isDuplicate(error: unknown): boolean
  /** Whether an error means that the database does not respond, or not in time. */
  isUnavailable(error: unknown): boolean
  /** Closes the connections. */
  close(): Promise<void>
}

/** Why a database could not be opened, in one line and without the secrets of its URL. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
}

/** Where the users lie when nothing else is said. */
export const DEFAULT_URL = `sqlite:${fileURLToPath(new URL('../var/users.db', import.meta.url))}`

/**
 * Opens a database and brings its tables up to date, which several processes may do at once.
 *
 * @param url - `sqlite:PATH` (its directory is created; `sqlite::memory:` lives as long as it is open) or `postgres://…`.
 * @throws DatabaseError when the URL or the database cannot be used.
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

/** Node's own recursive mkdir never returns where the system refuses new directories as not found (/proc). */
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

/** A refused connection comes as an AggregateError without a message, one error for each address. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reason).join('; ')
  return error instanceof Error ? error.message : String(error)
}
