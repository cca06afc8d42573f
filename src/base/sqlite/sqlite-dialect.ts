/**
 * `propylon/sqlite`: a dialect of Kysely on `node:sqlite`.
 *
 * @module
 */

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseConnection, Dialect, SqliteDatabase, SqliteStatement } from 'kysely'
import { describeValue } from '../describe.ts'
import { getOrCreate } from '../get-or-create.ts'
import { optionalPackage } from '../optional-package.ts'
import { errorMessage, memberOf } from '../thrown.ts'

/**
 * Connects Kysely with a file of SQLite by node:sqlite. The first query opens it, and creates it and its directory if
 * they do not exist. Only the owner may read and write a new file.
 *
 * Several processes can use the file: readers do not wait for writers (write-ahead log), writers wait up to five
 * seconds for each other, while the process goes on with other requests. Foreign keys are enforced. A migration runs
 * in one transaction with all others, as on PostgreSQL.
 *
 * @param path - path of the file, or `:memory:`.
 * @throws Error - the package kysely is not installed. The message names the command to install it.
 * @throws TypeError - the path is empty or not text, or a URL.
 *
 * @example
 * ```ts
 * import { Kysely } from 'kysely'
 * import { sqliteDialect } from 'propylon/sqlite'
 *
 * interface Tables {
 *   pages: { title: string; content: string }
 * }
 *
 * export const database = new Kysely<Tables>({ dialect: sqliteDialect('var/site.db') })
 * ```
 */
export function sqliteDialect(path: string): Dialect {
  checkPath(path)
  const { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } = optionalPackage('kysely', 'propylon/sqlite')
  const config = { database: async () => open(path) }

  /** Locks the file when a transaction begins. A later lock fails if another process has written in the meantime. */
  class ImmediateDriver extends SqliteDriver {
    readonly #waiting = new WeakMap<DatabaseConnection, DatabaseConnection>()

    /** Returns a connection whose statements wait for locks. */
    override async acquireConnection(): Promise<DatabaseConnection> {
      const connection = await super.acquireConnection()
      return getOrCreate(this.#waiting, connection, () => ({
        executeQuery: (...query) => whenUnlocked(() => connection.executeQuery(...query)),
        streamQuery: (...query) => connection.streamQuery(...query),
      }))
    }

    override async beginTransaction(
      ...[connection]: Parameters<InstanceType<typeof SqliteDriver>['beginTransaction']>
    ): Promise<void> {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'))
    }

    /**
     * Accepts that SQLite has rolled back by itself, as it does on a full disk. The error that led here is thrown
     * then.
     */
    override async rollbackTransaction(
      ...[connection]: Parameters<InstanceType<typeof SqliteDriver>['rollbackTransaction']>
    ): Promise<void> {
      try {
        await super.rollbackTransaction(connection)
      } catch (error) {
        if (!errorMessage(error).includes('no transaction is active')) throw error
      }
    }
  }

  /** Runs migrations in one transaction: all or none, and processes one after another. */
  class TransactionalAdapter extends SqliteAdapter {
    override get supportsTransactionalDdl(): boolean {
      return true
    }
  }

  class NodeSqliteDialect extends SqliteDialect {
    override createDriver() {
      return new ImmediateDriver(config)
    }

    override createAdapter() {
      return new TransactionalAdapter()
    }
  }

  return new NodeSqliteDialect(config)
}

/** SQLite would keep a database with an empty path in a temporary file. */
function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '' && !/^(?:sqlite:|[a-z]+:\/\/)/i.test(path)) return
  throw new TypeError(`sqliteDialect() got ${describeValue(path)}. Pass the path of a file, or :memory:.`)
}

function open(path: string): SqliteDatabase {
  if (path !== ':memory:' && !existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
  const file = openFile(path)
  try {
    file.exec('pragma journal_mode = wal')
    // From now on whenUnlocked() waits.
    file.exec('pragma busy_timeout = 0')
  } catch (error) {
    file.close()
    throw cannotOpen(path, error)
  }
  return { prepare: (text) => adapt(file.prepare(text)), close: () => file.close() }
}

function openFile(path: string): DatabaseSync {
  try {
    // Only the owner may read it. SQLite creates -wal and -shm with the same permissions.
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    return new DatabaseSync(path, { timeout: LOCK_TIMEOUT, enableForeignKeyConstraints: true })
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** Returns an error that names the file. Errors of SQLite do not. */
function cannotOpen(path: string, cause: unknown): Error {
  return new Error(`SQLite cannot open ${describeValue(path)}: ${errorMessage(cause)}`, { cause })
}

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toValue)),
    run: (parameters) => statement.run(...parameters.map(toValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(toValue)),
  }
}

function toValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value
  }
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot store ${describeValue(value)}. Use a string, number, bigint, Uint8Array or null.`)
}

/** Time for which a statement waits while another process has locked the file, in milliseconds. */
const LOCK_TIMEOUT = 5000

const SQLITE_BUSY = 5
/** A transaction that has read can never write after another process has written. Waiting would not help. */
const SQLITE_BUSY_SNAPSHOT = 517

/**
 * Runs a statement, again and again as long as another process has locked the file. A statement that is refused has
 * changed nothing. SQLite itself waits too, but within the call: the process would serve nothing else in the meantime.
 */
async function whenUnlocked<T>(statement: () => Promise<T>): Promise<T> {
  const end = performance.now() + LOCK_TIMEOUT
  for (let delay = 1; ; delay = Math.min(2 * delay, 25)) {
    try {
      return await statement()
    } catch (error) {
      if (!isLocked(error) || performance.now() > end) throw error
    }
    await sleep(delay)
  }
}

function isLocked(error: unknown): boolean {
  const code = memberOf(error, 'errcode')
  return typeof code === 'number' && (code & 0xff) === SQLITE_BUSY && code !== SQLITE_BUSY_SNAPSHOT
}
