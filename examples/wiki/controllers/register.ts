import { redirect } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'
import { NewUser } from '../lib/fields.ts'
import { createUser } from '../model/users.ts'

/** Creates users. */
export class RegisterController extends BaseController {
  static args = { create: { fields: body(NewUser, { form: 'new' }) } }
  static override security = []
  override _isOpen = true

  /** GET /register: the form. url('register') */
  new() {
    return this.render('account/register')
  }

  /** POST /register: creates a user and signs in. */
  async create(fields: NewUser) {
    const user = await createUser(fields.name, fields.password, { signal: this.request.signal })
    if (user === undefined) invalid<typeof NewUser>({ name: 'is taken' }, { status: 409 })
    this._signIn(user)
    this.session.flash('notice', `Welcome, ${user.name}!`)
    redirect(this.url('home'), 303)
  }
}
