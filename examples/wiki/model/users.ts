import { randomUUID } from 'node:crypto'
import { hashPassword, needsRehash, verifyPassword } from 'propylon/passwords'
import { database } from '../config/database.ts'
import type { UsersTable } from './tables.ts'
import { rememberVerified, wasVerified } from './verified-passwords.ts'

/** A user as the rest of the application sees it. */
export type User = Pick<UsersTable, 'name' | 'role' | 'stamp'>

const COLUMNS = ['name', 'role', 'stamp'] as const

/** Returns a message for a name that is wrong. */
export function checkName(name: string): string | undefined {
  const isGood = /^[A-Za-z][A-Za-z0-9_-]{1,31}$/.test(name)
  return isGood ? undefined : 'must have 2 to 32 letters, digits, dashes and underscores, and begin with a letter'
}

/** Returns a message for a password that is wrong. */
export function checkPassword(password: string): string | undefined {
  return password.length >= 8 && password.length <= 1024 ? undefined : 'must have 8 to 1024 characters'
}

/** Returns all users by name. */
export function listUsers(): Promise<User[]> {
  return database.selectFrom('users').select(COLUMNS).orderBy('name_key').execute()
}

/** Returns the user with a name. */
export function findUser(name: string): Promise<User | undefined> {
  return database.selectFrom('users').select(COLUMNS).where('name_key', '=', name.toLowerCase()).executeTakeFirst()
}

/** Creates a user. Returns undefined if the name is taken. */
export async function createUser(
  name: string,
  password: string,
  { role = 'user', signal }: { readonly role?: string; readonly signal?: AbortSignal } = {},
): Promise<User | undefined> {
  if ((await findUser(name)) !== undefined) return undefined
  const user = { name, role, stamp: randomUUID() }
  const hash = await hashPassword(password, { signal })
  const row = { ...user, name_key: name.toLowerCase(), password: hash }
  const insertion = database.insertInto('users').values(row).returning('name')
  const inserted = await insertion.onConflict((conflict) => conflict.doNothing()).executeTakeFirst()
  return inserted && user
}

/** Returns the user of a name and a password. Takes as long if there is no such user. */
export async function authenticate(name: string, password: string, signal: AbortSignal): Promise<User | undefined> {
  const found = database.selectFrom('users').selectAll().where('name_key', '=', name.toLowerCase())
  const row = checkName(name) === undefined ? await found.executeTakeFirst() : undefined
  if (row !== undefined && wasVerified(row.password, password)) return row
  if (!(await verifyPassword(password, row?.password, { signal })) || row === undefined) return undefined
  if (needsRehash(row.password)) await replaceHash(row, await hashPassword(password, { signal }))
  else rememberVerified(row.password, password)
  return row
}

/** Replaces a hash that costs too little to guess, unless it has changed in the meantime. */
async function replaceHash(row: UsersTable, password: string): Promise<void> {
  await database
    .updateTable('users')
    .set({ password })
    .where('name_key', '=', row.name_key)
    .where('password', '=', row.password)
    .execute()
}

/** Removes a user, whose sessions end with it. Returns false if there is none. */
export async function removeUser(name: string): Promise<boolean> {
  if (checkName(name) !== undefined) return false
  const deletion = database.deleteFrom('users').where('name_key', '=', name.toLowerCase()).returning('name')
  return (await deletion.executeTakeFirst()) !== undefined
}
