// Event streams without Propylon. The argument is the name of the server.
import { createServer } from 'node:http'
import { news } from '../works/data.ts'
import { listen, ready } from './ready.mjs'

const HEAD = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
const responses = new Set()
// As long as the ids of a channel, so that all servers send as many bytes.
let id = 1000 * Date.now()

function subscribe(res) {
  res.writeHead(200, HEAD)
  res.flushHeaders()
  responses.add(res)
  res.on('close', () => responses.delete(res))
}

function publish() {
  id++
  const text = `id: ${id}\ndata: ${JSON.stringify(news)}\n\n`
  for (const res of responses) res.write(text)
}

const servers = {
  node() {
    const server = createServer((req, res) => {
      if (req.url !== '/events') return res.writeHead(404).end()
      if (req.method === 'GET') return subscribe(res)
      publish()
      res.writeHead(204).end()
    })
    listen(server)
  },

  async fastify() {
    const { default: Fastify } = await import('fastify')
    const app = Fastify({ logger: false })
    app.get('/events', (_request, reply) => {
      reply.hijack()
      subscribe(reply.raw)
    })
    app.post('/events', (_request, reply) => {
      publish()
      reply.code(204).send()
    })
    await app.listen({ port: 0, host: '127.0.0.1', backlog: 1024 })
    ready(app.server.address().port)
  },

  async express() {
    const { default: express } = await import('express')
    const app = express()
    app.get('/events', (_req, res) => subscribe(res))
    app.post('/events', (_req, res) => {
      publish()
      res.sendStatus(204)
    })
    listen(createServer(app))
  },

  async hono() {
    const [{ Hono }, { streamSSE }, { serve }] = await Promise.all([
      import('hono'),
      import('hono/streaming'),
      import('@hono/node-server'),
    ])
    const streams = new Set()
    const app = new Hono()
    app.get('/events', (c) =>
      streamSSE(c, async (stream) => {
        streams.add(stream)
        await new Promise((resolve) => stream.onAbort(resolve))
        streams.delete(stream)
      }),
    )
    app.post('/events', (c) => {
      id++
      const data = JSON.stringify(news)
      for (const stream of streams) void stream.writeSSE({ id: String(id), data })
      return c.body(null, 204)
    })
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
  },
}

await servers[process.argv[2]]()
