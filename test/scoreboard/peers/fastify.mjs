/** Fastify with its plugins for files, forms, negotiation, Cross-Origin Resource Sharing and compression. */
import { Readable } from 'node:stream'
import accepts from '@fastify/accepts'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import files_ from '@fastify/static'
import fastify from 'fastify'
import { corsOptions, files, partsOf, policies, queryOf, ready, textOf } from './common.mjs'

const app = fastify()
app.register(files_, { root: files, prefix: '/files/', dotfiles: 'ignore', redirect: true })
app.register(accepts)
app.register(async (scope) => {
  await scope.register(multipart)
  scope.post('/upload', async (request) => {
    const fields = {}
    const uploaded = []
    for await (const part of request.parts()) {
      const { type, fieldname, filename, mimetype, value } = part
      if (type === 'file') {
        uploaded.push({ name: fieldname, filename, type: mimetype, bytes: await part.toBuffer() })
      } else fields[fieldname] = typeof value === 'string' ? value : JSON.stringify(value)
    }
    return partsOf(fields, uploaded)
  })
})
app.get('/negotiated', (request, reply) => {
  const query = queryOf(request.url)
  const chosen = request.accepts()[query.get('of')](query.getAll('offer'))
  reply.type('text/plain').send(chosen || 'none')
})
for (const [name, policy] of Object.entries(policies)) {
  app.register(
    async (scope) => {
      await scope.register(cors, corsOptions(policy))
      scope.get('/', async (_request, reply) => {
        const set = reply.getHeader('Vary')
        reply.header('Vary', set === undefined ? 'Foo' : `Foo, ${set}`)
        return 'hello'
      })
    },
    { prefix: `/cors/${name}` },
  )
}
app.register(async (scope) => {
  await scope.register(compress)
  scope.get('/compressed', (request, reply) => {
    const { headers, body, chunks } = textOf(queryOf(request.url))
    reply.headers(headers).send(chunks === undefined ? body : Readable.from(chunks))
  })
})
app.all('/outside.txt', (_request, reply) => reply.callNotFound())
app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.all('/*', (request, reply) => reply.type('text/plain').send(request.body ?? ''))
})

await app.listen({ host: '127.0.0.1', port: 0 })
ready(app.server.address().port)
