import { redirect } from 'propylon'
import { decorate, formResult, invalid, restrict, validate } from 'propylon/decorators'
import { clientAddress } from 'propylon/middleware'
import { failures } from '../lib/failures.ts'
import { anyText, textFields } from '../lib/fields.ts'
import { LimitedController } from '../lib/limited.ts'
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
    const address = clientAddress(this.request.environ)
    const keys = { address, name_and_address: `${name.toLowerCase()} ${address}` }
    const { signal } = this.request
    const user = await failures.attempt(keys, () => authenticate(name, password, signal), { signal })
    // The same words, whether the name or the password is wrong.
    if (user === undefined) invalid<typeof credentials>({ '': 'Wrong name or password.' }, { status: 401 })
    this._signIn(user)
    if (remember === 'on') this.session.remember(THIRTY_DAYS)
    redirect(this.request.localPath(next) ?? this.url('home'), 303)
  }

  /** POST /logout: signs out. url('logout') */
  delete() {
    // A message would give a visitor who is not signed in a new session.
    const wasSignedIn = this.user !== undefined
    this.session.destroy()
    if (wasSignedIn) this.session.flash('notice', 'You have signed out.')
    redirect(this.url('home'), 303)
  }

  static {
    // The default route would run the actions on GET as well.
    decorate(this, {
      create: [restrict('POST'), validate(credentials, { form: 'new' })],
      delete: [restrict('POST')],
    })
  }
}
