import { abort, type BaseClass, redirect, WSGIController } from 'propylon'
import type { Role, User } from '../model/users.ts'
import { bearerToken, findVisitor } from './visitor.ts'

declare module 'propylon' {
  interface SessionData {
    /** Id of the user who is signed in. */
    user: string
    /** The user's `stamp` at that time. It changes with the password, which ends the sessions of before. */
    stamp: string
  }
}

/**
 * Base class of all controllers of this application.
 *
 * `__before__` runs before every action, `__after__` after it. Methods that begin with an underscore cannot be reached
 * from a URL.
 */
class BaseController extends WSGIController {
  /** The user who is signed in, or whose token a program has sent. Templates have it as `it.c.user`. */
  user: User | undefined

  /**
   * Finds the user. A controller with a `__before__` of its own calls `super.__before__(action)` first, and may take
   * other arguments behind `action`.
   */
  async __before__(action: string, ..._others: never[]): Promise<void> {
    this.c.action = action
    this.user = await findVisitor(this)
    this.c.user = this.user
  }

  /**
   * Returns the user. Call it in `__before__`, as `controllers/account.ts` does, or in an action.
   *
   * @throws HTTPException - there is none: a browser is sent to the login page, a program receives 401.
   */
  _requireUser(): User {
    if (this.user !== undefined) return this.user
    const { request } = this
    const isProgram = request.accept('application/json', 'text/html') !== 'text/html'
    if (isProgram || bearerToken(request) !== undefined) {
      abort(401, 'Sign in, or send a valid token.', { 'WWW-Authenticate': 'Bearer' })
    }
    const next = request.method === 'GET' ? request.pathAndQuery : this.url('home')
    redirect(`${this.url('login')}?${new URLSearchParams({ next })}`, 303)
  }

  /**
   * Returns the user, who has signed in with the password: a token may neither change it nor create other tokens.
   *
   * @throws HTTPException - as {@link _requireUser}, and 403 for a token.
   */
  _requireSession(): User {
    const user = this._requireUser()
    if (bearerToken(this.request) !== undefined) abort(403, 'A token may not do this.')
    return user
  }

  /**
   * Returns the user, who has a role.
   *
   * @throws HTTPException - as {@link _requireUser}, and 403 for another role.
   */
  _requireRole(role: Role): User {
    const user = this._requireUser()
    if (user.role !== role) abort(403)
    return user
  }

  /** Signs a user in. The session gets a new id, so that nobody who knows the old one shares it. */
  _signIn({ id, stamp }: User): void {
    this.session.regenerate().set('user', id).set('stamp', stamp)
  }
}

// With this type the compiler checks that the actions of all subclasses return what can be sent.
const Checked: BaseClass<typeof BaseController> = BaseController
type Checked = BaseController

export { Checked as BaseController }
