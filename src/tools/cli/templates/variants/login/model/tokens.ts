/** Tokens of users: for programs, and in links that set a password or confirm an address. Only their hashes are stored. */
import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import { hashPassword } from 'propylon/passwords'
import { database } from '../config/database.ts'
import type { Tables, TokensTable } from './tables.ts'
import { type Change, lockUser, type Owner, setPassword, USER_COLUMNS, type User } from './users.ts'

type Kind = TokensTable['kind']

/** Number of tokens that a user may have, which limits the mails too, and their time in milliseconds. */
const RULES = {
  api: { max: 50, time: 100 * 365 * 24 * 60 * 60 * 1000 },
  reset: { max: 3, time: 60 * 60 * 1000 },
  confirm: { max: 3, time: 7 * 24 * 60 * 60 * 1000 },
} as const

/** Creates a token of a user. Returns undefined if there is no such user, or if the user has enough tokens. */
export async function createToken(kind: Kind, owner: Owner, name = '') {
  const token = randomBytes(32).toString('base64url')
  const { max, time } = RULES[kind]
  await database.deleteFrom('tokens').where('expires', '<', Date.now()).execute()
  return database.transaction().execute(async (transaction) => {
    const user = await lockUser(transaction, owner)
    if (user === undefined) return undefined
    const own = { user_id: user.id, kind }
    const same = transaction.selectFrom('tokens').where((each) => each.and(own))
    if ((await same.select('id').execute()).length >= max) return undefined
    const times = { created: new Date().toISOString(), expires: Date.now() + time }
    const row = { ...own, ...times, id: randomUUID(), hash: hash('sha256', token), name }
    await transaction.insertInto('tokens').values(row).execute()
    return { token, email: user.email }
  })
}

/** Returns the condition of a query for a token that is valid. */
function valid(kind: Kind, secret: string) {
  return (token: ExpressionBuilder<Tables, 'tokens'>) =>
    token.and({ kind, hash: hash('sha256', secret) }).and('expires', '>', Date.now())
}

/** Deletes a token, and changes its user. Returns false if it is not valid: of two requests with the same token one succeeds. */
function redeem(kind: Kind, secret: string, change: (db: Change, id: string) => Promise<unknown>) {
  return database.transaction().execute(async (transaction) => {
    const taken = transaction.deleteFrom('tokens').where(valid(kind, secret)).returning('user_id')
    const id = (await taken.executeTakeFirst())?.user_id
    if (id === undefined) return false
    await change(transaction, id)
    return true
  })
}

/** Sets the password of the user of a token, whose address is confirmed then. Returns false if the token is not valid. */
export async function resetPassword(token: string, newPassword: string, signal?: AbortSignal): Promise<boolean> {
  const password = await hashPassword(newPassword, { signal })
  return redeem('reset', token, (db, id) => setPassword(db, { id }, { password, confirmed: 1 }))
}

/** Confirms the address of a token's user. Returns false if the token is not valid. */
export function confirmAddress(token: string): Promise<boolean> {
  return redeem('confirm', token, (db, id) =>
    db.updateTable('users').set({ confirmed: 1 }).where('id', '=', id).execute(),
  )
}

/** Returns the user of a program's token. */
export function findTokenUser(secret: string): Promise<User | undefined> {
  const owner = database.selectFrom('tokens').select('user_id').where(valid('api', secret))
  return database.selectFrom('users').select(USER_COLUMNS).where('id', 'in', owner).executeTakeFirst()
}

/** Returns the tokens of a user's programs, the newest first. */
export function listTokens(user_id: string) {
  const own = database.selectFrom('tokens').where((token) => token.and({ user_id, kind: 'api' }))
  return own.select(['id', 'name', 'created']).orderBy('created', 'desc').execute()
}

/** Revokes a token of a user's program. Returns false if the user has no such token. */
export async function revokeToken(user_id: string, id: string): Promise<boolean> {
  const token = database.deleteFrom('tokens').where((each) => each.and({ id, user_id, kind: 'api' }))
  return (await token.executeTakeFirst()).numDeletedRows > 0n
}
