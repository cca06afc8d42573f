import { abort, redirect } from 'propylon'
import { int, optional } from 'propylon/converters'
import { paginate } from 'propylon/paginate'
import { BaseController } from '../../lib/base.ts'
import { isRole, selectUsers, setRole } from '../../model/users.ts'

/** The users, for administrators. */
export class UsersController extends BaseController {
  static args = { index: { page: optional(int, 1) } }

  override async __before__(action: string) {
    await super.__before__(action)
    this._requireRole('admin')
  }

  /** GET /admin/users: all users by name. url('users') */
  async index(page: number) {
    const { items, next, previous } = await paginate(selectUsers(), { page, size: 50 })
    return this.render('admin/users/index', { items, next, previous })
  }

  /** POST /admin/users/{id}/role: gives the user of a name a role. url('set_role') */
  async set_role(id: string) {
    // An administrator who gives up the role could leave none.
    if (id.toLowerCase() === this._requireUser().name.toLowerCase())
      abort(400, 'Let another administrator change your role.')
    const role = (await this.request.form()).get('role')
    if (!isRole(role)) abort(400, 'There is no such role.')
    if (!(await setRole(id, role))) abort(404)
    this.session.flash('notice', 'The role has changed.')
    redirect(this.url('users'), 303)
  }
}
