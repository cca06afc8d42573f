import { abort } from 'propylon'
import { BaseController } from '../lib/base.ts'

const orders = new Map([['7', { number: 7, buyer: 'Joe' }]])

/** Shows orders. */
export class OrdersController extends BaseController {
  /** GET /orders */
  list() {
    return [...orders.values()]
  }

  /** GET /orders/7 */
  show(nubmer: string) {
    const order = orders.get(nubmer) ?? abort(404, 'There is no such order.')
    this.response.contentType = 'text/plain'
    return `Order ${order.number} of ${order.buyer}`
  }
}
