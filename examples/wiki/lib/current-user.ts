import type { Request, Session } from 'propylon'
import { findUser, type User } from '../model/users.ts'

declare module 'propylon' {
  interface SessionData {
    /** Name of the user who is signed in. */
    user: string
    /** The user's `stamp` at that time. */
    stamp: string
  }
}

/** Returns the user of the session, or of the credentials that `basicAuth` has checked. */
export async function currentUser({ environ }: Request, session: Session): Promise<User | undefined> {
  if (environ.REMOTE_USER !== undefined) return findUser(environ.REMOTE_USER)
  const name = session.get('user')
  if (name === undefined) return undefined
  const user = await findUser(name)
  if (user?.stamp === session.get('stamp')) return user
  session.destroy()
  return undefined
}
