import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'
import { database } from '../config/database.ts'
import { createSecret, hashSecret } from './secrets.ts'
import type { Tables } from './tables.ts'

const ROLES = ['member', 'admin'] as const

/** A name for what a user may do. */
export type Role = (typeof ROLES)[number]

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** A user as the rest of the application sees it. */
export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
  /** Changes with the password. */
  readonly stamp: string
}

/** The fields of a new user. */
export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Time for which a reset token is valid, in milliseconds. */
const RESET_TIME = 60 * 60 * 1000

/** The columns of a {@link User}. */
export const USER_COLUMNS = ['id', 'name', 'email', 'role', 'stamp'] as const

/** Returns the user with an id. */
export function findUser(id: string): Promise<User | undefined> {
  return database.selectFrom('users').select(USER_COLUMNS).where('id', '=', id).executeTakeFirst()
}

/** Returns the query for all users by name. */
export function selectUsers() {
  return database.selectFrom('users').select(USER_COLUMNS).orderBy('name_key')
}

/**
 * Returns the user of an id or an address, and locks the row until the transaction ends. Lock the user before you count
 * rows and insert another, or concurrent requests all count the same.
 */
export function lockUser(
  transaction: Transaction<Tables>,
  column: 'id' | 'email',
  value: string,
): Promise<User | undefined> {
  // An update locks the row on SQLite, too, which has no `select … for update`.
  return transaction
    .updateTable('users')
    .set(({ ref }) => ({ stamp: ref('stamp') }))
    .where(column, '=', value)
    .returning(USER_COLUMNS)
    .executeTakeFirst()
}

/** Gives the user of a name a role. Returns false if there is no such user, or if no administrator would be left. */
export async function setRole(name: string, role: Role): Promise<boolean> {
  const key = name.toLowerCase()
  return database.transaction().execute(async (transaction) => {
    // Locks all administrators: two of them may take the role from each other at the same time.
    const admins = await transaction
      .updateTable('users')
      .set({ role: 'admin' })
      .where('role', '=', 'admin')
      .returning('name_key')
      .execute()
    if (role !== 'admin' && admins.length === 1 && admins[0]?.name_key === key) return false
    const { numUpdatedRows } = await transaction
      .updateTable('users')
      .set({ role })
      .where('name_key', '=', key)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  })
}

/**
 * Creates a user. Returns the field whose value another user has already, if there is one.
 *
 * @param signal - of the request, here and below. Nothing is hashed or changed for a client that has left.
 */
export async function createUser(
  { name, email, password }: NewUser,
  signal?: AbortSignal,
): Promise<User | 'name' | 'email'> {
  const role: Role = 'member'
  const user = { id: randomUUID(), name, email: email.toLowerCase(), role, stamp: randomUUID() }
  const hash = await hashPassword(password, { signal })
  const row = { ...user, name_key: name.toLowerCase(), password: hash }
  const { numInsertedOrUpdatedRows: count = 0n } = await database
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (count > 0n) return user
  const same = await database
    .selectFrom('users')
    .select('id')
    .where('name_key', '=', row.name_key)
    .executeTakeFirst()
  return same === undefined ? 'email' : 'name'
}

/** Returns the user of a name and a password. Takes as long if there is no such user. */
export async function authenticate(
  name: string,
  password: string,
  signal?: AbortSignal,
): Promise<User | undefined> {
  const row = await database
    .selectFrom('users')
    .select([...USER_COLUMNS, 'password'])
    .where('name_key', '=', name.toLowerCase())
    .executeTakeFirst()
  if (!(await verifyPassword(password, row?.password, { signal })) || row === undefined) return undefined
  const { password: hash, ...user } = row
  if (needsRehash(hash)) await replaceHash(user.id, hash, await hashPassword(password, { signal }))
  return user
}

/** Replaces a hash that costs too little to guess, unless the user has changed the password in the meantime. */
async function replaceHash(id: string, before: string, password: string): Promise<void> {
  await database
    .updateTable('users')
    .set({ password })
    .where('id', '=', id)
    .where('password', '=', before)
    .execute()
}

/**
 * Sets the password of a user who types the current one, and ends all sessions, reset tokens and API tokens of the user.
 * Returns the user with a new stamp, for the session that goes on, or undefined if the current password is wrong.
 */
export async function changePassword(
  id: string,
  current: string,
  newPassword: string,
  signal?: AbortSignal,
): Promise<User | undefined> {
  const row = await database
    .selectFrom('users')
    .select([...USER_COLUMNS, 'password'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!(await verifyPassword(current, row?.password, { signal })) || row === undefined) return undefined
  const { password: before, ...user } = row
  const [password, stamp] = [await hashPassword(newPassword, { signal }), randomUUID()]
  return database.transaction().execute(async (transaction) => {
    // Two requests at the same time: the second one has the wrong password.
    const { numUpdatedRows } = await transaction
      .updateTable('users')
      .set({ password, stamp })
      .where('id', '=', id)
      .where('password', '=', before)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return undefined
    await deleteTokens(transaction, id)
    return { ...user, stamp }
  })
}

/** A token with which a user can set a new password. */
export interface ResetToken {
  readonly token: string
  /** The stored address of the user. An address that was typed may equal it in lower case and be another mailbox. */
  readonly email: string
}

/** Number of valid tokens of a user, so that nobody can send a user many mails. */
const MAX_TOKENS = 3

/** Creates a token for the user of an address. Returns undefined if there is no such user, or if the user has enough tokens. */
export async function createResetToken(address: string): Promise<ResetToken | undefined> {
  const token = createSecret()
  await database.deleteFrom('reset_tokens').where('expires', '<', Date.now()).execute()
  return database.transaction().execute(async (transaction) => {
    const user = await lockUser(transaction, 'email', address.toLowerCase())
    if (user === undefined) return undefined
    const tokens = await transaction
      .selectFrom('reset_tokens')
      .select('hash')
      .where('user_id', '=', user.id)
      .execute()
    if (tokens.length >= MAX_TOKENS) return undefined
    const row = { hash: hashSecret(token), user_id: user.id, expires: Date.now() + RESET_TIME }
    await transaction.insertInto('reset_tokens').values(row).execute()
    return { token, email: user.email }
  })
}

/**
 * Sets the password of a reset token's user, ends all sessions, reset tokens and API tokens of the user, and returns true if the
 * token is valid.
 */
export async function resetPassword(
  token: string,
  newPassword: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const hash = hashSecret(token)
  const known = await database
    .selectFrom('reset_tokens')
    .select('hash')
    .where('hash', '=', hash)
    .where('expires', '>', Date.now())
    .executeTakeFirst()
  // Avoids hashing the password. The transaction decides.
  if (known === undefined) return false
  const password = await hashPassword(newPassword, { signal })
  return database.transaction().execute(async (transaction) => {
    // Deleting it is the check, so only one of two requests with the same token succeeds.
    const used = await transaction
      .deleteFrom('reset_tokens')
      .where('hash', '=', hash)
      .where('expires', '>', Date.now())
      .returning('user_id')
      .executeTakeFirst()
    if (used === undefined) return false
    await deleteTokens(transaction, used.user_id)
    await transaction
      .updateTable('users')
      .set({ password, stamp: randomUUID() })
      .where('id', '=', used.user_id)
      .execute()
    return true
  })
}

/** Deletes the reset tokens and API tokens of a user, whose password changes. */
async function deleteTokens(transaction: Transaction<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('reset_tokens').where('user_id', '=', id).execute()
  await transaction.deleteFrom('api_tokens').where('user_id', '=', id).execute()
}
