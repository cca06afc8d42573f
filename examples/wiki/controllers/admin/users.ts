import { abort } from 'propylon'
import { BaseController, SIGNED_IN } from '../../lib/base.ts'
import { UsersResult } from '../../lib/results.ts'
import { listUsers, removeUser } from '../../model/users.ts'

/** Lists and removes users, for admins. */
export class UsersController extends BaseController {
  static override security = SIGNED_IN
  static results = { index: UsersResult }
  static pages = { index: 'admin/users' }

  override async __before__() {
    await super.__before__()
    this._requireAdmin()
  }

  /**
   * Lists the users by name. Only admins may.
   *
   * @throws HTTPForbidden - the user is not an admin.
   */
  async index() {
    return { users: await listUsers() }
  }

  /** DELETE /admin/users/NAME: removes a user and ends the user's sessions. url('user', { name }) */
  async delete(name: string) {
    if (!(await removeUser(name))) abort(404, 'There is no user with this name.')
    return this._done(this.url('users'), `Removed ${name}.`)
  }
}
