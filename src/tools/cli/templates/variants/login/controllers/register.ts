import { abort, created, done } from 'propylon'
import { body, optional, string } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { sendLink } from '../lib/mail.ts'
import { confirmAddress } from '../model/tokens.ts'
import { createUser, NewUser } from '../model/users.ts'

const Confirmation = v.object({ token: v.string() })

/** Creates users, and confirms their addresses by a link in a mail. */
export class RegisterController extends BaseController {
  static args = {
    create: { user: body(NewUser, { form: 'new' }) },
    confirm: { token: optional(string, '') },
    accept: { sent: body(Confirmation, { form: 'confirm' }) },
  }
  static results = { create: null, send: null, accept: null }
  static pages = { new: 'register/new', confirm: 'register/confirm' }

  /** GET /register: the form. url('register') */
  new() {
    return {}
  }

  /** POST /register: creates a user, signs in, and sends the link. url('create_user') */
  async create(user: v.InferOutput<typeof NewUser>) {
    await this._limitForms()
    const made = await createUser(user, this.request.signal)
    if (typeof made === 'string') invalid<typeof NewUser>({ [made]: 'is taken' }, { status: 409 })
    await sendLink('confirm', made, this.url('confirm'), this.request).catch((error) =>
      this.app.logger.error(String(error)),
    )
    this._signIn(made)
    this.session.flash('notice', `Welcome, ${made.name}! Please open the link in the mail that we have sent.`)
    return created(this.url('home'))
  }

  /** POST /account/confirm: sends another link. url('send_confirmation') */
  async send() {
    const user = this._requireSession()
    await this._limitForms()
    if (user.confirmed === 1) abort(409, 'The address is confirmed.')
    await sendLink('confirm', user, this.url('confirm'), this.request)
    this.session.flash('notice', 'A link is on its way to you.')
    return done(this.url('account'))
  }

  /** GET /register/confirm?token=…: the form with which a user confirms the address. url('confirm') */
  confirm(token: string) {
    this.response.headers.set('Referrer-Policy', 'same-origin') // The URL contains the token.
    return { token: this.c.formValues?.token ?? token }
  }

  /** POST /register/confirm: confirms the address. url('accept') */
  async accept(sent: v.InferOutput<typeof Confirmation>) {
    if (!(await confirmAddress(sent.token))) {
      invalid<typeof Confirmation>({ '': 'This link has been used or is too old. Ask for a new one.' })
    }
    this.session.flash('notice', 'Your address is confirmed.')
    return done(this.url('home'))
  }
}
