import { abort, type BaseClass, redirect, WSGIController } from 'propylon'
import { findUser, type User } from '../model/users.ts'

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
  /** The user who is signed in. Templates have it as `it.c.user`. */
  user: User | undefined

  /** Finds the user of the session. A controller with a `__before__` of its own calls `super.__before__()` first. */
  async __before__(): Promise<void> {
    const id = this.session.get('user')
    if (id === undefined) return
    const user = await findUser(id)
    if (user === undefined || user.stamp !== this.session.get('stamp')) {
      this.session.destroy()
      return
    }
    this.user = user
    this.c.user = user
  }

  /**
   * Returns the user who is signed in. Call it in `__before__`, as `controllers/account.ts` does, or in an action.
   *
   * @throws HTTPException - nobody is signed in: a browser is sent to the login page, a program receives 403.
   */
  _requireUser(): User {
    if (this.user !== undefined) return this.user
    const { request } = this
    if (request.accept('application/json', 'text/html') !== 'text/html') abort(403, 'Sign in first.')
    const next = request.method === 'GET' ? request.pathAndQuery : this.url('home')
    redirect(`${this.url('login')}?${new URLSearchParams({ next })}`, 303)
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
