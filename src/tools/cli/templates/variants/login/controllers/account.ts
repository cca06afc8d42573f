import { done } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { changePassword, Password } from '../model/users.ts'

const Account = v.object({ name: v.string(), email: v.string(), role: v.string() })
const Passwords = v.object({ current: v.string(), password: Password })

/** The account of the user who is signed in. */
export class AccountController extends BaseController {
  static args = { update_password: { passwords: body(Passwords, { form: 'edit_password' }) } }
  static results = { index: Account, update_password: null }
  static pages = { index: 'account/index', edit_password: 'account/password' }

  override async __before__(action: string) {
    await super.__before__(action)
    if (action === 'index') this._requireUser()
    else this._requireSession()
  }

  /** GET /account. url('account') */
  index() {
    return this._requireUser()
  }

  /** GET /account/password: the form. url('edit_password') */
  edit_password() {
    return {}
  }

  /** POST /account/password: sets the password, and ends the other sessions and the tokens. url('update_password') */
  async update_password(passwords: v.InferOutput<typeof Passwords>) {
    await this._limitForms()
    const { id, name } = this._requireSession()
    const { current, password } = passwords
    const user = await this._attempt(name, (signal) => changePassword(id, current, password, signal))
    if (user === undefined) invalid<typeof Passwords>({ current: 'is wrong' })
    this._signIn(user)
    this.session.flash('notice', 'Your password has changed. All other sessions and all tokens have ended.')
    return done(this.url('account'))
  }
}
