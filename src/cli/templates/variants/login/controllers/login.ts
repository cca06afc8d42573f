import { redirect } from 'propylon'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { anyText, textFields } from '../lib/fields.ts'
import { LimitedController } from '../lib/limited.ts'
import { localPath } from '../lib/local-path.ts'
import { authenticate } from '../model/users.ts'

const credentials = textFields({ name: anyText, password: anyText, remember: anyText, next: anyText })

const THIRTY_DAYS = 30 * 24 * 60 * 60

/** Signs users in and out. */
export class LoginController extends LimitedController {
  /** GET /login: the form. `next` is the page to go to afterwards. url('login') */
  new() {
    return this.render('login/new', { next: this.c.formValues?.next ?? this.request.query.get('next') })
  }

  /** POST /login: signs in. url('sign_in') */
  async create() {
    const { name, password, remember, next } = formResult(this, credentials)
    const user = await authenticate(name, password)
    // The same words, whether the name or the password is wrong.
    if (user === undefined) invalid<typeof credentials>({ '': 'Wrong name or password.' }, { status: 401 })
    this._signIn(user)
    if (remember === 'on') this.session.remember(THIRTY_DAYS)
    redirect(localPath(next) ?? this.url('home'), 303)
  }

  /** POST /logout: signs out. url('logout') */
  delete() {
    this.session.destroy()
    this.session.flash('notice', 'You have signed out.')
    redirect(this.url('home'), 303)
  }

  static {
    decorate(this, { create: [validate(credentials, { form: 'new' })] })
  }
}
