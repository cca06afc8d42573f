import { type Selectable, sql } from 'kysely'
import { abort } from 'propylon'
import { invalid } from 'propylon/decorators'
import { hashPassword, verifyPassword } from 'propylon/passwords'
import type * as v from 'valibot'
import type { Tables } from '../migrations/tables.ts'
import { database } from './database.ts'
import type { Login, NewUser, UserChanges } from './schemas.ts'

export type User = Selectable<Tables['users']>

export function findUser(id: number): Promise<User | undefined> {
  return database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function signIn({ user: { email, password } }: v.InferOutput<typeof Login>) {
  const user = await database.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
  return user !== undefined && (await verifyPassword(password, user.password)) ? user : undefined
}

export async function addUser({ user }: v.InferOutput<typeof NewUser>): Promise<User> {
  await requireFree(user, 0)
  const values = { ...user, password: await hashPassword(user.password) }
  return database.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function changeUser(id: number, { user }: v.InferOutput<typeof UserChanges>): Promise<User> {
  await requireFree(user, id)
  const password = user.password && (await hashPassword(user.password))
  const query = database
    .updateTable('users')
    .set({ ...user, password, id })
    .where('id', '=', id)
  return query.returningAll().executeTakeFirstOrThrow()
}

/** Refuses a name and an address that another user has. */
async function requireFree(
  wanted: { username?: string | undefined; email?: string | undefined },
  own: number,
): Promise<void> {
  for (const field of ['username', 'email'] as const) {
    const value = wanted[field]
    if (value === undefined) continue
    const query = database.selectFrom('users').select('id').where(field, '=', value).where('id', '!=', own)
    if ((await query.executeTakeFirst()) !== undefined) invalid({ [field]: 'has already been taken' })
  }
}

/** Selects whether a viewer follows a user. */
export const followedBy = (viewer: number) =>
  sql<number>`users.id in (select followed_id from follows where follower_id = ${viewer})`.as('following')

export async function findProfile(username: string, viewer: number) {
  const query = database
    .selectFrom('users')
    .select(['id', 'username', 'bio', 'image'])
    .select(followedBy(viewer))
    .where('username', '=', username)
  const { following, ...profile } = (await query.executeTakeFirst()) ?? abort(404, `There is no user ${username}.`)
  return { ...profile, following: following === 1 }
}

export async function setFollowing(follower: number, followed: number, isFollowing: boolean): Promise<void> {
  const statement = isFollowing
    ? sql`insert or ignore into follows (follower_id, followed_id) values (${follower}, ${followed})`
    : sql`delete from follows where follower_id = ${follower} and followed_id = ${followed}`
  await statement.execute(database)
}
