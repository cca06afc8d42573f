import { abort } from 'propylon'
import { BaseController } from '../../lib/base.ts'
import { listUsers, removeUser } from '../../model/users.ts'

/** Lists and removes users, for admins. */
export class UsersController extends BaseController {
  override async __before__() {
    await super.__before__()
    this._requireAdmin()
  }

  /** GET /admin/users: the users by name. url('users') */
  async index(format = 'html') {
    const users = (await listUsers()).map(({ name, role }) => ({ name, role }))
    return format === 'json' ? { users } : this.render('admin/users', { users })
  }

  /** DELETE /admin/users/NAME: removes a user and ends the user's sessions. url('user', { name }) */
  async delete(name: string) {
    if (!(await removeUser(name))) abort(404, 'There is no user with this name.')
    return this._done(this.url('users'), `Removed ${name}.`)
  }
}
