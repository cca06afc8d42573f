import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import { findUser, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { listen, SERVER_OPTIONS } from './ready.mjs'

const app = new Koa()
const router = new Router()
const member = (ctx) => {
  ctx.body = ctx.params.id
}

router.get('/hello/index', (ctx) => {
  ctx.body = 'Hello World'
})
router.get('/files/stream', (ctx) => {
  ctx.type = 'application/octet-stream'
  ctx.body = Readable.from(stream(), { objectMode: false })
})
router.get('/users', (ctx) => {
  ctx.type = 'html'
  ctx.body = usersPage()
})
router.post('/users', bodyParser({ enableTypes: ['form'] }), (ctx) => {
  const { success, data } = UserForm.safeParse(ctx.request.body)
  if (!success) ctx.throw(400)
  ctx.status = 201
  ctx.set('Location', `/users/${data.name}`)
  ctx.body = `Created ${data.name}`
})
router.get('/users/:id', (ctx) => {
  const user = findUser(ctx.params.id)
  if (user === undefined) ctx.throw(404)
  ctx.body = user
})
router.put('/users/:id', member)
router.delete('/users/:id', member)
for (const name of otherCollections) {
  const list = (ctx) => {
    ctx.body = name
  }
  router.get(`/${name}`, list)
  router.post(`/${name}`, list)
  router.get(`/${name}/:id`, member)
  router.put(`/${name}/:id`, member)
  router.delete(`/${name}/:id`, member)
}

app.use(router.routes()).use(router.allowedMethods())
listen(createServer(SERVER_OPTIONS, app.callback()))
