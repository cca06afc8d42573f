/** Fastify with @fastify/middie: middleware guards the paths below a prefix. */
import { load, ready, secret, token } from './site.mjs'

const app = load('fastify')({ routerOptions: { ignoreDuplicateSlashes: true, useSemicolonDelimiter: true } })
await app.register(load('@fastify/middie'))
app.use('/members', (request, response, next) => {
  if (request.headers['x-token'] === token) return next()
  response.statusCode = 401
  response.end('401')
})
app.get('/members', async () => secret)
app.get('/members/list', async () => secret)
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server.address().port)
