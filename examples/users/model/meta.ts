import { keep } from 'propylon'
import { type Database, openDatabase } from './database.ts'
import { Users } from './users.ts'

/** The connection outlives a reload of this module; the model made on it is always that of the present code. */
const connection = keep('database of the users', (): { opened?: Promise<Database> | undefined } => ({}))

let made: Promise<Users> | undefined

/**
 * Opens the users of this application, once: `DATABASE_URL`, else the file `var/users.db`.
 *
 * @throws DatabaseError when the database cannot be used; the next call tries again.
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

/** Closes the database; whoever asks for the users afterwards opens it again. */
export async function disconnect(): Promise<void> {
  const { opened } = connection
  forget()
  if (opened !== undefined) await (await opened).close()
}

function forget(): void {
  made = undefined
  connection.opened = undefined
}
