import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import type { Database, Schema } from './database.ts'
import { isLocked } from './lock.ts'

/** Extended result codes of violated unique constraints (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

/**
 * Opens a SQLite file with node:sqlite.
 *
 * A commit is on the disk before it is acknowledged (`synchronous = FULL`), and readers do not wait for writers
 * (write-ahead log). A statement fails at once if another process has locked the file: see {@link whileLocked}.
 *
 * @param path - a file, created if it does not exist, or `:memory:`.
 */
export function openSqlite(path: string): Database {
  // Only the owner may read it. SQLite creates -wal and -shm with the same permissions.
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = full')
  } catch (error) {
    file.close()
    throw error
  }
  const query = new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ database: new StatementSource(file) }),
  })
  return {
    query,
    binaryText: 'text',
    isDuplicate,
    isUnavailable: isLocked,
    close: () => (file.isOpen ? closeBoth(query, file) : Promise.resolve()),
  }
}

/** Closes the query builder and the file. The query builder closes the file only if it has run a query. */
async function closeBoth(query: Kysely<Schema>, file: DatabaseSync): Promise<void> {
  await query.destroy()
  if (file.isOpen) file.close()
}

function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return error.errcode === SQLITE_CONSTRAINT_PRIMARYKEY || error.errcode === SQLITE_CONSTRAINT_UNIQUE
}

/** Adapts node:sqlite to the interface of the query builder. Prepared statements are cached by their text. */
class StatementSource implements SqliteDatabase {
  readonly #file: DatabaseSync
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(file: DatabaseSync) {
    this.#file = file
  }

  prepare(text: string): SqliteStatement {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = adapt(this.#file.prepare(text))
      // Limits the cache for queries whose text contains values. The query builder uses parameters.
      if (this.#statements.size >= 100) this.#statements.clear()
      this.#statements.set(text, statement)
    }
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#file.close()
  }
}

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toValue)),
    run: (parameters) => statement.run(...parameters.map(toValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(toValue)),
  }
}

/** Checks a parameter. SQLite would truncate a text at NUL, and replace lone surrogates. */
function toValue(value: unknown): SQLInputValue {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new TypeError('The text for the database contains NUL or a lone surrogate. Validate it first.')
    return value
  }
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array)
    return value
  throw new TypeError(`A ${typeof value} cannot be stored in SQLite. Use a string, number, bigint, Uint8Array or null.`)
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#config)
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalAdapter()
  }
}

/** Locks the file when a transaction begins. A later lock fails if another process has written in the meantime. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Runs migrations in transactions, because SQLite creates tables transactionally. Processes migrate one after another. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
