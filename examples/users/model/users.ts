import type { Database } from './database.ts'
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
    return this.#database.query
      .selectFrom('users')
      .select(['name', 'full_name', 'email'])
      .orderBy('name')
      .execute()
  }

  /** The user of that very name (upper and lower case differ). */
  async get(name: string): Promise<User | undefined> {
    // What cannot be a name is nobody's, and need not reach a database that might choke on it.
    if (!isUserName(name)) return undefined
    return this.#database.query
      .selectFrom('users')
      .select(['name', 'full_name', 'email'])
      .where('name', '=', name)
      .executeTakeFirst()
  }

  /** Adds a user. Of several calls with one name at once, one is `done` and the others are `taken`. */
  async add(values: UserValues & { readonly password: string }): Promise<'done' | 'taken'> {
    // Only spares the work of hashing: the constraint decides.
    if ((await this.get(values.name)) !== undefined) return 'taken'
    const row = { ...shown(values), password: await hashPassword(values.password, this.#cost) }
    return this.#unlessTaken(async (): Promise<'done'> => {
      await this.#database.query.insertInto('users').values(row).execute()
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
    return this.#unlessTaken(async (): Promise<Outcome> => {
      const result = await this.#database.query
        .updateTable('users')
        .set(row)
        .where('name', '=', name)
        .executeTakeFirst()
      return result.numUpdatedRows === 0n ? 'missing' : 'done'
    })
  }

  /** Removes the user of that name. */
  async remove(name: string): Promise<'done' | 'missing'> {
    if (!isUserName(name)) return 'missing'
    const result = await this.#database.query.deleteFrom('users').where('name', '=', name).executeTakeFirst()
    return result.numDeletedRows === 0n ? 'missing' : 'done'
  }

  /** Whether that is the user's password. */
  async authenticate(name: string, password: string): Promise<boolean> {
    if (!isUserName(name)) return false
    const row = await this.#database.query
      .selectFrom('users')
      .select('password')
      .where('name', '=', name)
      .executeTakeFirst()
    return row !== undefined && (await verifyPassword(password, row.password))
  }

  /** Lets go of the database. */
  close(): Promise<void> {
    return this.#database.close()
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
