import { abort, WSGIController } from 'propylon'
import { findUser, type User } from '../model/users.ts'
import { userOf } from './tokens.ts'

const token = [{ token: [] }]
export const open = [{}, ...token]

/** Requires a token for the actions whose `static security` is not open. */
export class APIController extends WSGIController {
  static security: Readonly<Record<string, readonly object[]>> = { '*': token }
  #user: User | undefined

  async __before__(action: string): Promise<void> {
    const [, sent] = /^(?:Token|Bearer) +(\S+)$/i.exec(this.request.header('authorization') ?? '') ?? []
    const id = sent === undefined ? undefined : userOf(sent)
    this.#user = id === undefined ? undefined : await findUser(id)
    const { security } = this.constructor as typeof APIController
    const rule = security[action] ?? security['*'] ?? token
    const isOpen = rule.length === 0 || (sent === undefined && rule.some((each) => !('token' in each)))
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
