/** Hono with @hono/node-server: a directory of files, of which middleware guards a part. */
import { chdir } from 'node:process'
import { files, load, ready, secret, token } from './site.mjs'

const { serve } = load('@hono/node-server')
const { serveStatic } = load('@hono/node-server/serve-static')
const { Hono } = load('hono')

chdir(files())
const app = new Hono()
const guard = async (context, next) => {
  if (context.req.header('X-Token') !== token) return context.text('401', 401)
  await next()
}
app.use('/private/*', guard)
app.use('/members/*', guard)
app.get('/members/list', (context) => context.text(secret))
app.use('/*', serveStatic({ root: './' }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
