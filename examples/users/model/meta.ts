import { openDatabase } from './database.ts'
import { Users } from './users.ts'

let opened: Promise<Users> | undefined

/**
 * Opens the users of this application, once: `DATABASE_URL`, else the file `var/users.db`.
 *
 * @throws DatabaseError when the database cannot be used; the next call tries again.
 */
export function users(): Promise<Users> {
  opened ??= open()
  return opened
}

async function open(): Promise<Users> {
  try {
    return new Users(await openDatabase(process.env.DATABASE_URL || undefined))
  } catch (error) {
    opened = undefined
    throw error
  }
}

/** Closes the database; whoever asks for the users afterwards opens it again. */
export async function disconnect(): Promise<void> {
  const closing = opened
  opened = undefined
  if (closing !== undefined) await (await closing).close()
}
