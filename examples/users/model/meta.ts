import { keep } from 'propylon'
import { type Database, openDatabase } from './database.ts'
import { Users } from './users.ts'

/** The connection, which survives a reload of this module. The model does not: it is created from the current code. */
const connection = keep('database of the users', (): { opened?: Promise<Database> | undefined } => ({}))

let made: Promise<Users> | undefined

/**
 * Returns the users in the database of `DATABASE_URL`, or else in `var/users.db`. The first call opens the database.
 *
 * @throws DatabaseError - the database cannot be used. The next call tries again.
 */
export function users(): Promise<Users> {
  made ??= open()
  return made
}

async function open(): Promise<Users> {
  try {
    connection.opened ??= openDatabase(process.env.DATABASE_URL || undefined)
    return new Users(await connection.opened)
  } catch (error) {
    forget()
    throw error
  }
}

/** Closes the database. The next call of {@link users} opens it again. */
export async function disconnect(): Promise<void> {
  const { opened } = connection
  forget()
  if (opened !== undefined) await (await opened).close()
}

function forget(): void {
  made = undefined
  connection.opened = undefined
}
