/** Tokens of users: for programs, and in links that set a password or confirm an address. Only their hashes are stored. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ExpressionBuilder, Transaction } from 'kysely'
import { hashPassword } from 'propylon/passwords'
import * as v from 'valibot'
import { database } from '../config/database.ts'
import type { Tables, TokensTable } from './tables.ts'
import { lockUser, setPassword, USER_COLUMNS, type User } from './users.ts'

export const NewToken = v.object({
  name: v.pipe(v.string(), v.trim(), v.regex(/^[^\p{Cc}]{1,64}$/u, 'must have 1 to 64 characters')),
})

/** A token for programs, without its secret. `created` is a time in ISO 8601. */
export const Token = v.object({ id: v.string(), name: v.string(), created: v.string() })

/** The number of tokens that a user may have, so that nobody can send a user many mails, and their time in milliseconds. */
const RULES = {
  api: { max: 50, time: 100 * 365 * 24 * 60 * 60 * 1000 },
  reset: { max: 3, time: 60 * 60 * 1000 },
  confirm: { max: 3, time: 7 * 24 * 60 * 60 * 1000 },
} as const satisfies Record<TokensTable['kind'], object>

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Creates a token of a user. Returns undefined if there is no such user, or if the user has enough tokens. */
export async function createToken(
  kind: TokensTable['kind'],
  owner: { readonly id: string } | { readonly email: string },
  name = '',
): Promise<{ token: string; email: string } | undefined> {
  const token = randomBytes(32).toString('base64url')
  const { max, time } = RULES[kind]
  await database.deleteFrom('tokens').where('expires', '<', Date.now()).execute()
  return database.transaction().execute(async (transaction) => {
    const user = await lockUser(transaction, owner)
    if (user === undefined) return undefined
    const same = transaction.selectFrom('tokens').select('id').where('user_id', '=', user.id)
    if ((await same.where('kind', '=', kind).execute()).length >= max) return undefined
    const times = { created: new Date().toISOString(), expires: Date.now() + time }
    const row = { id: randomUUID(), hash: hashOf(token), user_id: user.id, kind, name, ...times }
    await transaction.insertInto('tokens').values(row).execute()
    return { token, email: user.email }
  })
}

/** Returns the condition of a query for a token that is valid. */
function valid(kind: TokensTable['kind'], secret: string) {
  return (token: ExpressionBuilder<Tables, 'tokens'>) =>
    token.and({ kind, hash: hashOf(secret) }).and('expires', '>', Date.now())
}

/** Deletes a token and returns the id of its user. Of two requests with the same token one succeeds. */
async function takeToken(
  transaction: Transaction<Tables>,
  kind: TokensTable['kind'],
  secret: string,
): Promise<string | undefined> {
  const taken = transaction.deleteFrom('tokens').where(valid(kind, secret)).returning('user_id')
  return (await taken.executeTakeFirst())?.user_id
}

/** Sets the password of the user of a token, whose address is confirmed then. Returns false if the token is not valid. */
export async function resetPassword(token: string, newPassword: string, signal?: AbortSignal): Promise<boolean> {
  // Avoids hashing the password. The transaction decides.
  const known = database.selectFrom('tokens').select('id').where(valid('reset', token))
  if ((await known.executeTakeFirst()) === undefined) return false
  const password = await hashPassword(newPassword, { signal })
  return database.transaction().execute(async (transaction) => {
    const id = await takeToken(transaction, 'reset', token)
    if (id === undefined) return false
    return (await setPassword(transaction, id, { password, confirmed: 1 })) !== undefined
  })
}

/** Confirms the address of a token's user. Returns false if the token is not valid. */
export async function confirmAddress(token: string): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const id = await takeToken(transaction, 'confirm', token)
    if (id === undefined) return false
    await transaction.updateTable('users').set({ confirmed: 1 }).where('id', '=', id).execute()
    return true
  })
}

/** Returns the user of a program's token. */
export function findTokenUser(secret: string): Promise<User | undefined> {
  const owner = database.selectFrom('tokens').select('user_id').where(valid('api', secret))
  return database.selectFrom('users').select(USER_COLUMNS).where('id', 'in', owner).executeTakeFirst()
}

/** Returns the tokens of a user's programs, the newest first. */
export function listTokens(user_id: string) {
  const all = database.selectFrom('tokens').select(['id', 'name', 'created'])
  return all
    .where((token) => token.and({ user_id, kind: 'api' }))
    .orderBy('created', 'desc')
    .execute()
}

/** Revokes a token of a user's program. Returns false if the user has no such token. */
export async function revokeToken(user_id: string, id: string): Promise<boolean> {
  const token = database.deleteFrom('tokens').where((eb) => eb.and({ id, user_id, kind: 'api' }))
  return (await token.executeTakeFirst()).numDeletedRows > 0n
}
