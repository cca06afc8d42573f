import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Dialect, SqliteDatabase, SqliteStatement } from 'kysely'
import { describeValue } from '../wsgi/describe.ts'
import { optionalPackage } from '../wsgi/optional-package.ts'
import { errorMessage } from '../wsgi/thrown.ts'

/** Time for which a statement waits while another process has locked the file, in milliseconds. */
const LOCK_TIMEOUT = 5000

/**
 * Connects Kysely with a file of SQLite by node:sqlite. The first query opens it, and creates it and its directory if they
 * do not exist.
 *
 * Several processes can use the file: readers do not wait for writers (write-ahead log), writers wait up to five seconds for
 * each other. Foreign keys are enforced. A migration runs in one transaction with all others, as on PostgreSQL.
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
  const { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } = optionalPackage(
    'kysely',
    'propylon/sqlite',
  )
  const config = { database: async () => open(path) }

  /** Locks the file when a transaction begins. A later lock fails if another process has written in the meantime. */
  class ImmediateDriver extends SqliteDriver {
    override async beginTransaction(
      ...[connection]: Parameters<InstanceType<typeof SqliteDriver>['beginTransaction']>
    ): Promise<void> {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'))
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
  } catch (error) {
    file.close()
    throw cannotOpen(path, error)
  }
  return { prepare: (text) => adapt(file.prepare(text)), close: () => file.close() }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: LOCK_TIMEOUT, enableForeignKeyConstraints: true })
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** Returns an error that names the file, which those of SQLite do not. */
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
  throw new TypeError(
    `SQLite cannot store ${describeValue(value)}. Use a string, number, bigint, Uint8Array or null.`,
  )
}
