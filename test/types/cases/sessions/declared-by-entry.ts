/** Values that `SessionData` of `propylon` declares. */

import type {} from 'propylon'
import { WSGIController } from 'propylon'
import { authenticationToken } from 'propylon/decorators'

interface Cart {
  readonly items: readonly string[]
}
declare module 'propylon' {
  interface SessionData {
    user: string
    cart: Cart
  }
}

export class HomeController extends WSGIController {
  index() {
    const user: string | undefined = this.session.get('user')
    const cart: Cart | undefined = this.session.get('cart')
    this.session.set('user', 'ann').set('cart', { items: [] }).flash('notice', 'free')
    // @ts-expect-error misspelt
    this.session.get('usr')
    // @ts-expect-error another type
    this.session.set('user', 1)
    // @ts-expect-error misspelt
    this.session.delete('usr')
    return [user, cart, authenticationToken(this.session), this.session.get('_authentication_token')]
  }
}
