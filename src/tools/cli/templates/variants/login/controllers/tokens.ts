import { abort, redirect } from 'propylon'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'
import { textFields } from '../lib/fields.ts'
import { createToken, listTokens, revokeToken } from '../model/tokens.ts'
import { checkTokenName } from '../model/user-rules.ts'

const newToken = textFields({ name: checkTokenName })

/** The tokens with which programs act for the user: `Authorization: Bearer TOKEN`. */
export class TokensController extends BaseController {
  override async __before__(action: string) {
    await super.__before__(action)
    this._requireSession()
  }

  /** GET /account/tokens: the tokens, and the form for another one. url('tokens') */
  async index() {
    return this.render('tokens/index', { tokens: await listTokens(this._requireSession().id) })
  }

  /** POST /account/tokens: creates a token, and shows it this once. url('create_token') */
  async create() {
    const { name } = formResult(this, newToken)
    const token = await createToken(this._requireSession().id, name)
    if (token === undefined) invalid<typeof newToken>({ '': 'You have too many tokens. Revoke one first.' })
    this.response.status = 201
    this.response.headers.set('Cache-Control', 'no-store')
    return this.render('tokens/created', { name, token })
  }

  /** DELETE /account/tokens/{id}: revokes a token. url('revoke_token') */
  async delete(id: string) {
    if (!(await revokeToken(this._requireSession().id, id))) abort(404)
    this.session.flash('notice', 'The token has been revoked.')
    redirect(this.url('tokens'), 303)
  }

  static {
    decorate(this, { create: [validate(newToken, { form: 'index' })] })
  }
}
