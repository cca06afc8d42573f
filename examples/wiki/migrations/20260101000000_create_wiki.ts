import { type Kysely, PostgresAdapter, sql } from 'kysely'
import { kyselyStore } from 'propylon/sessions'
import { newPage } from '../model/pages.ts'
import type { Tables } from '../model/tables.ts'

const WELCOME = `# Welcome

This is a wiki: everybody who is [signed in](../login) can edit it.

- \`[[FrontPage]]\` is a link to a page: [[FrontPage]].
- The text is [Markdown](https://commonmark.org/help/).
`

export async function up(db: Kysely<Tables>): Promise<void> {
  // PostgreSQL sorts and compares by the rules of a language otherwise, SQLite by the characters' codes.
  const exact = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`

  await db.schema
    .createTable('pages')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('title', exact, (column) => column.notNull().unique())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('modified', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('search_text', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('versions')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('page_id', 'text', (column) => column.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('modified', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addUniqueConstraint('versions_of_page', ['page_id', 'version'])
    .execute()
  await db.schema.createIndex('versions_by_time').on('versions').column('modified').execute()
  await db.schema
    .createTable('files')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('page_id', 'text', (column) => column.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('name', exact, (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    // Of two uploads of one name at the same time one fails.
    .addUniqueConstraint('files_of_page', ['page_id', 'name'])
    .execute()
  await db.schema
    .createTable('changes')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('counters')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('users')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', exact, (column) => column.primaryKey().notNull())
    .addColumn('password', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('stamp', 'text', (column) => column.notNull())
    .execute()
  await kyselyStore(db).createTable()

  await db.insertInto('counters').values({ name: 'changes', value: 0 }).execute()
  const { page, version } = newPage({ title: 'FrontPage', content: WELCOME, author: 'wiki' })
  await db.insertInto('pages').values(page).execute()
  await db.insertInto('versions').values(version).execute()
}

export async function down(db: Kysely<Tables>): Promise<void> {
  for (const table of ['users', 'counters', 'changes', 'files', 'versions', 'pages', 'sessions']) {
    await db.schema.dropTable(table).execute()
  }
}
