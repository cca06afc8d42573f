import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { database } from '../config/database.ts'
import { announce, recordChange } from './changes.ts'
import { removeContents } from './files.ts'
import { checkTitle } from './page-rules.ts'
import type { PagesTable, Tables, VersionsTable } from './tables.ts'

/** A page or one of its versions. */
export type Page = Pick<PagesTable, 'id' | 'title' | 'version' | 'content' | 'modified' | 'author'>

/** A change of a page. */
export type Change = Pick<Page, 'title' | 'version' | 'modified' | 'author'>

/** A part of a list. */
export interface PageList {
  readonly pages: readonly Page[]
  /** Number of pages in the whole list. */
  readonly total: number
}

const COLUMNS = ['id', 'title', 'version', 'content', 'modified', 'author'] as const

/** Pages in one part of a list. */
export const PAGES_PER_LIST = 50

/** Returns the part of a list of pages by title that begins at `offset`: all pages, or those that contain all words. */
export async function listPages(offset: number, words: readonly string[] = []): Promise<PageList> {
  // No content has NUL, which PostgreSQL cannot compare.
  if (words.join().includes('\0')) return { pages: [], total: 0 }
  const found = database
    .selectFrom('pages')
    .where(({ and }) => and(words.map((word) => sql<boolean>`search_text like ${pattern(word)} escape '\\'`)))
  const { total } = await found
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (offset >= total) return { pages: [], total }
  const pages = await found.select(COLUMNS).orderBy('title').limit(PAGES_PER_LIST).offset(offset).execute()
  return { pages, total }
}

/** Returns the pattern of LIKE for a text that contains a word. */
function pattern(word: string): string {
  return `%${searchText(word).replace(/[\\%_]/g, '\\$&')}%`
}

/** Returns a text as it is searched: case-insensitive, and independent of how accents are encoded. */
function searchText(...texts: string[]): string {
  return texts.join('\n').normalize('NFC').toLowerCase()
}

/** Returns all titles. */
export async function allTitles(): Promise<string[]> {
  const rows = await database.selectFrom('pages').select('title').orderBy('title').execute()
  return rows.map(({ title }) => title)
}

/** Returns the current version of a page. */
export async function findPage(title: string): Promise<Page | undefined> {
  const name = title.normalize('NFC')
  if (checkTitle(name) !== undefined) return undefined
  return database.selectFrom('pages').select(COLUMNS).where('title', '=', name).executeTakeFirst()
}

/** Returns all versions of a page, the newest first, without their content. */
export function versionsOf({ id, title }: Page) {
  return database
    .selectFrom('versions')
    .select(['version', 'modified', 'author'])
    .select(({ val }) => val(title).as('title'))
    .where('page_id', '=', id)
    .orderBy('version', 'desc')
    .execute()
}

/** Returns one version of a page. */
export async function findVersion(
  { id, title, version: newest }: Page,
  version: number,
): Promise<Page | undefined> {
  if (version < 1 || version > newest) return undefined
  const found = await database
    .selectFrom('versions')
    .select(['version', 'content', 'modified', 'author'])
    .where('page_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return found && { id, title, ...found }
}

/** Returns the newest changes, at most `limit`, or all since a time. */
export async function recentChanges({ limit, since }: { limit?: number; since?: Date }) {
  let query = database
    .selectFrom('versions')
    .innerJoin('pages', 'pages.id', 'versions.page_id')
    .select(['versions.id', 'pages.title', 'versions.version', 'versions.modified', 'versions.author'])
    .orderBy('versions.modified', 'desc')
    .orderBy('versions.version', 'desc')
  if (since !== undefined) query = query.where('versions.modified', '>=', since.toISOString())
  if (limit !== undefined) query = query.limit(limit)
  return query.execute()
}

interface NewPage {
  readonly title: string
  readonly content: string
  readonly author: string
}

/** Returns the rows of a page that does not exist yet. */
export function newPage({ title, content, author }: NewPage): { page: PagesTable; version: VersionsTable } {
  const fields = { version: 1, content, author, modified: new Date().toISOString() }
  const page = { id: randomUUID(), title, ...fields, search_text: searchText(title, content) }
  return { page, version: { id: randomUUID(), page_id: page.id, ...fields } }
}

/** Creates a page. Returns undefined if there is a page with this title. */
export async function createPage(fields: NewPage): Promise<Page | undefined> {
  const { page, version } = newPage(fields)
  const created = await database.transaction().execute(async (transaction) => {
    const { numInsertedOrUpdatedRows: count = 0n } = await transaction
      .insertInto('pages')
      .values(page)
      .onConflict((conflict) => conflict.column('title').doNothing())
      .executeTakeFirst()
    if (count === 0n) return undefined
    await addVersion(transaction, page.title, version)
    return page
  })
  if (created !== undefined) announce()
  return created
}

/** Stores new content. Returns undefined if the page has another version by now. An unchanged content makes no new version. */
export async function changePage(page: Page, content: string, author: string): Promise<Page | undefined> {
  if (content === page.content) return page
  const { id, title } = page
  const fields = { version: page.version + 1, content, author, modified: new Date().toISOString() }
  const isStored = await database.transaction().execute(async (transaction) => {
    // The condition is the check, so that of two changes at the same time one fails.
    const { numUpdatedRows } = await transaction
      .updateTable('pages')
      .set({ ...fields, search_text: searchText(title, content) })
      .where('id', '=', id)
      .where('version', '=', page.version)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await addVersion(transaction, title, { id: randomUUID(), page_id: id, ...fields })
    return true
  })
  if (!isStored) return undefined
  announce()
  return { id, title, ...fields }
}

async function addVersion(
  transaction: Transaction<Tables>,
  title: string,
  version: VersionsTable,
): Promise<void> {
  await transaction.insertInto('versions').values(version).execute()
  await recordChange(transaction, { title, version: version.version, author: version.author })
}

/** Deletes a page with its versions and files. Returns false if it has another version by now. */
export async function removePage({ id, version }: Page): Promise<boolean> {
  const files = await database.transaction().execute(async (transaction) => {
    const found = transaction
      .selectFrom('pages')
      .select('id')
      .where('id', '=', id)
      .where('version', '=', version)
    const attached = await transaction
      .deleteFrom('files')
      .where('page_id', 'in', found)
      .returning('id')
      .execute()
    const { numDeletedRows } = await transaction
      .deleteFrom('pages')
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst()
    return numDeletedRows > 0n ? attached : undefined
  })
  if (files === undefined) return false
  await removeContents(files)
  return true
}
