import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import type * as v from 'valibot'
import { APIController } from '../../lib/base.ts'
import { createToken } from '../../lib/tokens.ts'
import { Login, NewUser, OneUser, UserChanges } from '../../model/schemas.ts'
import { addUser, changeUser, signIn, type User } from '../../model/users.ts'

const shown = (user: User) => ({ user: { ...user, token: createToken(user.id) } })

export class UsersController extends APIController {
  static args = {
    create: { user: body(NewUser) },
    login: { user: body(Login) },
    update: { user: body(UserChanges) },
  }
  static results = { create: OneUser, login: OneUser, show: OneUser, update: OneUser }
  static statuses = { create: 201 }
  static override security = { create: [], login: [] }

  /** Registers a user. */
  async create(user: v.InferOutput<typeof NewUser>) {
    return shown(await addUser(user))
  }

  /** Returns a token for an address and a password. */
  async login(user: v.InferOutput<typeof Login>) {
    return shown((await signIn(user)) ?? invalid({ 'email or password': 'is invalid' }))
  }

  /** Returns the user of the token. */
  show() {
    return shown(this._requireUser())
  }

  /** Changes the user of the token. */
  async update(user: v.InferOutput<typeof UserChanges>) {
    return shown(await changeUser(this._viewer, user))
  }
}
