import { abort, created, done } from 'propylon'
import { body, optional, string } from 'propylon/converters'
import { decorate, invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { sendLink } from '../lib/mail.ts'
import { limited } from '../lib/visitor.ts'
import { confirmAddress, resetPassword } from '../model/tokens.ts'
import { authenticate, createUser, Email, NewUser, Password } from '../model/users.ts'

/** `name` is a name or an e-mail address. */
const Credentials = v.object({ name: v.string(), password: v.string(), remember: v.optional(v.string()) })
const Address = v.object({ email: Email })
const NewPassword = v.object({ password: Password })

const FORM = 'account/form'
const OLD_LINK = 'This link has been used or is too old. Ask for a new one.'

/** Actions of visitors who are not signed in. Links in mails lead to `confirm` and `reset`, with a token in the query. */
export class LoginController extends BaseController {
  static args = {
    create_user: { user: body(NewUser, { form: 'register' }) },
    accept: { token: optional(string, '') },
    create: { sent: body(Credentials, { form: 'new' }), next: optional(string) },
    send_reset: { address: body(Address, { form: 'forgot' }) },
    set_password: { sent: body(NewPassword, { form: 'reset' }), token: optional(string, '') },
  }
  static results = { create_user: null, accept: null, create: null, delete: null, send_reset: null, set_password: null }
  static pages = { register: FORM, confirm: FORM, new: FORM, forgot: FORM, reset: FORM }

  register() {
    return { form: 'register' }
  }
  /** Creates a user, signs in, and sends the link that confirms the address. */
  async create_user(user: v.InferOutput<typeof NewUser>) {
    const made = await createUser(user, this.request.signal)
    if (typeof made === 'string') invalid<typeof NewUser>({ [made]: 'is taken' }, { status: 409 })
    await sendLink('confirm', made, this).catch((error) => this.app.logger.error(String(error)))
    this._signIn(made)
    this.session.flash('notice', `Welcome, ${made.name}! Please open the link in the mail that we have sent.`)
    return created(this.url('home'))
  }

  confirm() {
    this.response.headers.set('Referrer-Policy', 'same-origin') // The URL contains the token.
    return { form: 'confirm' }
  }
  async accept(token: string) {
    if (!(await confirmAddress(token))) abort(400, OLD_LINK)
    this.session.flash('notice', 'Your address is confirmed.')
    return done(this.url('home'))
  }

  new() {
    return { form: 'login' }
  }
  /** Signs in, and goes on to the page `next`. */
  async create(sent: v.InferOutput<typeof Credentials>, next?: string) {
    const user = await this._attempt(sent.name, (signal) => authenticate(sent.name, sent.password, signal))
    // The same words, whether the name or the password is wrong.
    if (user === undefined) invalid<typeof Credentials>({ '': 'Wrong name or password.' }, { status: 401 })
    this._signIn(user)
    if (sent.remember === 'on') this.session.remember(30 * 24 * 60 * 60) // Thirty days.
    return done((next && this.request.localPath(next)) ?? this.url('home'))
  }
  /** Signs out. */
  delete() {
    this.session.destroy()
    // A message would give a visitor who is not signed in a new session.
    if (this.user !== undefined) this.session.flash('notice', 'You have signed out.')
    return done(this.url('home'))
  }

  forgot() {
    return { form: 'forgot' }
  }
  send_reset(address: v.InferOutput<typeof Address>) {
    // Not awaited: neither the words nor the time of the response may say whether there is such a user.
    sendLink('reset', address, this).catch((error) => this.app.logger.error(String(error)))
    this.session.flash('notice', 'If we know this address, a link is on its way to it.')
    return done(this.url('login'))
  }

  reset() {
    this.response.headers.set('Referrer-Policy', 'same-origin') // The URL contains the token.
    return { form: 'reset' }
  }
  /** Sets a password, and ends all sessions of the user. */
  async set_password(sent: v.InferOutput<typeof NewPassword>, token: string) {
    const isSet = await resetPassword(token, sent.password, this.request.signal)
    if (!isSet) invalid<typeof NewPassword>({ '': OLD_LINK })
    this.session.flash('notice', 'Your password has changed. Sign in with the new one.')
    return done(this.url('login'))
  }

  static {
    decorate(this, { create_user: [limited], create: [limited], send_reset: [limited], set_password: [limited] })
  }
}
