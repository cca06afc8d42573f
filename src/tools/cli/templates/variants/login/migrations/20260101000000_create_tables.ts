import { type Kysely, sql } from 'kysely'
import { kyselyStore } from 'propylon/sessions'

export async function up(db: Kysely<unknown>): Promise<void> {
  await kyselyStore(db).createTable()
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    // Unique: if two requests come at the same time, one fails.
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('confirmed', 'integer', (column) => column.notNull())
    .addColumn('password', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('member', 'admin')`))
    .addColumn('stamp', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('tokens_of_user').on('tokens').column('user_id').execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['tokens', 'users', 'sessions']) await db.schema.dropTable(table).execute()
}
