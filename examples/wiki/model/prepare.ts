import { migrator } from '../config/migrator.ts'
import { settings } from '../config/settings.ts'
import { listenForChanges } from './changes.ts'
import { prepareUploads } from './files.ts'
import { createUser } from './users.ts'

/**
 * Prepares what the wiki needs before it serves: tables, the directory of files, the admin, and news of other processes.
 *
 * @returns a function that ends it.
 */
export async function prepare(): Promise<() => void> {
  await named('DATABASE_URL', migrate)
  await named('UPLOADS', prepareUploads)
  if (settings.ADMIN_PASSWORD !== undefined) await createUser('admin', settings.ADMIN_PASSWORD, 'admin')
  return named('REDIS_URL', listenForChanges)
}

async function migrate(): Promise<void> {
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

/** Names the setting to look at in the message of an error. */
async function named<T>(setting: string, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare()
  } catch (cause) {
    throw new Error(`${setting} cannot be used: ${reason(cause)}`, { cause })
  }
}

/** Returns the message of an error in one line. A refused connection has one for each address. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reason).join('; ')
  return String(error instanceof Error ? error.message : error).replace(/\s+/g, ' ')
}
