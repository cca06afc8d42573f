import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { database } from '../config/database.ts'
import { settings } from '../config/settings.ts'
import type { Page } from './pages.ts'
import type { FilesTable } from './tables.ts'

/** A file that is attached to a page. */
export type AttachedFile = FilesTable

/** Age from which a file in `UPLOADS` without a row is no upload in progress, in milliseconds. Uploads that pause end sooner. */
const ORPHAN_AGE = 10 * 60 * 1000

/** Returns a message for a file name that is wrong. */
export function checkFileName(name: string): string | undefined {
  if (['', '.', '..'].includes(name)) return 'The file needs a name.'
  if (Buffer.byteLength(name) > 255) return 'The name of the file must have 255 bytes or less.'
  return /[/\\\p{Cc}\p{Cs}]/u.test(name)
    ? 'The name of the file must not contain slashes and control characters.'
    : undefined
}

/** Returns the path of the content. */
export function pathOf({ id }: { id: string }): string {
  return join(settings.UPLOADS, id)
}

/** Returns the files of a page by name. */
export function filesOf(page: Page): Promise<AttachedFile[]> {
  return database.selectFrom('files').selectAll().where('page_id', '=', page.id).orderBy('name').execute()
}

/** Returns a file of a page. */
export async function findFile(page: Page, name: string): Promise<AttachedFile | undefined> {
  if (checkFileName(name) !== undefined) return undefined
  return database
    .selectFrom('files')
    .selectAll()
    .where('page_id', '=', page.id)
    .where('name', '=', name)
    .executeTakeFirst()
}

/**
 * Stores a file: first the content, then the row.
 *
 * @param save - writes the content to a path.
 * @returns undefined if the page has a file of that name, or has been deleted.
 */
export async function addFile(
  page: Page,
  { name, type, author }: Pick<AttachedFile, 'name' | 'type' | 'author'>,
  save: (path: string) => Promise<void>,
): Promise<AttachedFile | undefined> {
  const id = randomUUID()
  const path = pathOf({ id })
  try {
    await save(path)
    const { size } = await stat(path)
    const file = { id, page_id: page.id, name, size, type, author }
    if (await insert(file)) return file
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  await rm(path, { force: true })
  return undefined
}

/** Returns false if there is a file of that name, or the page has been deleted. */
async function insert(file: AttachedFile): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count = 0n } = await database
    .insertInto('files')
    .columns(['id', 'page_id', 'name', 'size', 'type', 'author'])
    .expression(({ selectFrom, val }) =>
      selectFrom('pages')
        .select([val(file.id).as('id'), 'pages.id as page_id', val(file.name).as('name')])
        .select([val(file.size).as('size'), val(file.type).as('type'), val(file.author).as('author')])
        .where('pages.id', '=', file.page_id),
    )
    .onConflict((conflict) => conflict.columns(['page_id', 'name']).doNothing())
    .executeTakeFirst()
  return count > 0n
}

/** Removes a file: first the row, then the content. */
export async function removeFile(file: AttachedFile): Promise<void> {
  await database.deleteFrom('files').where('id', '=', file.id).execute()
  await removeContents([file])
}

/** Removes the content of files whose rows are gone. */
export async function removeContents(files: readonly { id: string }[]): Promise<void> {
  await Promise.all(files.map((file) => rm(pathOf(file), { force: true })))
}

/** Creates the directory, and removes what a process that was killed has left there. */
export async function prepareUploads(): Promise<void> {
  await mkdir(settings.UPLOADS, { recursive: true })
  const rows = await database.selectFrom('files').select('id').execute()
  const known = new Set(rows.map(({ id }) => id))
  for (const name of await readdir(settings.UPLOADS)) {
    if (known.has(name) || !/^(?:\.upload-|[\da-f-]{36}$)/.test(name)) continue
    const path = join(settings.UPLOADS, name)
    const file = await stat(path).catch(() => undefined)
    if (file?.isFile() && file.mtimeMs < Date.now() - ORPHAN_AGE) await rm(path, { force: true })
  }
}
