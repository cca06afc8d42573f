import { HTTPServiceUnavailable } from 'propylon'
import type { Database } from './database.ts'
import { whileLocked } from './lock.ts'
import { COST, type Cost, hashPassword, verifyPassword } from './password.ts'
import { isUserName } from './user.ts'

/** A user as anyone may see it. */
export interface User {
  readonly name: string
  readonly full_name: string
  readonly email: string
}

/** A user as the form gives it; an update without a password keeps the old one. */
export interface UserValues extends User {
  readonly password?: string | undefined
}

/** What came of a change. */
export type Outcome = 'done' | 'missing' | 'taken'

/** The users of this site. Passwords go in and never come out. */
export class Users {
  readonly #database: Database
  readonly #cost: Cost

  /** @param cost - what hashing a password costs. */
  constructor(database: Database, cost: Cost = COST) {
    this.#database = database
    this.#cost = cost
  }

  /** All users, in the order of their names. */
  all(): Promise<User[]> {
    const query = this.#database.query
      .selectFrom('users')
      .select(['name', 'full_name', 'email'])
      .orderBy('name')
    return this.#run(() => query.execute())
  }

  /** The user of that very name (upper and lower case differ). */
  async get(name: string): Promise<User | undefined> {
    // What cannot be a name is nobody's, and need not reach a database that might choke on it.
    if (!isUserName(name)) return undefined
    const query = this.#database.query
      .selectFrom('users')
      .select(['name', 'full_name', 'email'])
      .where('name', '=', name)
    return this.#run(() => query.executeTakeFirst())
  }

  /** Adds a user. Of several calls with one name at once, one is `done` and the others are `taken`. */
  async add(values: UserValues & { readonly password: string }): Promise<'done' | 'taken'> {
    // Only spares the work of hashing: the constraint decides.
    if ((await this.get(values.name)) !== undefined) return 'taken'
    const row = { ...shown(values), password: await hashPassword(values.password, this.#cost) }
    const query = this.#database.query.insertInto('users').values(row)
    return this.#unlessTaken(async (): Promise<'done'> => {
      await this.#run(() => query.execute())
      return 'done'
    })
  }

  /** Changes the user of that name to these values, which may carry a new name. */
  async change(name: string, values: UserValues): Promise<Outcome> {
    if ((await this.get(name)) === undefined) return 'missing'
    if (values.name !== name && (await this.get(values.name)) !== undefined) return 'taken'
    const row = values.password
      ? { ...shown(values), password: await hashPassword(values.password, this.#cost) }
      : shown(values)
    const query = this.#database.query.updateTable('users').set(row).where('name', '=', name)
    return this.#unlessTaken(async (): Promise<Outcome> => {
      const result = await this.#run(() => query.executeTakeFirst())
      return result.numUpdatedRows === 0n ? 'missing' : 'done'
    })
  }

  /** Removes the user of that name. */
  async remove(name: string): Promise<'done' | 'missing'> {
    if (!isUserName(name)) return 'missing'
    const query = this.#database.query.deleteFrom('users').where('name', '=', name)
    const result = await this.#run(() => query.executeTakeFirst())
    return result.numDeletedRows === 0n ? 'missing' : 'done'
  }

  /** Whether that is the user's password. */
  async authenticate(name: string, password: string): Promise<boolean> {
    if (!isUserName(name)) return false
    const query = this.#database.query.selectFrom('users').select('password').where('name', '=', name)
    const row = await this.#run(() => query.executeTakeFirst())
    return row !== undefined && (await verifyPassword(password, row.password))
  }

  /** Lets go of the database. */
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
