import { redirect } from 'propylon'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { clientAddress } from 'propylon/middleware'
import { failures } from '../lib/failures.ts'
import { anyText, textFields } from '../lib/fields.ts'
import { LimitedController } from '../lib/limited.ts'
import { checkPassword } from '../model/user-rules.ts'
import { changePassword } from '../model/users.ts'

const passwords = textFields({ current: anyText, password: checkPassword })

/** The account of the user who is signed in. */
export class AccountController extends LimitedController {
  override async __before__(action: string) {
    await super.__before__(action)
    if (action === 'index') this._requireUser()
    else this._requireSession()
  }

  /** GET /account. url('account') */
  index() {
    return this.render('account/index')
  }

  /** GET /account/password: the form. url('edit_password') */
  edit_password() {
    return this.render('account/password')
  }

  /** POST /account/password: sets the password, and ends the other sessions and the tokens. url('update_password') */
  async update_password() {
    const { current, password } = formResult(this, passwords)
    const { id, name } = this._requireSession()
    const address = clientAddress(this.request.environ)
    const keys = { address, name_and_address: `${name.toLowerCase()} ${address}` }
    const { signal } = this.request
    const user = await failures.attempt(keys, () => changePassword(id, current, password, signal), { signal })
    if (user === undefined) invalid<typeof passwords>({ current: 'is wrong' })
    this._signIn(user)
    this.session.flash('notice', 'Your password has changed. All other sessions and all tokens have ended.')
    redirect(this.url('account'), 303)
  }

  static {
    decorate(this, { update_password: [validate(passwords, { form: 'edit_password' })] })
  }
}
