/** A service with all faces. */
import { FrameworkApp, Mapper } from 'propylon'
import { callSignature, RPCController } from 'propylon/rpc'
import { z } from 'zod'

const article = z.object({ sku: z.string(), count: z.number().nullable() })
const state = z.enum(['open', 'closed'])

class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'openapi']
  static override signatures = {
    stock_find: [callSignature('struct', 'string'), callSignature('struct', 'string', 'int')],
    stock_state: [callSignature(state)],
    stock_store: [callSignature('boolean', article)],
  }

  /**
   * Finds an article.
   *
   * @param sku its number
   * @param limit how many
   */
  stock_find(sku: string, limit = 5) {
    return { sku, limit, parts: [{ name: 'lamp' }] }
  }

  stock_state() {
    return 'open'
  }

  stock_store(stored: z.infer<typeof article>) {
    return stored.sku !== ''
  }
}

const map = new Mapper()
map.rpc('stock', '/stock')
const app = new FrameworkApp({ map, controllers: { stock: StockController } })
/** Options of clients that call the service without a socket. */
export const options = { fetch: (url: string, init: RequestInit) => app.fetch(new Request(url, init)) }

/** Returns a document of the service. */
export async function documentAt(path: string): Promise<unknown> {
  return (await app.fetch(new Request(`http://test/stock/${path}`))).json()
}
