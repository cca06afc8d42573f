import { redirect } from 'propylon'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'
import { newUserFields } from '../lib/fields.ts'
import { createUser } from '../model/users.ts'

/** Creates users. */
export class RegisterController extends BaseController {
  override _isOpen = true

  /** GET /register: the form. url('register') */
  new() {
    return this.render('account/register')
  }

  /** POST /register: creates a user and signs in. */
  async create() {
    const { name, password } = formResult(this, newUserFields)
    const user = await createUser(name, password)
    if (user === undefined) invalid<typeof newUserFields>({ name: 'is taken' }, { status: 409 })
    this._signIn(user)
    this.session.flash('notice', `Welcome, ${user.name}!`)
    redirect(this.url('home'), 303)
  }

  static {
    decorate(this, { create: [validate(newUserFields, { form: 'new' })] })
  }
}
