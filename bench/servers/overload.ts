/** An application whose action waits for one of eight pooled resources and uses it for 5 ms. */
import { setTimeout as sleep } from 'node:timers/promises'
import { FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { serve } from '../../src/wsgi/node/index.ts'
import { ready } from './ready.mjs'

class Pool {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number) {
    this.#free = size
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

const pool = new Pool(8)

class OrdersController extends WSGIController {
  index() {
    return pool.use(() => sleep(5, 'Hello World'))
  }
}

const map = new Mapper().connect('/{controller}', { action: 'index' })
const app = new FrameworkApp({ map, controllers: { orders: OrdersController } })
const [limit] = process.argv.slice(2)
const { port } = await serve(app, {
  backlog: 1024,
  ...(limit === undefined ? {} : { maxRequests: Number(limit) }),
})
ready(port)
