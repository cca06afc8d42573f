import { Readable } from 'node:stream'
import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { findUser, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { ready, SERVER_OPTIONS } from './ready.mjs'

const app = Fastify({ logger: false, http: SERVER_OPTIONS })
await app.register(formbody)

const string = { type: 'string' }
const userSchema = {
  type: 'object',
  properties: { name: string, full_name: string, email: string, link: string },
}

app.get('/hello/index', (_request, reply) => reply.send('Hello World'))
app.get('/files/stream', (_request, reply) =>
  reply.type('application/octet-stream').send(Readable.from(stream(), { objectMode: false })),
)
app.get('/users', (_request, reply) => reply.type('text/html; charset=utf-8').send(usersPage()))
app.post('/users', { schema: { body: UserForm }, validatorCompiler }, (request, reply) => {
  const { name } = request.body
  reply.code(201).header('Location', `/users/${name}`).send(`Created ${name}`)
})
app.get('/users/:id', { schema: { response: { 200: userSchema } } }, (request, reply) => {
  const user = findUser(request.params.id)
  if (user === undefined) reply.callNotFound()
  else reply.send(user)
})
app.put('/users/:id', (request, reply) => reply.send(request.params.id))
app.delete('/users/:id', (request, reply) => reply.send(request.params.id))
for (const name of otherCollections) {
  app.get(`/${name}`, (_request, reply) => reply.send(name))
  app.post(`/${name}`, (_request, reply) => reply.send(name))
  app.get(`/${name}/:id`, (request, reply) => reply.send(request.params.id))
  app.put(`/${name}/:id`, (request, reply) => reply.send(request.params.id))
  app.delete(`/${name}/:id`, (request, reply) => reply.send(request.params.id))
}

await app.listen({ port: 0, host: '127.0.0.1', backlog: 1024 })
ready(app.server.address().port)
