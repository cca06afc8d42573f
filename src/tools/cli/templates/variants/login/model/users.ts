/** Users, their roles and passwords. The functions that hash take the signal of the request, and stop if its client has left. */
import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'
import * as v from 'valibot'
import { database } from '../config/database.ts'
import type { Tables, UsersTable } from './tables.ts'

export const ROLES = ['member', 'admin'] as const

/** A name for what a user may do. */
export type Role = (typeof ROLES)[number]

const NAME = 'must have 2 to 32 letters, digits, dashes and underscores, and begin with a letter'
const LENGTH = 'must have 8 to 1,024 characters'

export const Email = v.pipe(
  v.string(),
  v.maxLength(254),
  v.regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, 'must be an e-mail address'),
)
export const Password = v.pipe(v.string(), v.minLength(8, LENGTH), v.maxLength(1024, LENGTH))
export const NewUser = v.object({
  name: v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9_-]{1,31}$/, NAME)),
  email: Email,
  password: Password,
})

/** A user as the rest of the application sees it. */
export type User = Readonly<Pick<UsersTable, (typeof USER_COLUMNS)[number]>>
export const USER_COLUMNS = ['id', 'name', 'email', 'confirmed', 'role', 'stamp'] as const

/** Returns the user with an id. */
export function findUser(id: string): Promise<User | undefined> {
  return database.selectFrom('users').select(USER_COLUMNS).where('id', '=', id).executeTakeFirst()
}

/** Returns the query for all users by name. */
export function selectUsers() {
  return database.selectFrom('users').select(USER_COLUMNS).orderBy('name_key')
}

/** Returns a user, and locks the row until the transaction ends: requests that count rows and insert another one wait. */
export function lockUser(
  transaction: Transaction<Tables>,
  owner: { readonly id: string } | { readonly email: string },
): Promise<User | undefined> {
  const [column, value] = 'id' in owner ? (['id', owner.id] as const) : (['email', owner.email.toLowerCase()] as const)
  // An update locks the row on SQLite, too, which has no `select … for update`.
  const update = transaction.updateTable('users').set(({ ref }) => ({ stamp: ref('stamp') }))
  return update.where(column, '=', value).returning(USER_COLUMNS).executeTakeFirst()
}

/** Gives the user of a name a role. Returns false if there is no such user, or if no administrator would be left. */
export async function setRole(name: string, role: Role): Promise<boolean> {
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
export async function createUser(
  { name, email, password }: v.InferOutput<typeof NewUser>,
  signal?: AbortSignal,
): Promise<User | 'name' | 'email'> {
  const role: Role = 'member'
  const user = { id: randomUUID(), name, email: email.toLowerCase(), confirmed: 0, role, stamp: randomUUID() }
  const hash = await hashPassword(password, { signal })
  const row = { ...user, name_key: name.toLowerCase(), password: hash }
  const insert = database.insertInto('users').values(row)
  const { numInsertedOrUpdatedRows } = await insert.onConflict((on) => on.doNothing()).executeTakeFirst()
  if (numInsertedOrUpdatedRows) return user
  const same = database.selectFrom('users').select('id').where('name_key', '=', row.name_key)
  return (await same.executeTakeFirst()) === undefined ? 'email' : 'name'
}

/** Returns the user of a name or an address, and a password. Takes as long if there is no such user. */
export async function authenticate(typed: string, password: string, signal?: AbortSignal): Promise<User | undefined> {
  const column = typed.includes('@') ? 'email' : 'name_key'
  const known = database.selectFrom('users').select([...USER_COLUMNS, 'password'])
  const row = await known.where(column, '=', typed.toLowerCase()).executeTakeFirst()
  if (!(await verifyPassword(password, row?.password, { signal })) || row === undefined) return undefined
  const { password: hash, ...user } = row
  if (needsRehash(hash)) {
    // A hash that costs too little to guess, unless the user has changed the password in the meantime.
    const update = database.updateTable('users').set({ password: await hashPassword(password, { signal }) })
    await update.where('id', '=', user.id).where('password', '=', hash).execute()
  }
  return user
}

/** Sets the password of a user who types the current one. Returns the user with a new stamp, or undefined if the password is wrong. */
export async function changePassword(
  id: string,
  current: string,
  newPassword: string,
  signal?: AbortSignal,
): Promise<User | undefined> {
  const known = database.selectFrom('users').select('password').where('id', '=', id)
  const before = (await known.executeTakeFirst())?.password
  if (!(await verifyPassword(current, before, { signal })) || before === undefined) return undefined
  const password = await hashPassword(newPassword, { signal })
  // Of two requests at the same time the second one has the wrong password.
  return database.transaction().execute((transaction) => setPassword(transaction, id, { password }, before))
}

/** Sets a password, and ends all sessions and tokens of the user. With `before` only if that is the hash of the present one. */
export async function setPassword(
  transaction: Transaction<Tables>,
  id: string,
  values: { readonly password: string; readonly confirmed?: number },
  before?: string,
): Promise<User | undefined> {
  const update = transaction
    .updateTable('users')
    .set({ ...values, stamp: randomUUID() })
    .where('id', '=', id)
  const changed = before === undefined ? update : update.where('password', '=', before)
  const user = await changed.returning(USER_COLUMNS).executeTakeFirst()
  if (user !== undefined) await transaction.deleteFrom('tokens').where('user_id', '=', id).execute()
  return user
}
