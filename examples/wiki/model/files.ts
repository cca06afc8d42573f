import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { database } from '../config/database.ts'
import { settings } from '../config/settings.ts'
import type { Page } from './pages.ts'
import type { FilesTable } from './tables.ts'

/** A file that is attached to a page. */
export type AttachedFile = FilesTable

/** Age from which a file without a row is no upload in progress, in milliseconds. Uploads that pause end sooner. */
const ORPHAN_AGE = 10 * 60 * 1000

/** Returns a message for a file name that is wrong. */
export function checkFileName(name: string): string | undefined {
  if (['', '.', '..'].includes(name)) return 'The file needs a name.'
  if (Buffer.byteLength(name) > 255) return 'The name of the file must have 255 bytes or less.'
  return /[/\\\p{Cc}\p{Cs}]/u.test(name) ? 'The name of the file has slashes or control characters.' : undefined
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
  const files = database.selectFrom('files').selectAll().where('page_id', '=', page.id)
  return files.where('name', '=', name).executeTakeFirst()
}

/**
 * Stores a file: first the content, then the row. If anything fails, nothing is left.
 *
 * @param save - writes the content to a path.
 * @returns undefined if the page has a file of that name.
 */
export async function addFile(
  { id: page_id }: Page,
  fields: Pick<AttachedFile, 'name' | 'type' | 'author'>,
  save: (path: string) => Promise<void>,
): Promise<AttachedFile | undefined> {
  const id = randomUUID()
  const path = pathOf({ id })
  let isStored = false
  try {
    await save(path)
    const file = { id, page_id, size: (await stat(path)).size, ...fields }
    const insertion = database.insertInto('files').values(file).returning('id')
    const inserted = await insertion.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()
    isStored = inserted !== undefined
    return inserted && file
  } finally {
    if (!isStored) await rm(path, { force: true })
  }
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
  const known = new Set((await database.selectFrom('files').select('id').execute()).map(({ id }) => id))
  for (const name of await readdir(settings.UPLOADS)) {
    if (known.has(name) || !/^(?:\.upload-|[\da-f-]{36}$)/.test(name)) continue
    const path = join(settings.UPLOADS, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - ORPHAN_AGE) await rm(path, { force: true })
  }
}
