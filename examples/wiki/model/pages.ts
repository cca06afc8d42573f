import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { type PageOptions, paginate } from 'propylon/paginate'
import { database } from '../config/database.ts'
import { announceChange } from './changes.ts'
import { removeContents } from './files.ts'
import { isStorable } from './page-rules.ts'
import type { PagesTable, Tables } from './tables.ts'

/** A page or one of its versions. */
export type Page = Omit<PagesTable, 'search_text'>

const COLUMNS = ['id', 'title', 'version', 'content', 'modified', 'author'] as const

/** Returns a text as it is searched: case-insensitive, and independent of how accents are encoded. */
const searchText = (text: string) => text.normalize('NFC').toLowerCase()

/** Returns a part of the pages by title: of all pages, or of those that contain all words, of which there must be one. */
export async function listPages(options: PageOptions, words?: readonly string[]) {
  // No page has NUL, which PostgreSQL cannot compare.
  if (words?.length === 0 || words?.join('').includes('\0')) return paginate<Page>([], options)
  const patterns = (words ?? []).map((word) => `%${searchText(word).replace(/[\\%_]/g, '\\$&')}%`)
  const found = database
    .selectFrom('pages')
    .where(({ and }) => and(patterns.map((pattern) => sql<boolean>`search_text like ${pattern} escape '\\'`)))
  return paginate(found.select(COLUMNS).orderBy('title'), options)
}

/** Returns all titles. */
export async function allTitles(): Promise<string[]> {
  const rows = await database.selectFrom('pages').select('title').orderBy('title').execute()
  return rows.map(({ title }) => title)
}

/** Returns the current version of a page. */
export async function findPage(sent: string): Promise<Page | undefined> {
  const title = sent.normalize('NFC')
  if (!isStorable(title)) return undefined
  return database.selectFrom('pages').select(COLUMNS).where('title', '=', title).executeTakeFirst()
}

/** The versions of all pages. */
const versions = database
  .selectFrom('versions')
  .innerJoin('pages', 'pages.id', 'versions.page_id')
  .select(['versions.id', 'pages.title', 'versions.version', 'versions.modified', 'versions.author'])

/** Returns all versions of a page, the newest first. */
export function versionsOf(page: Page) {
  return versions.where('page_id', '=', page.id).orderBy('versions.version', 'desc').execute()
}

/** Returns one version of a page. */
export async function findVersion(page: Page, version: number): Promise<Page | undefined> {
  if (version < 1 || version > page.version) return undefined
  const found = versions.where('page_id', '=', page.id).where('versions.version', '=', version)
  return found.select('versions.content').executeTakeFirst()
}

/** Returns the changes since a time, the newest first. */
export function recentChanges(since: Date, limit = 1_000_000) {
  const recent = versions.where('versions.modified', '>=', since.toISOString())
  return recent.orderBy('versions.modified', 'desc').orderBy('versions.version', 'desc').limit(limit).execute()
}

/** Creates a page. Returns undefined if there is a page with this title. */
export async function createPage(fields: Pick<Page, 'title' | 'content' | 'author'>): Promise<Page | undefined> {
  const page = { id: randomUUID(), version: 1, modified: new Date().toISOString(), ...fields }
  const row = { ...page, search_text: searchText(`${page.title}\n${page.content}`) }
  return storing(async (transaction) => {
    const insertion = transaction.insertInto('pages').values(row).returning('id')
    const inserted = await insertion.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()
    return inserted && page
  })
}

/** Stores new content. Returns undefined if the page has changed by now. An unchanged content makes no new version. */
export async function changePage(old: Page, content: string, author: string): Promise<Page | undefined> {
  if (content === old.content) return old
  const { id, title } = old
  const edit = { version: old.version + 1, content, author, modified: new Date().toISOString() }
  return storing(async (transaction) => {
    const update = transaction.updateTable('pages').set({ ...edit, search_text: searchText(`${title}\n${content}`) })
    // The condition is the check: if two changes come at the same time, one fails.
    const updated = update.where('id', '=', id).where('version', '=', old.version).returning('id')
    return (await updated.executeTakeFirst()) && { id, title, ...edit }
  })
}

/** Stores a page, and with it its version and the change. */
async function storing(
  store: (transaction: Transaction<Tables>) => Promise<Page | undefined>,
): Promise<Page | undefined> {
  const stored = await database.transaction().execute(async (transaction) => {
    const page = await store(transaction)
    if (page === undefined) return undefined
    const { id: page_id, version, content, modified, author } = page
    const row = { id: randomUUID(), page_id, version, content, modified, author }
    await transaction.insertInto('versions').values(row).execute()
    return page
  })
  if (stored !== undefined) {
    const { title, version, author } = stored
    announceChange({ title, version, author })
  }
  return stored
}

/** Deletes a page with its versions and files. Returns false if it has changed by now. */
export async function removePage({ id, version }: Page): Promise<boolean> {
  const files = await database.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('pages').select('id').where('id', '=', id).where('version', '=', version)
    const attached = await transaction.deleteFrom('files').where('page_id', 'in', found).returning('id').execute()
    const deletion = transaction.deleteFrom('pages').where('id', 'in', found).returning('id')
    return (await deletion.executeTakeFirst()) && attached
  })
  if (files !== undefined) await removeContents(files)
  return files !== undefined
}
