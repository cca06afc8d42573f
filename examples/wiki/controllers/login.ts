import { redirect } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'
import { Login } from '../lib/fields.ts'
import { signIn } from '../lib/sign-in.ts'

const THIRTY_DAYS = 30 * 24 * 60 * 60

/** Signs users in and out. */
export class LoginController extends BaseController {
  static args = { create: { fields: body(Login, { form: 'new' }) } }
  static override security = []
  override _isOpen = true

  /** GET /login: the form. `next` is the page to go to afterwards. url('login') */
  new() {
    return this.render('account/login', {
      next: this.c.formValues?.next ?? this.request.query.get('next') ?? '',
    })
  }

  /** POST /login: signs in. */
  async create(fields: Login) {
    const { name, password, remember, next } = fields
    const user = await signIn(name, password, this.request.environ)
    // The same words, whether the name or the password is wrong.
    if (user === undefined) invalid<typeof Login>({ '': 'Wrong name or password.' }, { status: 401 })
    this._signIn(user)
    if (remember === 'on') this.session.remember(THIRTY_DAYS)
    redirect(this.request.localPath(next) ?? this.url('home'), 303)
  }

  /** POST /logout: signs out. url('logout') */
  delete() {
    // A message would give a visitor who is not signed in a new session.
    const wasSignedIn = this.session.has('user')
    this.session.destroy()
    if (wasSignedIn) this.session.flash('notice', 'You have signed out.')
    redirect(this.url('home'), 303)
  }
}
