import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { findUser, otherCollections, stream, UserForm, users } from '../works/data.ts'

const app = new Hono()

app.get('/hello/index', (c) => c.text('Hello World'))
app.get('/files/stream', (c) =>
  c.body(ReadableStream.from(stream()), 200, { 'Content-Type': 'application/octet-stream' }),
)
app.get('/users', (c) => c.html(usersPage()))
app.post('/users', zValidator('form', UserForm), (c) => {
  const { name } = c.req.valid('form')
  return c.text(`Created ${name}`, 201, { Location: `/users/${name}` })
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

/** The page of the other servers, by Hono's own templates. */
function usersPage() {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Users</title></head>
<body>
<h1>Users (${users.length})</h1>
<ul>
${users.map(
  (user) => html`
  <li><a href="/users/${user.name}"><strong>${user.full_name}</strong></a> <${user.email}></li>
`,
)}
</ul>
</body>
</html>
`
}

export default app
