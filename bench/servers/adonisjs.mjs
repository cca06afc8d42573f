// The HTTP server of AdonisJS without its application, created by the factories of the package.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { AppFactory } from '@adonisjs/application/factories'
import { BodyParserMiddlewareFactory } from '@adonisjs/bodyparser/factories'
import { ServerFactory } from '@adonisjs/http-server/factories'
import { findUser, otherCollections, problemIn, stream } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { listen } from './ready.mjs'

const application = new AppFactory().create(new URL('./', import.meta.url))
await application.init()
const server = new ServerFactory().merge({ app: application }).create()
const router = server.getRouter()
const bodyParser = new BodyParserMiddlewareFactory().create()
const member = ({ params }) => params.id

router.get('/hello/index', () => 'Hello World')
router.get('/files/stream', ({ response }) => {
  response.type('application/octet-stream')
  response.stream(Readable.from(stream(), { objectMode: false }))
})
router.get('/users', ({ response }) => response.type('html').send(usersPage()))
router
  .post('/users', ({ request, response }) => {
    const fields = request.body()
    const problem = problemIn((name) => fields[name])
    if (problem !== undefined) return response.badRequest(problem)
    response.header('Location', `/users/${fields.name}`)
    return response.created(`Created ${fields.name}`)
  })
  .use((context, next) => bodyParser.handle(context, next))
router.get('/users/:id', ({ params, response }) => findUser(params.id) ?? response.notFound('Not Found'))
router.put('/users/:id', member)
router.delete('/users/:id', member)
for (const name of otherCollections) {
  router.get(`/${name}`, () => name)
  router.post(`/${name}`, () => name)
  router.get(`/${name}/:id`, member)
  router.put(`/${name}/:id`, member)
  router.delete(`/${name}/:id`, member)
}

await server.boot()
listen(createServer(server.handle.bind(server)))
