/** The user of a request, and the guards of actions. */
import { abort, type Request, redirect, WSGIController } from 'propylon'
import { clientAddress, limit, limitFailures } from 'propylon/middleware'
import { findTokenUser } from '../model/tokens.ts'
import { findUser, type Role, type User } from '../model/users.ts'

declare module 'propylon' {
  interface SessionData {
    /** Id of the user who is signed in, and the user's `stamp` at that time, which changes with the password. */
    user: string
    stamp: string
  }
}

/**
 * Ten wrong passwords or tokens within a minute are the limit of an address. They are not counted for a name alone, or
 * anybody could lock its owner out. Each process counts for itself: give the limits a `store` if there are several.
 */
const failures = limitFailures({ max: 10, window: 60, name: 'login' })

/** Decorates actions that create users, check passwords and send mail: thirty forms a minute are the limit of an address. */
export const limited = limit({ max: 30, window: 60, name: 'forms' })

/** A controller that knows its user. */
export class Visitor extends WSGIController {
  /** The user who is signed in, or whose token a program has sent. Templates have it as `it.c.user`. */
  user: User | undefined

  async __before__(_action: string, ..._others: never[]): Promise<void> {
    this.user = await findVisitor(this)
    this.c.user = this.user
  }

  /** Returns the user. Without one a browser is sent to the login page, and a program receives 401. */
  _requireUser(): User {
    if (this.user !== undefined) return this.user
    const { request } = this
    const isProgram = request.accept('application/json', 'text/html') !== 'text/html'
    if (isProgram || bearerToken(request) !== undefined) {
      abort(401, 'Sign in, or send a valid token.', { 'WWW-Authenticate': 'Bearer' })
    }
    const next = request.method === 'GET' ? request.pathAndQuery : this.url('home')
    redirect(this.url('login', {}, { query: { next } }), 303)
  }

  /** Returns the user, who has signed in with the password. A token may neither change it nor create other tokens: 403. */
  _requireSession(): User {
    const user = this._requireUser()
    if (bearerToken(this.request) !== undefined) abort(403, 'A token may not do this.')
    return user
  }

  /** Returns the user, who has a role. Another role is 403. */
  _requireRole(role: Role): User {
    const user = this._requireUser()
    if (user.role !== role) abort(403)
    return user
  }

  /** Signs a user in. The session gets a new id, because others may know the old one. */
  _signIn({ id, stamp }: User): void {
    this.session.regenerate().set('user', id).set('stamp', stamp)
  }

  /** Checks a password, and limits the failures. */
  _attempt<Result>(name: string, check: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { environ, signal } = this.request
    const address = clientAddress(environ)
    const keys = { address, name_and_address: `${name.toLowerCase()} ${address}` }
    return failures.attempt(keys, () => check(signal), { signal })
  }
}

/** Returns the user of a request: of the token in `Authorization: Bearer`, or else of the session. */
export async function findVisitor(visit: Pick<WSGIController, 'request' | 'session'>): Promise<User | undefined> {
  const { request, session } = visit
  const token = bearerToken(request)
  if (token !== undefined) {
    const keys = { address: clientAddress(request.environ) }
    return failures.attempt(keys, () => findTokenUser(token), { signal: request.signal })
  }
  const id = session.get('user')
  const user = id === undefined ? undefined : await findUser(id)
  if (user?.stamp === session.get('stamp')) return user
  session.destroy()
  return undefined
}

/** Returns the token that a program has sent. */
function bearerToken(request: Request): string | undefined {
  return /^bearer +(.*)$/i.exec(request.header('authorization') ?? '')?.[1]
}
