import { abort, done } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import { createToken, listTokens, NewToken, revokeToken, Token } from '../model/tokens.ts'

/** The tokens with which programs act for the user: `Authorization: Bearer TOKEN`. */
export class TokensController extends BaseController {
  static args = { create: { sent: body(NewToken, { form: 'index' }) } }
  static results = {
    index: v.array(Token),
    create: v.object({ name: v.string(), token: v.string() }),
    delete: null,
  }
  static pages = { index: 'tokens/index', create: 'tokens/created' }
  static statuses = { create: 201 }

  override async __before__(action: string) {
    await super.__before__(action)
    this._requireSession()
  }

  /** GET /account/tokens: the tokens, and the form for another one. url('tokens') */
  index() {
    return listTokens(this._requireSession().id)
  }

  /** POST /account/tokens: creates a token, and shows it this once. url('tokens') */
  async create(sent: v.InferOutput<typeof NewToken>) {
    const made = await createToken('api', this._requireSession(), sent.name)
    if (made === undefined) invalid<typeof NewToken>({ '': 'You have too many tokens. Revoke one first.' })
    this.response.headers.set('Cache-Control', 'no-store')
    return { name: sent.name, token: made.token }
  }

  /** DELETE /account/tokens/{id}: revokes a token. url('token') */
  async delete(id: string) {
    if (!(await revokeToken(this._requireSession().id, id))) abort(404)
    this.session.flash('notice', 'The token has been revoked.')
    return done(this.url('tokens'))
  }
}
