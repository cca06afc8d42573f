import { callSignature, RPCController } from 'propylon/rpc'

const pieces = new Map([['lamp', 3]])

/** The stock, for programs. */
export class StockController extends RPCController {
  static override signatures = { stock_count: callSignature('int', 'string') }

  /** Counts the pieces of an article. */
  stock_count(article: string) {
    return pieces.get(article) ?? 0
  }
}
