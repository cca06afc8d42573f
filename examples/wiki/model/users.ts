import { randomUUID } from 'node:crypto'
import { database } from '../config/database.ts'
import { hashPassword, verifyPassword } from './password.ts'

/** A user as the rest of the application sees it. */
export interface User {
  readonly name: string
  readonly role: string
  /** Ends the sessions of a user who was removed, even if somebody registers with the same name. */
  readonly stamp: string
}

const COLUMNS = ['name', 'role', 'stamp'] as const

const keyOf = (name: string) => name.toLowerCase()

/** Returns a message for a name that is wrong. */
export function checkName(name: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9_-]{1,31}$/.test(name)
    ? undefined
    : 'must have 2 to 32 letters, digits, dashes and underscores, and begin with a letter'
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
  return database.selectFrom('users').select(COLUMNS).where('name_key', '=', keyOf(name)).executeTakeFirst()
}

/** Creates a user. Returns undefined if the name is taken. */
export async function createUser(name: string, password: string, role = 'user'): Promise<User | undefined> {
  if ((await findUser(name)) !== undefined) return undefined
  const user = { name, role, stamp: randomUUID() }
  const { numInsertedOrUpdatedRows: count = 0n } = await database
    .insertInto('users')
    .values({ ...user, name_key: keyOf(name), password: await hashPassword(password) })
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .executeTakeFirst()
  return count > 0n ? user : undefined
}

/** Returns the user of a name and a password. Takes as long if there is no such user. */
export async function authenticate(name: string, password: string): Promise<User | undefined> {
  const row = checkName(name) === undefined ? await findRow(name) : undefined
  if (!(await verifyPassword(password, row?.password)) || row === undefined) return undefined
  const { password: _, ...user } = row
  return user
}

function findRow(name: string) {
  return database
    .selectFrom('users')
    .select([...COLUMNS, 'password'])
    .where('name_key', '=', keyOf(name))
    .executeTakeFirst()
}

/** Removes a user, whose sessions end with it. Returns false if there is none. */
export async function removeUser(name: string): Promise<boolean> {
  if (checkName(name) !== undefined) return false
  const { numDeletedRows } = await database
    .deleteFrom('users')
    .where('name_key', '=', keyOf(name))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
