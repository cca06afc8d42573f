import { redirect } from 'propylon'
import { decorate, formResult, invalid, restrict, validate } from 'propylon/decorators'
import { textFields } from '../lib/fields.ts'
import { LimitedController } from '../lib/limited.ts'
import { checkEmail, checkName, checkPassword } from '../model/user-rules.ts'
import { createUser } from '../model/users.ts'

const newUser = textFields({ name: checkName, email: checkEmail, password: checkPassword })

/** Creates users. */
export class RegisterController extends LimitedController {
  /** GET /register: the form. url('register') */
  new() {
    return this.render('register/new')
  }

  /** POST /register: creates a user and signs in. url('create_user') */
  async create() {
    const user = await createUser(formResult(this, newUser), this.request.signal)
    if (typeof user === 'string') invalid<typeof newUser>({ [user]: 'is taken' }, { status: 409 })
    this._signIn(user)
    this.session.flash('notice', `Welcome, ${user.name}!`)
    redirect(this.url('home'), 303)
  }

  static {
    decorate(this, { create: [restrict('POST'), validate(newUser, { form: 'new' })] })
  }
}
