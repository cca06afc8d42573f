import { HTTPServiceUnavailable } from 'propylon'
import { hashPassword, verifyPassword } from 'propylon/passwords'
import type { Database } from './database.ts'
import { whileLocked } from './lock.ts'
import { isUserName } from './user.ts'

/** Public data of a user. */
export interface User {
  readonly name: string
  readonly full_name: string
  readonly email: string
}

/** Values of the form of a user. An update without a password keeps the old one. */
export interface UserValues extends User {
  readonly password?: string | undefined
}

/** Result of a change: `taken` if another user has the name, `missing` if the user does not exist. */
export type Outcome = 'done' | 'missing' | 'taken'

/** Stores users. Passwords are stored as hashes and never returned. */
export class Users {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns all users, sorted by name. */
  all(): Promise<User[]> {
    const query = this.#database.query.selectFrom('users').select(['name', 'full_name', 'email']).orderBy('name')
    return this.#run(() => query.execute())
  }

  /** Returns the user with a name. Names are case-sensitive. */
  async get(name: string): Promise<User | undefined> {
    // An invalid name has no user. PostgreSQL throws for some, such as those with NUL.
    if (!isUserName(name)) return undefined
    const query = this.#database.query
      .selectFrom('users')
      .select(['name', 'full_name', 'email'])
      .where('name', '=', name)
    return this.#run(() => query.executeTakeFirst())
  }

  /**
   * Adds a user. Returns `taken` if the name exists, also for all but one of several concurrent calls.
   *
   * @param signal - of the request. Nothing is added for a client that leaves while its password waits to be hashed.
   */
  async add(values: UserValues & { readonly password: string }, signal?: AbortSignal): Promise<'done' | 'taken'> {
    // Avoids hashing the password. The unique constraint prevents duplicates.
    if ((await this.get(values.name)) !== undefined) return 'taken'
    const row = { ...shown(values), password: await hashPassword(values.password, { signal }) }
    const query = this.#database.query.insertInto('users').values(row)
    return this.#unlessTaken(async (): Promise<'done'> => {
      await this.#run(() => query.execute())
      return 'done'
    })
  }

  /**
   * Changes a user. The values may contain a new name.
   *
   * @param signal - of the request. Nothing is changed for a client that leaves while its password waits to be hashed.
   */
  async change(name: string, values: UserValues, signal?: AbortSignal): Promise<Outcome> {
    if ((await this.get(name)) === undefined) return 'missing'
    if (values.name !== name && (await this.get(values.name)) !== undefined) return 'taken'
    const row = values.password
      ? { ...shown(values), password: await hashPassword(values.password, { signal }) }
      : shown(values)
    const query = this.#database.query.updateTable('users').set(row).where('name', '=', name)
    return this.#unlessTaken(async (): Promise<Outcome> => {
      const result = await this.#run(() => query.executeTakeFirst())
      return result.numUpdatedRows === 0n ? 'missing' : 'done'
    })
  }

  /** Removes a user. */
  async remove(name: string): Promise<'done' | 'missing'> {
    if (!isUserName(name)) return 'missing'
    const query = this.#database.query.deleteFrom('users').where('name', '=', name)
    const result = await this.#run(() => query.executeTakeFirst())
    return result.numDeletedRows === 0n ? 'missing' : 'done'
  }

  /** Returns true if the password is the user's. */
  async authenticate(name: string, password: string, signal?: AbortSignal): Promise<boolean> {
    if (!isUserName(name)) return false
    const query = this.#database.query.selectFrom('users').select('password').where('name', '=', name)
    const row = await this.#run(() => query.executeTakeFirst())
    return row !== undefined && (await verifyPassword(password, row.password, { signal }))
  }

  /** Closes the database. */
  close(): Promise<void> {
    return this.#database.close()
  }

  /**
   * Runs a statement.
   *
   * @throws HTTPServiceUnavailable - if the database does not respond in time.
   */
  async #run<T>(statement: () => Promise<T>): Promise<T> {
    try {
      return await whileLocked(statement)
    } catch (error) {
      if (!this.#database.isUnavailable(error)) throw error
      console.error('The database does not respond:', error instanceof Error ? error.message : error)
      const headers = { 'Retry-After': '5' }
      throw new HTTPServiceUnavailable('The database does not respond.', headers, { cause: error })
    }
  }

  async #unlessTaken<T>(write: () => Promise<T>): Promise<T | 'taken'> {
    try {
      return await write()
    } catch (error) {
      if (this.#database.isDuplicate(error)) return 'taken'
      throw error
    }
  }
}

function shown({ name, full_name, email }: User): User {
  return { name, full_name, email }
}
