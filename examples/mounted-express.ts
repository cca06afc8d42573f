// A shop below /shop of an Express application. Express serves what no route of the shop matches.
import type { AddressInfo } from 'node:net'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { toListener } from 'propylon/node'

class CartController extends WSGIController {
  /** GET /shop/cart: url() begins with the mount point. */
  index() {
    return `<a href="${this.url('pay')}">Pay</a>`
  }

  /** GET /shop/cart/pay */
  pay() {
    return 'Thank you.'
  }
}

const shop = new FrameworkApp({
  map: new Mapper()
    .connect('/cart', { controller: 'cart', action: 'index' })
    .connect('pay', '/cart/pay', { controller: 'cart', action: 'pay' }),
  controllers: { cart: CartController },
})

const host = express()
host.use((_req, res, next) => {
  res.setHeader('X-Served-By', 'Express') // Middleware of Express applies to the shop too.
  next()
})
host.use('/shop', toListener(shop))
host.use((_req, res) => void res.status(404).send('Express has no such page.'))

const server = host.listen(Number(process.env.PORT || 5000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`http://127.0.0.1:${port}/shop/cart`)
})
