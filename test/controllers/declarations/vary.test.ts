import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, done, FrameworkApp, Mapper, Response, redirect, WSGIController } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { cached, decorate } from 'propylon/decorators'
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

let loads = 0

/** Results that are JSON for every client that accepts it. */
class DataController extends WSGIController {
  static args = { submit: { user: body(Name) }, bad: { page: int } }
  static results = {
    plain: Name,
    cookie: Name,
    replaced: Name,
    current: Name,
    gone: Name,
    bad: Name,
    kept: Name,
    nothing: null,
    submit: Name,
  }
  static statuses = { stated: 202 }

  __after__(action: string) {
    if (action === 'replaced') this.response.headers.set('Vary', 'Cookie')
  }
  plain() {
    return { name: 'ann' }
  }
  cookie() {
    this.response.headers.set('Vary', 'Cookie')
    return { name: 'ann' }
  }
  replaced() {
    return { name: 'ann' }
  }
  current() {
    this.fresh({ etag: 'a' })
    return { name: 'ann' }
  }
  gone() {
    return abort(410)
  }
  bad(page: number) {
    return { name: `${page}` }
  }
  kept() {
    loads += 1
    return { name: 'ann' }
  }
  nothing() {}
  submit(user: v.InferOutput<typeof Name>) {
    return user
  }
  stated() {
    return { name: 'ann' }
  }
  undeclared() {
    return { name: 'ann' }
  }
  static {
    decorate(this, { kept: [cached({ expires: 60 })] })
  }
}

const client = new TestApp(
  new FrameworkApp({
    map: new Mapper()
      .connect('/suffixed{.format}', { controller: 'pages', action: 'suffixed' })
      .connect('/data/{action}', { controller: 'data' })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController, data: DataController },
    templates: { page: 'a page' },
  }),
  { errors: 'page' },
)

describe('Vary of a negotiated response', () => {
  const rows: [method: string, path: string, status: number, vary: string | null, headers?: Record<string, string>][] =
    [
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
      ['GET', '/data/plain', 200, 'Accept'],
      ['HEAD', '/data/plain', 200, 'Accept'],
      ['GET', '/data/plain', 406, 'Accept', { Accept: 'text/html' }],
      ['GET', '/data/cookie', 200, 'Cookie, Accept'],
      ['GET', '/data/replaced', 200, 'Cookie, Accept'],
      ['GET', '/data/current', 200, 'Accept'],
      ['GET', '/data/current', 304, 'Accept', { 'If-None-Match': '"a"' }],
      ['GET', '/data/gone', 410, 'Accept'],
      ['GET', '/data/bad?page=x', 400, 'Accept'],
      ['GET', '/data/stated', 202, 'Accept'],
      ['GET', '/data/nothing', 204, null],
      ['GET', '/data/undeclared', 200, null],
      ['POST', '/data/plain', 200, null],
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

  it('keeps an answer of the cache from a client that does not accept it', async () => {
    const answers = []
    for (const accept of ['application/json', 'text/html', 'application/json']) {
      const { status, headers } = await client.get('/data/kept', { headers: { Accept: accept } })
      answers.push([status, headers.get('vary')?.toLowerCase()])
    }
    assert.deepEqual(answers, [
      [200, 'accept'],
      [406, 'accept'],
      [200, 'accept'],
    ])
    assert.equal(loads, 2)
  })

  it('leaves a Response that serves many requests as it is', async () => {
    await client.get('/one')
    assert.deepEqual([...shared.headers], [])
  })
})
