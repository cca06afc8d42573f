import { BaseController } from '../lib/base.ts'

/** Pages for users who are signed in. */
export class AccountController extends BaseController {
  override async __before__() {
    await super.__before__()
    this._requireUser()
  }

  /** GET /account. url('account') */
  index() {
    return this.render('account/index')
  }
}
