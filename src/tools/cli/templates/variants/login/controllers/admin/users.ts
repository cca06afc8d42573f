import { abort, done } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { paginate } from 'propylon/paginate'
import * as v from 'valibot'
import { BaseController } from '../../lib/base.ts'
import { ROLES, selectUsers, setRole } from '../../model/users.ts'

const Change = v.object({ role: v.picklist(ROLES, 'There is no such role.') })

/** The users, for administrators. */
export class UsersController extends BaseController {
  static args = { index: { page: optional(int, 1) }, set_role: { change: body(Change) } }
  static results = { set_role: null }
  static pages = { index: 'admin/users/index' }

  override async __before__(action: string) {
    await super.__before__(action)
    this._requireRole('admin')
  }

  index(page: number) {
    return paginate(selectUsers(), { page, size: 50 })
  }

  async set_role(name: string, change: v.InferOutput<typeof Change>) {
    // An administrator who gives up the role could leave none.
    const isOwn = name.toLowerCase() === this._requireUser().name.toLowerCase()
    if (isOwn) abort(400, 'Let another administrator change your role.')
    if (!(await setRole(name, change.role))) abort(404)
    this.session.flash('notice', 'The role has changed.')
    return done(this.url('users'))
  }
}
