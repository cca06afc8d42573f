import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'

/** Time for which a statement waits while another process has locked the file, in milliseconds. */
const LOCK_TIMEOUT = 5000

/** Connects Kysely with a file by node:sqlite. The first query opens it. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  /** @param path - returns the path of the file, or `:memory:`. */
  constructor(path: () => string) {
    const config = { database: async () => open(path()) }
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

/** Opens the file. Readers do not wait for writers (write-ahead log). */
function open(path: string): SqliteDatabase {
  if (path !== ':memory:' && !existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
  const file = new DatabaseSync(path, { timeout: LOCK_TIMEOUT, enableForeignKeyConstraints: true })
  try {
    file.exec('pragma journal_mode = wal')
  } catch (error) {
    file.close()
    throw error
  }
  return { prepare: (text) => adapt(file.prepare(text)), close: () => file.close() }
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
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(
    `SQLite cannot store a ${typeof value}. Use a string, number, bigint, Uint8Array or null.`,
  )
}

/** Locks the file when a transaction begins. A later lock fails if another process has written in the meantime. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Runs migrations in one transaction: all or none, and processes one after another. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
