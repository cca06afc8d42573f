import type { Kysely } from 'kysely'
import { describeValue } from '../../base/describe.ts'
import { checkNames } from '../../base/suggest.ts'
import type { SessionValues } from './data.ts'
import type { SessionStore } from './store.ts'

/** Members of a `Kysely` instance or transaction that are used, whatever its tables are. */
export interface KyselyDatabase {
  readonly selectFrom: (...args: never[]) => unknown
  readonly insertInto: (...args: never[]) => unknown
  readonly updateTable: (...args: never[]) => unknown
  readonly deleteFrom: (...args: never[]) => unknown
  readonly schema: object
  getExecutor(): { readonly adapter: { readonly supportsReturning?: boolean } }
}

/** Options of {@link kyselyStore}. */
export interface KyselyStoreOptions {
  /** Name of the table. Defaults to `sessions`. */
  readonly table?: string
}

/** A store in a table of a database. */
export interface KyselyStore extends SessionStore {
  /**
   * Creates the table and its index unless they exist. The first use of the store does so as well. Call it in a
   * migration if the application itself may not create tables.
   */
  createTable(): Promise<void>
}

/**
 * Creates a store in a table of SQLite or PostgreSQL. The table has the columns `id` (text, primary key), `data`
 * (text) and `expires` (a bigint, milliseconds since 1970, indexed). The first use creates it if it does not exist.
 *
 * Sessions whose time has passed are removed when a session is created, at most once in ten minutes for each process.
 *
 * @param db - your Kysely instance. You close it.
 * @throws TypeError - the database is another one.
 *
 * @example
 * ```ts
 * import { Kysely, PostgresDialect } from 'kysely'
 * import pg from 'pg'
 * import { kyselyStore } from 'propylon/sessions'
 *
 * const pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1/wiki' })
 * export const db = new Kysely<{ pages: { title: string } }>({ dialect: new PostgresDialect({ pool }) })
 * export const store = kyselyStore(db)
 * ```
 */
export function kyselyStore(db: KyselyDatabase, options: KyselyStoreOptions = {}): KyselyStore {
  checkNames('kyselyStore()', options, 'table')
  const { table = 'sessions' } = options
  if (typeof db?.getExecutor !== 'function') {
    throw new TypeError(`kyselyStore() got ${describeValue(db)}. Pass a Kysely instance.`)
  }
  // Both dialects have ON CONFLICT and RETURNING. MySQL and SQL Server have neither.
  if (db.getExecutor().adapter.supportsReturning !== true) {
    throw new TypeError('kyselyStore() supports SQLite and PostgreSQL. Pass a Kysely instance for one of them.')
  }
  // The tables that the instance is typed with do not matter: the one of the sessions is the store's own.
  return new KyselyTable(db as Database, table)
}

/** Time between two removals of sessions whose time has passed, in milliseconds. */
const SWEEP_INTERVAL = 10 * 60 * 1000

class KyselyTable implements KyselyStore {
  readonly #db: Database
  readonly #table: string
  #swept = Number.NEGATIVE_INFINITY
  /** Resolves when the table exists. Undefined before the first use, and after one that failed. */
  #prepared: Promise<void> | undefined

  constructor(db: Database, table: string) {
    this.#db = db
    this.#table = table
  }

  async createTable(): Promise<void> {
    const { schema } = this.#db
    try {
      await schema
        .createTable(this.#table)
        .ifNotExists()
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('data', 'text', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createIndex(`${this.#table.replaceAll('.', '_')}_expires`)
        .ifNotExists()
        .on(this.#table)
        .column('expires')
        .execute()
    } catch (error) {
      // PostgreSQL fails if another process creates the table at the same moment.
      if (!(await this.#exists())) throw error
    }
  }

  async get(id: string): Promise<SessionValues | undefined> {
    await this.#prepare()
    const row = await this.#db
      .selectFrom(this.#table)
      .select('data')
      .where('id', '=', id)
      .where('expires', '>', Date.now())
      .executeTakeFirst()
    return row && JSON.parse(row.data)
  }

  async set(id: string, values: SessionValues, seconds: number): Promise<void> {
    await this.#prepare()
    await this.#sweep()
    const content = contentOf(values, seconds)
    await this.#db
      .insertInto(this.#table)
      .values({ id, ...content })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(content))
      .execute()
  }

  async update(id: string, values: SessionValues, seconds: number): Promise<boolean> {
    await this.#prepare()
    const { numUpdatedRows } = await this.#db
      .updateTable(this.#table)
      .set(contentOf(values, seconds))
      .where('id', '=', id)
      .where('expires', '>', Date.now())
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  async delete(id: string): Promise<boolean> {
    await this.#prepare()
    const { numDeletedRows } = await this.#db
      .deleteFrom(this.#table)
      .where('id', '=', id)
      .where('expires', '>', Date.now())
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Removes sessions whose time has passed, now and then. */
  async #sweep(): Promise<void> {
    const now = Date.now()
    if (now - this.#swept < SWEEP_INTERVAL) return
    this.#swept = now
    await this.#db.deleteFrom(this.#table).where('expires', '<=', now).execute()
  }

  /** Looks for the table before it creates it, because the application may lack the right to create tables. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#exists()
      .then((exists) => (exists ? undefined : this.createTable()))
      .catch((error: unknown) => {
        this.#prepared = undefined
        throw error
      })
    return this.#prepared
  }

  async #exists(): Promise<boolean> {
    try {
      await this.#db.selectFrom(this.#table).select('data').where('id', '=', '').executeTakeFirst()
      return true
    } catch {
      // The error of the creation says more.
      return false
    }
  }
}

/** A database in which any table has sessions: the name of the table is an option. */
type Database = Kysely<Readonly<Record<string, Content & { readonly id: string }>>>

/** Columns that change. */
interface Content {
  readonly data: string
  readonly expires: number
}

function contentOf(values: SessionValues, seconds: number): Content {
  return { data: JSON.stringify(values), expires: Date.now() + Math.ceil(seconds * 1000) }
}
