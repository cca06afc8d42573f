import { redirect } from 'propylon'
import { decorate, formResult, invalid, restrict, validate } from 'propylon/decorators'
import { anyText, textFields } from '../lib/fields.ts'
import { LimitedController } from '../lib/limited.ts'
import { mailer } from '../lib/mail.ts'
import { checkEmail, checkPassword } from '../model/user-rules.ts'
import { createResetToken, resetPassword } from '../model/users.ts'

const address = textFields({ email: checkEmail })
const newPassword = textFields({ token: anyText, password: checkPassword })

/** Lets users set a new password with a link that they receive by mail. */
export class PasswordsController extends LimitedController {
  /** GET /password/forgot: the form for the address. url('forgot_password') */
  forgot() {
    return this.render('passwords/forgot')
  }

  /** POST /password/forgot: sends the link. url('send_reset') */
  send() {
    const { email } = formResult(this, address)
    // Not awaited: neither the words nor the time of the response may say whether there is such a user.
    this.#sendLink(email, this.#siteUrl()).catch((error) => this.app.logger.error(String(error)))
    this.session.flash('notice', 'If we know this address, a link is on its way to it.')
    redirect(this.url('login'), 303)
  }

  /** GET /password/reset?token=…: the form for the new password. url('reset_password') */
  reset() {
    this.response.headers.set('Referrer-Policy', 'same-origin') // The URL contains the token.
    return this.render('passwords/reset', {
      token: this.c.formValues?.token ?? this.request.query.get('token'),
    })
  }

  /** POST /password/reset: sets the password, and ends all sessions of the user. url('change_password') */
  async change() {
    const { token, password } = formResult(this, newPassword)
    if (!(await resetPassword(token, password, this.request.signal))) {
      invalid<typeof newPassword>({ '': 'This link has been used or is too old. Ask for a new one.' })
    }
    this.session.flash('notice', 'Your password has changed. Sign in with the new one.')
    redirect(this.url('login'), 303)
  }

  async #sendLink(typed: string, url: string | undefined): Promise<void> {
    if (url === undefined) throw new Error('ORIGIN is not set, so no link to this site can be sent')
    const reset = await createResetToken(typed)
    if (reset === undefined) return
    const text = `Set a new password within an hour:\n\n${url}?token=${reset.token}\n\nIf you did not ask for this, ignore it.\n`
    await mailer.send({ to: reset.email, subject: 'Your password', text })
  }

  /** Returns the URL of the form. In production its host does not come from the request, where a client can choose it. */
  #siteUrl(): string | undefined {
    const { NODE_ENV, ORIGIN } = process.env
    if (!ORIGIN && NODE_ENV === 'production') return undefined
    return new URL(this.url('reset_password'), ORIGIN || this.request.url).href
  }

  static {
    decorate(this, {
      send: [restrict('POST'), validate(address, { form: 'forgot' })],
      change: [restrict('POST'), validate(newPassword, { form: 'reset' })],
    })
  }
}
