import type { BaseClass } from 'propylon'
import type { User } from '../model/users.ts'
import { BaseController } from './base.ts'

/** Base class of the controllers whose forms are for visitors who are not signed in. */
class SigningInController extends BaseController {
  override _needsUser(): boolean {
    return false
  }

  /** Signs a user in. The session gets a new id, so that nobody who knows the old one shares it. */
  _signIn({ name, stamp }: User): void {
    this.session.regenerate().set('user', name).set('stamp', stamp)
  }
}

const Checked: BaseClass<typeof SigningInController> = SigningInController
type Checked = SigningInController

export { Checked as SigningInController }
