import { abort, WSGIController } from 'propylon'
import { findUser, type User } from '../model/users.ts'
import { userOf } from './tokens.ts'

const token = [{ token: [] }]
/** The rule of actions that show more to users. */
export const open = [{}, ...token]

/** Requires a token, except for the actions for which `static security` has another rule. */
export class APIController extends WSGIController {
  static security: Readonly<Record<string, readonly object[]>> = { '*': token }
  #user: User | undefined

  async __before__(action: string): Promise<void> {
    const [, sent] = /^(?:Token|Bearer) +(\S+)$/i.exec(this.request.header('authorization') ?? '') ?? []
    const id = sent === undefined ? undefined : userOf(sent)
    this.#user = id === undefined ? undefined : await findUser(id)
    const { [action]: rule = token } = (this.constructor as typeof APIController).security
    const isOpen = rule.length === 0 || (rule === open && sent === undefined)
    if (!isOpen) this._requireUser()
  }

  _requireUser(): User {
    return this.#user ?? abort(401, 'Send a valid token.', { 'WWW-Authenticate': 'Token' })
  }

  /** Id of the user; 0 without a token. */
  get _viewer(): number {
    return this.#user?.id ?? 0
  }
}
