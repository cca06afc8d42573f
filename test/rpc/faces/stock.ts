/** A service with every face that describes it. */
import { abort, FrameworkApp, type FrameworkAppOptions, Mapper } from 'propylon'
import { JSONRPCError, RPCController } from 'propylon/rpc'
import { z } from 'zod'

const article = z.object({ name: z.string(), price: z.number().optional() }).meta({ id: 'Article' })
const order = z.object({ article, count: z.int().min(1) })

/** Names of the hooks that ran, with the action and the name that was sent. */
export const events: string[] = []

export class StockController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static title = 'Stock of the shop'
  static version = '2.1.0'
  static override description = 'Articles and their numbers.'
  static override max_body_length = 20_000

  static override signatures = {
    stock_find: [['array', 'string', 'int']],
    stock_count: [['int', 'string']],
    stock_broken: [['struct']],
  }
  static args = { stock_order: { ordered: order } }
  static results = { stock_order: order }

  __before__(action: string, methodName: string) {
    events.push(`${action} ${methodName}`)
    if (this.request.headers.get('authorization') === 'Bearer wrong') abort(401, 'Log in.')
  }

  /**
   * Finds articles.
   *
   * Compares the beginning of names.
   * @param query words of the name
   * @param limit maximum number of articles
   */
  stock_find(query: string, limit: number) {
    return ['lamp', 'lantern'].filter((name) => name.startsWith(query)).slice(0, limit)
  }

  /** Counts the pieces of an article. */
  stock_count(name: string) {
    if (name === 'table') throw new JSONRPCError(26, 'No such article.', { name })
    return name.length
  }

  stock_order(ordered: z.infer<typeof order>) {
    return ordered
  }

  stock_broken() {
    return 'not a struct'
  }

  greet(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}!`
  }

  nothing() {}

  page() {
    abort(404, 'There is no such page.')
  }

  refuse(status: number) {
    abort(status === 401 ? 401 : 403, 'Not you.')
  }

  blocks() {
    return { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }
  }

  breaks() {
    throw new RangeError('swordfish')
  }

  inform({ title, tags = [] }: { title: string; tags?: string[] }) {
    return { title, tags }
  }

  _secret() {
    return 'secret'
  }
}

/** Errors that the application logged. */
export const logged: string[] = []

/** An application that serves the stock at `/stock`. */
export function stockApp(options: Pick<FrameworkAppOptions, 'debug' | 'hosts'> = {}): FrameworkApp {
  const log = (message: string) => void logged.push(message)
  return new FrameworkApp({
    map: new Mapper().rpc('stock', '/stock'),
    controllers: { stock: StockController },
    logger: { info: log, warn: log, error: log },
    ...options,
  })
}
