/** Users, their roles and passwords. A function that hashes stops when the signal of the request says that its client has left. */
import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'
import * as v from 'valibot'
import { database } from '../config/database.ts'
import type { Tables, UsersTable } from './tables.ts'

const NAME = 'must have 2 to 32 letters, digits, dashes and underscores, and begin with a letter'
const LENGTH = 'must have 8 to 1,024 characters'
const ADDRESS = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u

export const Email = v.pipe(v.string(), v.regex(ADDRESS, 'must be an e-mail address'), v.toLowerCase())
export const Password = v.pipe(v.string(), v.minLength(8, LENGTH), v.maxLength(1024, LENGTH))
export const NewUser = v.object({
  name: v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9_-]{1,31}$/, NAME)),
  email: Email,
  password: Password,
})
export const ROLES = ['member', 'admin'] as const
export const USER_COLUMNS = ['id', 'name', 'email', 'confirmed', 'role', 'stamp'] as const

export type Change = Transaction<Tables>
export type Role = (typeof ROLES)[number]
/** A user as the rest of the application sees it. */
export type User = Readonly<Pick<UsersTable, (typeof USER_COLUMNS)[number]>>
/** A user to find, by the id or by the address in lower case. */
export type Owner = { readonly id: string } | { readonly email: string }

export function findUser(id: string): Promise<User | undefined> {
  return database.selectFrom('users').select(USER_COLUMNS).where('id', '=', id).executeTakeFirst()
}

/** Returns the query for all users by name. */
export function selectUsers() {
  return database.selectFrom('users').select(USER_COLUMNS).orderBy('name_key')
}

/** Returns a user, and locks the row until the transaction ends: requests that count rows and insert another one wait. */
export function lockUser(transaction: Change, owner: Owner): Promise<User | undefined> {
  // An update locks the row on SQLite, too, which has no `select … for update`.
  const update = transaction.updateTable('users').set(({ ref }) => ({ stamp: ref('stamp') }))
  const known = 'id' in owner ? update.where('id', '=', owner.id) : update.where('email', '=', owner.email)
  return known.returning(USER_COLUMNS).executeTakeFirst()
}

/** Gives the user of a name a role. Returns false if there is no such user, or if no administrator would be left. */
export function setRole(name: string, role: Role): Promise<boolean> {
  const key = name.toLowerCase()
  return database.transaction().execute(async (transaction) => {
    // Locks all administrators: two of them may take the role from each other at the same time.
    const lock = transaction.updateTable('users').set({ role: 'admin' }).where('role', '=', 'admin')
    const admins = await lock.returning('name_key').execute()
    if (role !== 'admin' && admins.length === 1 && admins[0]?.name_key === key) return false
    const change = transaction.updateTable('users').set({ role }).where('name_key', '=', key)
    return (await change.executeTakeFirst()).numUpdatedRows > 0n
  })
}

/** Creates a user. Returns the field whose value another user has already, if there is one. */
export async function createUser({ name, email, password }: v.InferOutput<typeof NewUser>, signal?: AbortSignal) {
  const user: User = { id: randomUUID(), name, email, confirmed: 0, role: 'member', stamp: randomUUID() }
  const row = { ...user, name_key: name.toLowerCase(), password: await hashPassword(password, { signal }) }
  const insert = database.insertInto('users').onConflict((on) => on.doNothing())
  if ((await insert.values(row).executeTakeFirst()).numInsertedOrUpdatedRows) return user
  const same = database.selectFrom('users').select('id').where('name_key', '=', row.name_key)
  return (await same.executeTakeFirst()) === undefined ? 'email' : 'name'
}

/** Returns the user of a name or an address, and a password. Takes as long if there is no such user. */
export async function authenticate(typed: string, password: string, signal?: AbortSignal): Promise<User | undefined> {
  const known = database.selectFrom('users').select([...USER_COLUMNS, 'password'])
  const row = await known.where(typed.includes('@') ? 'email' : 'name_key', '=', typed.toLowerCase()).executeTakeFirst()
  if (!(await verifyPassword(password, row?.password, { signal })) || row === undefined) return undefined
  const { password: hash, ...user } = row
  if (needsRehash(hash)) {
    // A hash that costs too little to guess, unless the user has changed the password in the meantime.
    const update = database.updateTable('users').set({ password: await hashPassword(password, { signal }) })
    await update.where((each) => each.and({ id: user.id, password: hash })).execute()
  }
  return user
}

/** Sets the password of a user who types the current one. Returns the user with a new stamp, or undefined if it is wrong. */
export async function changePassword(name: string, current: string, newPassword: string, signal?: AbortSignal) {
  const user = await authenticate(name, current, signal)
  if (user === undefined) return undefined
  const password = await hashPassword(newPassword, { signal })
  const { id, stamp } = user
  return database.transaction().execute((db) => setPassword(db, { id, stamp }, { password }))
}

/** Sets a password, and ends all sessions and tokens of the user. Of two requests with the same stamp one succeeds. */
export async function setPassword(db: Change, owner: { id: string; stamp?: string }, values: Partial<UsersTable>) {
  const update = db.updateTable('users').where((user) => user.and(owner))
  const changed = update.set({ ...values, stamp: randomUUID() }).returning(USER_COLUMNS)
  const user = await changed.executeTakeFirst()
  if (user !== undefined) await db.deleteFrom('tokens').where('user_id', '=', user.id).execute()
  return user
}
