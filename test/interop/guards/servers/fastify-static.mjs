/** Fastify with @fastify/static: a directory of files, of which a route guards a part. */
import { files, load, ready, secret, token } from './site.mjs'

const root = files()
const app = load('fastify')()
await app.register(load('@fastify/static'), { root })
app.addHook('onRequest', async (request, reply) => {
  const { guarded } = request.routeOptions.config
  if (guarded && request.headers['x-token'] !== token) return reply.code(401).send('401')
})
const options = { config: { guarded: true } }
app.get('/private/*', options, (request, reply) => reply.sendFile(`private/${request.params['*']}`))
app.get('/members/list', options, async () => secret)
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server.address().port)
