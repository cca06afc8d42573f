import { createServer } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import express from 'express'
import { findUser, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { listen, SERVER_OPTIONS } from './ready.mjs'

const app = express()
app.disable('x-powered-by')
app.disable('etag')
const member = (req, res) => res.send(req.params.id)

app.get('/hello/index', (_req, res) => res.send('Hello World'))
app.get('/files/stream', (_req, res, next) => {
  res.type('application/octet-stream')
  pipeline(Readable.from(stream(), { objectMode: false }), res, (error) => {
    if (error && !res.headersSent) next(error)
  })
})
app.get('/users', (_req, res) => res.send(usersPage()))
app.post('/users', express.urlencoded({ extended: false }), (req, res) => {
  const { success, data } = UserForm.safeParse(req.body)
  if (!success) res.sendStatus(400)
  else res.status(201).location(`/users/${data.name}`).send(`Created ${data.name}`)
})
app.get('/users/:id', (req, res) => {
  const user = findUser(req.params.id)
  if (user === undefined) res.sendStatus(404)
  else res.json(user)
})
app.put('/users/:id', member)
app.delete('/users/:id', member)
for (const name of otherCollections) {
  const list = (_req, res) => res.send(name)
  app.get(`/${name}`, list)
  app.post(`/${name}`, list)
  app.get(`/${name}/:id`, member)
  app.put(`/${name}/:id`, member)
  app.delete(`/${name}/:id`, member)
}

listen(createServer(SERVER_OPTIONS, app))
