import { Hono } from 'hono'
import { findUser, otherCollections, problemIn, stream } from '../works/data.ts'
import { usersPage } from './pages.mjs'

const app = new Hono()

app.get('/hello/index', (c) => c.text('Hello World'))
app.get('/files/stream', (c) =>
  c.body(ReadableStream.from(stream()), 200, { 'Content-Type': 'application/octet-stream' }),
)
app.get('/users', (c) => c.html(usersPage()))
app.post('/users', async (c) => {
  const fields = await c.req.parseBody()
  const problem = problemIn((name) => fields[name])
  if (problem !== undefined) return c.text(problem, 400)
  return c.text(`Created ${fields.name}`, 201, { Location: `/users/${fields.name}` })
})
app.get('/users/:id', (c) => {
  const user = findUser(c.req.param('id'))
  return user === undefined ? c.notFound() : c.json(user)
})
app.put('/users/:id', (c) => c.text(c.req.param('id')))
app.delete('/users/:id', (c) => c.text(c.req.param('id')))
for (const name of otherCollections) {
  app.get(`/${name}`, (c) => c.text(name))
  app.post(`/${name}`, (c) => c.text(name))
  app.get(`/${name}/:id`, (c) => c.text(c.req.param('id')))
  app.put(`/${name}/:id`, (c) => c.text(c.req.param('id')))
  app.delete(`/${name}/:id`, (c) => c.text(c.req.param('id')))
}

export default app
