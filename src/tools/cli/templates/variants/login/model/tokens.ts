import { randomUUID } from 'node:crypto'
import { database } from '../config/database.ts'
import { createSecret, hashSecret } from './secrets.ts'
import { lockUser, USER_COLUMNS, type User } from './users.ts'

/** A token without its secret. */
export interface Token {
  readonly id: string
  readonly name: string
  /** The time of its creation in ISO 8601. */
  readonly created: string
}

/** Number of tokens that a user may have. */
const MAX_TOKENS = 50

/** Returns the tokens of a user, the newest first. */
export function listTokens(userId: string): Promise<Token[]> {
  return database
    .selectFrom('api_tokens')
    .select(['id', 'name', 'created'])
    .where('user_id', '=', userId)
    .orderBy('created', 'desc')
    .execute()
}

/** Creates a token and returns its secret, which is not stored. Returns undefined if the user has too many tokens. */
export async function createToken(userId: string, name: string): Promise<string | undefined> {
  const secret = createSecret()
  const created = new Date().toISOString()
  const row = { id: randomUUID(), hash: hashSecret(secret), user_id: userId, name, created }
  return database.transaction().execute(async (transaction) => {
    await lockUser(transaction, 'id', userId)
    const tokens = await transaction
      .selectFrom('api_tokens')
      .select('id')
      .where('user_id', '=', userId)
      .execute()
    if (tokens.length >= MAX_TOKENS) return undefined
    await transaction.insertInto('api_tokens').values(row).execute()
    return secret
  })
}

/** Revokes a token of a user. Returns false if the user has no such token. */
export async function revokeToken(userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('api_tokens')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the user of a token. */
export function findTokenUser(secret: string): Promise<User | undefined> {
  const owner = database.selectFrom('api_tokens').select('user_id').where('hash', '=', hashSecret(secret))
  return database.selectFrom('users').select(USER_COLUMNS).where('id', 'in', owner).executeTakeFirst()
}
