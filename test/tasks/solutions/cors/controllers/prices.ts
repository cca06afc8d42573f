import { BaseController } from '../lib/base.ts'

/** Prices, which the shop reads. */
export class PricesController extends BaseController {
  /** GET /prices */
  index() {
    return { tea: 4 }
  }
}
