/** Hono with @hono/node-server and its own middleware. */
import { relative } from 'node:path'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { defined, partsOf, policies, ready, root, textOf } from './common.mjs'

const app = new Hono()
// By default it also prints the error.
app.onError((_error, context) => context.text('Internal Server Error', 500))
app.use('/files/*', etag())
app.get('/files/*', serveStatic({ root: relative(process.cwd(), root) }))
app.all('/files/*', (context) => context.notFound())
app.post('/upload', async (context) => {
  const entries = [...(await context.req.formData())]
  const uploaded = entries.filter(([, value]) => typeof value !== 'string')
  return context.json(
    partsOf(
      Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')),
      await Promise.all(
        uploaded.map(async ([name, file]) => ({
          name,
          filename: file.name,
          type: file.type,
          bytes: await file.arrayBuffer(),
        })),
      ),
    ),
  )
})
const FIELDS = { type: 'Accept', language: 'Accept-Language', encoding: 'Accept-Encoding' }
app.get('/negotiated', (context) => {
  const supports = context.req.queries('offer') ?? []
  const header = FIELDS[context.req.query('of')]
  // Its helper requires a default, so that it does not tell a refusal from an absent field.
  const byDefault = context.req.header(header) === undefined ? supports[0] : undefined
  return context.text(accepts(context, { header, supports, default: byDefault ?? 'none' }))
})
for (const [name, { origins, methods, headers, expose, credentials, maxAge }] of Object.entries(policies)) {
  const origin = origins instanceof RegExp ? (given) => (origins.test(given) ? given : undefined) : origins
  const options = { allowMethods: methods, allowHeaders: headers, exposeHeaders: expose, credentials, maxAge }
  app.use(`/cors/${name}`, cors(defined({ origin: origin ?? '*', ...options })))
  app.get(`/cors/${name}`, (context) => {
    context.header('Vary', 'Foo', { append: true })
    return context.text('hello')
  })
}
app.get('/compressed', compress(), (context) => {
  const { headers, body, chunks } = textOf(new URL(context.req.url).searchParams)
  if (chunks === undefined) return context.body(body, 200, headers)
  const stream = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream())
  return context.body(stream, 200, headers)
})
app.all('/outside.txt', (context) => context.notFound())
app.all('*', async (context) => context.text(await context.req.text()))

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
