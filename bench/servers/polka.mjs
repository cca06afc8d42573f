// Polka uses the response of node:http, so responses are written as in the bare server.
import { createServer } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import bodyParser from 'body-parser'
import polka from 'polka'
import { findUser, otherCollections, problemIn, stream } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { listen } from './ready.mjs'

function send(res, status, type, body) {
  res.writeHead(status, ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))])
  res.end(body)
}

const text = (res, status, body) => send(res, status, 'text/plain; charset=utf-8', body)
const member = (req, res) => text(res, 200, req.params.id)

const app = polka({ onNoMatch: (_req, res) => text(res, 404, 'Not Found') })
app.get('/hello/index', (_req, res) => text(res, 200, 'Hello World'))
app.get('/files/stream', (_req, res) => {
  res.writeHead(200, ['Content-Type', 'application/octet-stream'])
  pipeline(Readable.from(stream(), { objectMode: false }), res, () => {})
})
app.get('/users', (_req, res) => send(res, 200, 'text/html; charset=utf-8', usersPage()))
app.post('/users', bodyParser.urlencoded({ extended: false }), (req, res) => {
  const fields = req.body
  const problem = problemIn((name) => fields[name])
  if (problem !== undefined) return text(res, 400, problem)
  res.setHeader('Location', `/users/${fields.name}`)
  text(res, 201, `Created ${fields.name}`)
})
app.get('/users/:id', (req, res) => {
  const user = findUser(req.params.id)
  if (user === undefined) text(res, 404, 'Not Found')
  else send(res, 200, 'application/json', JSON.stringify(user))
})
app.put('/users/:id', member)
app.delete('/users/:id', member)
for (const name of otherCollections) {
  const list = (_req, res) => text(res, 200, name)
  app.get(`/${name}`, list)
  app.post(`/${name}`, list)
  app.get(`/${name}/:id`, member)
  app.put(`/${name}/:id`, member)
  app.delete(`/${name}/:id`, member)
}

listen(createServer(app.handler))
