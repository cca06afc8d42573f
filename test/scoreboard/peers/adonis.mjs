/** The HTTP server of AdonisJS without its application, with its packages for files, forms and Cross-Origin Resource Sharing. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { AppFactory } from '@adonisjs/application/factories'
import { BodyParserMiddlewareFactory } from '@adonisjs/bodyparser/factories'
import CorsMiddleware from '@adonisjs/cors/cors_middleware'
import { ServerFactory } from '@adonisjs/http-server/factories'
import StaticMiddleware from '@adonisjs/static/static_middleware'
import { partsOf, policies, queryOf, ready, root } from './common.mjs'

const application = new AppFactory().create(new URL('./', import.meta.url))
await application.init()
const server = new ServerFactory().merge({ app: application }).create()
const router = server.getRouter()
const bodyParser = new BodyParserMiddlewareFactory()
  .merge({ multipart: { convertEmptyStringsToNull: false, trimWhitespaces: false } })
  .create()
const files = new StaticMiddleware(root, { enabled: true, dotFiles: 'ignore' })

function corsOf({ origins, methods, headers, expose = [], credentials = false, maxAge }) {
  return new CorsMiddleware({
    enabled: true,
    origin: origins instanceof RegExp ? (origin) => origins.test(origin) : (origins ?? '*'),
    methods: methods ?? ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'],
    headers: headers ?? true,
    exposeHeaders: expose,
    credentials,
    maxAge,
  })
}

const cors = Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, corsOf(policy)]))

/** Middleware of the server, which runs before the routes. */
function middleware(handle) {
  return async () => ({
    default: class {
      handle(context, next) {
        return handle(context, next)
      }
    },
  })
}

server.use([
  middleware((context, next) =>
    context.request.url().startsWith('/files/') ? files.handle(context, next) : next(),
  ),
  middleware((context, next) => {
    const [, name] = /^\/cors\/(\w+)/.exec(context.request.url()) ?? []
    return cors[name]?.handle(context, next) ?? next()
  }),
])

router
  .post('/upload', async ({ request }) => {
    const sent = request.allFiles()
    const uploaded = Object.entries(sent).map(async ([name, file]) => ({
      name,
      filename: file.clientName,
      type: file.headers['content-type'],
      bytes: await readFile(file.tmpPath),
    }))
    const fields = Object.entries(request.body()).filter(([name]) => !(name in sent))
    return partsOf(Object.fromEntries(fields), await Promise.all(uploaded))
  })
  .use((context, next) => bodyParser.handle(context, next))
router.get('/negotiated', ({ request, response }) => {
  const query = queryOf(request.url(true))
  const method = { type: 'accepts', language: 'language', encoding: 'encoding' }[query.get('of')]
  response.type('text').send(request[method](query.getAll('offer')) || 'none')
})
router.get('/cors/:policy', ({ response }) => response.vary('Foo').send('hello'))
router.any('/outside.txt', ({ response }) => response.notFound())
router.any('/files/*', ({ response }) => response.notFound())
router.any('*', async ({ request, response }) => {
  response.type('text').send(await buffer(request.request))
})

await server.boot()
const listener = createServer(server.handle.bind(server)).listen(0, '127.0.0.1', () =>
  ready(listener.address().port),
)
