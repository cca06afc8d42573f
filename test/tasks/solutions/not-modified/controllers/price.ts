import { BaseController } from '../lib/base.ts'

/** The price of tea. */
export class PriceController extends BaseController {
  /** GET /price */
  index() {
    const price = { tea: 4 }
    this.fresh({ etag: `tea-${price.tea}` })
    return price
  }
}
