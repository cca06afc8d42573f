import { done } from 'propylon'
import { body, optional, string } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { sendLink } from '../lib/mail.ts'
import { resetPassword } from '../model/tokens.ts'
import { Email, Password } from '../model/users.ts'

const Address = v.object({ email: Email })
const NewPassword = v.object({ token: v.string(), password: Password })

/** Lets users set a new password with a link that they receive by mail. */
export class PasswordsController extends BaseController {
  static args = {
    send: { address: body(Address, { form: 'forgot' }) },
    reset: { token: optional(string, '') },
    change: { sent: body(NewPassword, { form: 'reset' }) },
  }
  static results = { send: null, change: null }
  static pages = { forgot: 'passwords/forgot', reset: 'passwords/reset' }

  /** GET /password/forgot: the form for the address. url('forgot') */
  forgot() {
    return {}
  }

  /** POST /password/forgot: sends the link. url('send_reset') */
  async send(address: v.InferOutput<typeof Address>) {
    await this._limitForms()
    // Not awaited: neither the words nor the time of the response may say whether there is such a user.
    sendLink('reset', address, this.url('reset'), this.request).catch((error) => this.app.logger.error(String(error)))
    this.session.flash('notice', 'If we know this address, a link is on its way to it.')
    return done(this.url('login'))
  }

  /** GET /password/reset?token=…: the form for the new password. url('reset') */
  reset(token: string) {
    this.response.headers.set('Referrer-Policy', 'same-origin') // The URL contains the token.
    return { token: this.c.formValues?.token ?? token }
  }

  /** POST /password/reset: sets the password, and ends all sessions of the user. url('change_password') */
  async change(sent: v.InferOutput<typeof NewPassword>) {
    await this._limitForms()
    if (!(await resetPassword(sent.token, sent.password, this.request.signal))) {
      invalid<typeof NewPassword>({ '': 'This link has been used or is too old. Ask for a new one.' })
    }
    this.session.flash('notice', 'Your password has changed. Sign in with the new one.')
    return done(this.url('login'))
  }
}
