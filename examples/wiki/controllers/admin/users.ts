import { abort } from 'propylon'
import { BaseController } from '../../lib/base.ts'
import { UsersResult } from '../../lib/results.ts'
import { listUsers, removeUser } from '../../model/users.ts'

/** Lists and removes users, for admins. */
export class UsersController extends BaseController {
  static results = { index: UsersResult }
  static pages = { index: 'admin/users' }

  override async __before__() {
    await super.__before__()
    this._requireAdmin()
  }

  /** GET /admin/users: the users by name. url('users') */
  async index() {
    return { users: await listUsers() }
  }

  /** DELETE /admin/users/NAME: removes a user and ends the user's sessions. url('user', { name }) */
  async delete(name: string) {
    if (!(await removeUser(name))) abort(404, 'There is no user with this name.')
    return this._done(this.url('users'), `Removed ${name}.`)
  }
}
