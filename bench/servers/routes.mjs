// Many routes without Propylon. The arguments are the name of the server and the numbers of the routes: /part7/{id}.
import { createServer } from 'node:http'
import { listen, ready } from './ready.mjs'

const [name, count] = process.argv.slice(2)
const numbers = Array.from({ length: Number(count) }, (_, index) => index)

const servers = {
  node() {
    const handlers = new Map(numbers.map((number) => [`/part${number}`, (id) => `part${number} ${id}`]))
    const server = createServer((req, res) => {
      const slash = req.url.lastIndexOf('/')
      const handler = handlers.get(req.url.slice(0, slash))
      const body = handler?.(decodeURIComponent(req.url.slice(slash + 1))) ?? 'Not Found'
      res.writeHead(handler === undefined ? 404 : 200, [
        'Content-Type',
        'text/plain; charset=utf-8',
        'Content-Length',
        String(Buffer.byteLength(body)),
      ])
      res.end(body)
    })
    listen(server)
  },

  async fastify() {
    const { default: Fastify } = await import('fastify')
    const app = Fastify({ logger: false })
    for (const number of numbers)
      app.get(`/part${number}/:id`, (request, reply) => reply.send(`part${number} ${request.params.id}`))
    await app.listen({ port: 0, host: '127.0.0.1', backlog: 1024 })
    ready(app.server.address().port)
  },

  async express() {
    const { default: express } = await import('express')
    const app = express()
    app.disable('x-powered-by')
    app.disable('etag')
    for (const number of numbers)
      app.get(`/part${number}/:id`, (req, res) => res.send(`part${number} ${req.params.id}`))
    listen(createServer(app))
  },

  async hono() {
    const [{ Hono }, { serve }] = await Promise.all([import('hono'), import('@hono/node-server')])
    const app = new Hono()
    for (const number of numbers)
      app.get(`/part${number}/:id`, (c) => c.text(`part${number} ${c.req.param('id')}`))
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
  },
}

await servers[name]()
