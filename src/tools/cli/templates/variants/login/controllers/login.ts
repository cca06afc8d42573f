import { done } from 'propylon'
import { body, optional, string } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { authenticate } from '../model/users.ts'

/** `name` is a name or an e-mail address, `next` the page to go to afterwards. */
const Credentials = v.object({
  name: v.string(),
  password: v.string(),
  remember: v.optional(v.string()),
  next: v.optional(v.string()),
})

const THIRTY_DAYS = 30 * 24 * 60 * 60

/** Signs users in and out. */
export class LoginController extends BaseController {
  static args = { new: { next: optional(string) }, create: { sent: body(Credentials, { form: 'new' }) } }
  static results = { create: null, delete: null }
  static pages = { new: 'login/new' }

  /** GET /login: the form. url('login') */
  new(next?: string) {
    return { next: this.c.formValues?.next ?? next ?? '' }
  }

  /** POST /login: signs in. url('sign_in') */
  async create(sent: v.InferOutput<typeof Credentials>) {
    const { name, password, remember, next } = sent
    await this._limitForms()
    const user = await this._attempt(name, (signal) => authenticate(name, password, signal))
    // The same words, whether the name or the password is wrong.
    if (user === undefined) invalid<typeof Credentials>({ '': 'Wrong name or password.' }, { status: 401 })
    this._signIn(user)
    if (remember === 'on') this.session.remember(THIRTY_DAYS)
    return done((next && this.request.localPath(next)) ?? this.url('home'))
  }

  /** POST /logout: signs out. url('logout') */
  delete() {
    // A message would give a visitor who is not signed in a new session.
    const wasSignedIn = this.user !== undefined
    this.session.destroy()
    if (wasSignedIn) this.session.flash('notice', 'You have signed out.')
    return done(this.url('home'))
  }
}
