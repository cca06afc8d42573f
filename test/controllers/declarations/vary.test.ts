import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, done, FrameworkApp, Mapper, Response, redirect, WSGIController } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import type { StartResponse, WSGIApplication } from 'propylon/wsgi'
import * as v from 'valibot'

const Name = v.object({ name: v.string() })
const shared = new Response('shared')
const application: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Vary', 'Cookie']])
  return ['x']
}

class PagesController extends WSGIController {
  static args = { plain: { page: optional(int, 1) }, submit: { user: body(Name, { form: 'form' }) } }
  static pages = {
    plain: 'page',
    guarded: 'page',
    cookie: 'page',
    any: 'page',
    current: 'page',
    moved: 'page',
    refused: 'page',
    own: 'page',
    one: 'page',
    wsgi: 'page',
    started: 'page',
  }

  __before__(action: string) {
    if (action === 'guarded') this.fresh({ etag: 'a' })
  }
  plain(page: number) {
    return { page }
  }
  guarded() {
    return {}
  }
  cookie() {
    this.response.headers.set('Vary', 'Cookie')
    return {}
  }
  any() {
    this.response.headers.set('Vary', '*')
    return {}
  }
  current() {
    this.cookie()
    this.fresh({ etag: 'a' })
    return {}
  }
  moved() {
    this.cookie()
    redirect('/plain')
  }
  refused() {
    this.cookie()
    abort(403)
  }
  own() {
    return new Response('x', { headers: { Vary: 'Cookie' } })
  }
  one() {
    return shared
  }
  wsgi() {
    return application
  }
  started(start_response: StartResponse) {
    start_response('200 OK', [['Vary', 'Cookie']])
    return ['x']
  }
  form() {
    this.response.headers.set('Vary', 'Cookie')
    return 'the form'
  }
  submit(user: v.InferOutput<typeof Name>) {
    this.response.headers.set('Vary', 'Cookie')
    return done(`/${user.name}`)
  }
  suffixed(format = 'html') {
    this.response.headers.set('Vary', 'Cookie')
    return format
  }
}

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper()
      .connect('/suffixed{.format}', { controller: 'pages', action: 'suffixed' })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    templates: { page: 'a page' },
  }),
  { errors: 'page' },
)

describe('Vary of a negotiated response', () => {
  const rows: [
    method: string,
    path: string,
    status: number,
    vary: string,
    headers?: Record<string, string>,
  ][] = [
    ['GET', '/plain', 200, 'Accept'],
    ['HEAD', '/plain', 200, 'Accept'],
    ['GET', '/plain?page=x', 400, 'Accept'],
    ['GET', '/cookie', 200, 'Cookie, Accept'],
    ['GET', '/any', 200, '*'],
    ['GET', '/any', 406, '*', { Accept: 'image/png' }],
    ['GET', '/guarded', 304, 'Accept', { 'If-None-Match': '"a"' }],
    ['GET', '/current', 304, 'Cookie, Accept', { 'If-None-Match': '"a"' }],
    ['GET', '/moved', 302, 'Accept, Cookie'],
    ['GET', '/refused', 403, 'Accept, Cookie'],
    ['GET', '/cookie', 406, 'Accept, Cookie', { Accept: 'image/png' }],
    ['GET', '/own', 200, 'Cookie, Accept'],
    ['GET', '/one', 200, 'Accept'],
    ['GET', '/wsgi', 200, 'Cookie, Accept'],
    ['GET', '/started', 200, 'Cookie, Accept'],
    ['GET', '/suffixed', 200, 'Cookie, Accept'],
    ['GET', '/suffixed.html', 200, 'Cookie'],
    ['POST', '/submit?name=', 400, 'Cookie, Accept', { Accept: 'text/html' }],
  ]
  for (const [method, path, status, vary, headers = {}] of rows) {
    it(`is ${vary} for ${method} ${path} with the status ${status}`, async () => {
      const response = await client.request(method, path, { headers })
      assert.deepEqual([response.status, response.headers.get('vary')], [status, vary])
    })
  }

  for (const [accept, status] of [
    ['text/html', 303],
    ['application/json', 204],
  ] as const) {
    it(`is in the outcome ${status}`, async () => {
      const response = await client.post('/submit', { name: 'ann' }, { headers: { Accept: accept } })
      assert.deepEqual([response.status, response.headers.get('vary')], [status, 'Cookie, Accept'])
    })
  }

  it('leaves a Response that serves many requests as it is', async () => {
    await client.get('/one')
    assert.deepEqual([...shared.headers], [])
  })
})
