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

/** The extended result codes of a key that is taken (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

/**
 * Opens a file of users through Node's own SQLite.
 *
 * A commit is on the disk before it is acknowledged (`synchronous = FULL`), and readers do not wait for writers
 * (write-ahead log). A statement that meets another process's lock fails at once: see {@link whileLocked}.
 *
 * @param path - a file, created when it is missing, or `:memory:`.
 */
export function openSqlite(path: string): Database {
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

/** The query builder closes the file only if it ever used it. */
async function closeBoth(query: Kysely<Schema>, file: DatabaseSync): Promise<void> {
  await query.destroy()
  if (file.isOpen) file.close()
}

function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return error.errcode === SQLITE_CONSTRAINT_PRIMARYKEY || error.errcode === SQLITE_CONSTRAINT_UNIQUE
}

/** The shape that the query builder expects of SQLite, over Node's. Each statement is prepared once. */
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
      // Builder queries are few. The bound is for whoever writes their values into the text.
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

/** SQLite would keep half of such a text, or another one; it is refused before it gets there. */
function toValue(value: unknown): SQLInputValue {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new TypeError('A text for the database holds NUL or half a character')
    return value
  }
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array)
    return value
  throw new TypeError(`SQLite takes no ${typeof value}`)
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

/** Takes the write lock at the start: a transaction that asks for it midway fails when another process was quicker. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** SQLite creates tables within transactions as well, so a migration happens wholly or not at all, one process at a time. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
