import { abort, done } from 'propylon'
import { body } from 'propylon/converters'
import { decorate, invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { sendLink } from '../lib/mail.ts'
import { limited } from '../lib/visitor.ts'
import { createToken, listTokens, revokeToken } from '../model/tokens.ts'
import { changePassword, Password } from '../model/users.ts'

const Account = v.object({ name: v.string(), email: v.string(), role: v.string() })
const Passwords = v.object({ current: v.string(), password: Password })
const TOKEN_NAME = v.pipe(v.string(), v.trim(), v.regex(/^[^\p{Cc}]{1,64}$/u, 'must have 1 to 64 characters'))
const NewToken = v.object({ name: TOKEN_NAME })

/** The account of the user who is signed in, and the tokens with which programs act for the user. */
export class AccountController extends BaseController {
  static args = {
    update_password: { passwords: body(Passwords, { form: 'edit_password' }) },
    create_token: { sent: body(NewToken, { form: 'index' }) },
  }
  static results = { index: Account, create_token: Account, update_password: null, send_link: null, revoke_token: null }
  static pages = { index: 'account/index', create_token: 'account/index', edit_password: 'account/form' }

  override async __before__(action: string) {
    await super.__before__(action)
    if (action === 'index') this._requireUser()
    else this._requireSession()
  }

  async index() {
    const user = this._requireUser()
    this.c.tokens = await listTokens(user.id)
    return user
  }

  edit_password() {
    return { form: 'password' }
  }
  /** Sets the password, and ends the other sessions and the tokens. */
  async update_password(passwords: v.InferOutput<typeof Passwords>) {
    const { name } = this._requireSession()
    const { current, password } = passwords
    const user = await this._attempt(name, (signal) => changePassword(name, current, password, signal))
    if (user === undefined) invalid<typeof Passwords>({ current: 'is wrong' })
    this._signIn(user)
    this.session.flash('notice', 'Your password has changed. All other sessions and all tokens have ended.')
    return done(this.url('account'))
  }

  /** Sends another link that confirms the address. */
  async send_link() {
    await sendLink('confirm', this._requireSession(), this)
    this.session.flash('notice', 'A link is on its way to you.')
    return done(this.url('account'))
  }

  /** Creates a token for `Authorization: Bearer TOKEN`, and shows it this once. */
  async create_token(sent: v.InferOutput<typeof NewToken>) {
    const made = await createToken('api', this._requireSession(), sent.name)
    if (made === undefined) invalid<typeof NewToken>({ '': 'You have too many tokens. Revoke one first.' })
    this.response.headers.set('Cache-Control', 'no-store')
    this.c.token = made.token
    return this.index()
  }
  async revoke_token(id: string) {
    if (!(await revokeToken(this._requireSession().id, id))) abort(404)
    this.session.flash('notice', 'The token has been revoked.')
    return done(this.url('account'))
  }

  static {
    decorate(this, { update_password: [limited], send_link: [limited] })
  }
}
