import { getRouterParam, H3, HTTPError, html, raw, readBody, serve } from 'h3'
import { findUser, otherCollections, problemIn, stream } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { ready } from './ready.mjs'

const app = new H3()
const id = (event) => getRouterParam(event, 'id')

app.get('/hello/index', () => 'Hello World')
app.get('/files/stream', (event) => {
  event.res.headers.set('content-type', 'application/octet-stream')
  return ReadableStream.from(stream())
})
app.get('/users', () => html(raw(usersPage())))
app.post('/users', async (event) => {
  const fields = await readBody(event)
  const problem = problemIn((name) => fields[name])
  if (problem !== undefined) throw new HTTPError({ status: 400, message: problem })
  event.res.status = 201
  event.res.headers.set('location', `/users/${fields.name}`)
  event.res.headers.set('content-type', 'text/plain; charset=utf-8')
  return `Created ${fields.name}`
})
app.get('/users/:id', (event) => {
  const user = findUser(id(event))
  if (user === undefined) throw new HTTPError({ status: 404 })
  return user
})
app.put('/users/:id', id)
app.delete('/users/:id', id)
for (const name of otherCollections) {
  app.get(`/${name}`, () => name)
  app.post(`/${name}`, () => name)
  app.get(`/${name}/:id`, id)
  app.put(`/${name}/:id`, id)
  app.delete(`/${name}/:id`, id)
}

const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true })
await server.ready()
ready(server.node.server.address().port)
