import { type Kysely, PostgresAdapter, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { database } from '../config/database.ts'

/** The changes of the tables, in the order of their names. Add new ones at the end. */
const migrations = {
  '2026-01 tables': { up: createTables },
  '2026-11 events': { up: dropChanges },
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  // Titles and names are compared and sorted by the codes of their characters, as SQLite does anyway.
  const exact = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
  const page = sql`page_id text not null references pages on delete cascade`
  const edit = sql`version integer not null, content text not null, modified text not null, author text not null`
  const statements = [
    sql`create table pages (id text primary key, title ${exact} not null unique, ${edit}, search_text text not null)`,
    sql`create table versions (id text primary key, ${page}, ${edit}, unique (page_id, version))`,
    sql`create index versions_by_time on versions (modified)`,
    sql`create table files (id text primary key, ${page}, name ${exact} not null, size bigint not null,
      type text not null, author text not null, unique (page_id, name))`,
    sql`create table changes (id integer primary key, title text not null, version integer not null, author text not null)`,
    sql`create table last_change (id integer not null)`,
    sql`insert into last_change values (0)`,
    sql`create table users (name_key ${exact} primary key, name text not null, password text not null,
      role text not null, stamp text not null)`,
  ]
  for (const statement of statements) await statement.execute(db)
}

/** Changes are events of a channel since then. */
async function dropChanges(db: Kysely<unknown>): Promise<void> {
  for (const table of ['changes', 'last_change']) await db.schema.dropTable(table).execute()
}

/** Runs the migrations that the database does not have yet, also when several processes start at once. */
export async function migrate(): Promise<void> {
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error !== undefined) throw error
}
