import { Elysia } from 'elysia'
import { findUser, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'

/** @param {import('elysia').ElysiaAdapter} [adapter] Defaults to the adapter for Bun. */
export function elysia(adapter) {
  const app = new Elysia({ precompile: true, ...(adapter === undefined ? {} : { adapter }) })
    .get('/hello/index', () => 'Hello World')
    .get(
      '/files/stream',
      () =>
        new Response(ReadableStream.from(stream()), {
          headers: { 'content-type': 'application/octet-stream' },
        }),
    )
    .get('/users', () => {
      const page = usersPage()
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(Buffer.byteLength(page)),
      }
      return new Response(page, { headers })
    })
    .post(
      '/users',
      ({ body, set }) => {
        set.status = 201
        set.headers.location = `/users/${body.name}`
        set.headers['content-type'] = 'text/plain; charset=utf-8'
        return `Created ${body.name}`
      },
      { body: UserForm },
    )
    .get('/users/:id', ({ params, status }) => findUser(params.id) ?? status(404, 'Not Found'))
    .put('/users/:id', ({ params }) => params.id)
    .delete('/users/:id', ({ params }) => params.id)
  for (const name of otherCollections) {
    app
      .get(`/${name}`, () => name)
      .post(`/${name}`, () => name)
      .get(`/${name}/:id`, ({ params }) => params.id)
      .put(`/${name}/:id`, ({ params }) => params.id)
      .delete(`/${name}/:id`, ({ params }) => params.id)
  }
  return app
}
