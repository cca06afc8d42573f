import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import type { WSGIApplication } from 'propylon/wsgi'

/** The old application: describes the request, as the server has sent it. */
const old: WSGIApplication = async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  const { REQUEST_METHOD: method, SCRIPT_NAME: script, PATH_INFO: path } = environ
  const rest = [environ['propylon.route'], environ['wsgiorg.routing_args']].filter((value) => value !== undefined)
  return [`old ${method} ${script}|${path} ${new TextDecoder().decode(body)}${rest.map(String)}`]
}

let hooks = 0

class BooksController extends WSGIController {
  __before__() {
    hooks += 1
  }
  index() {
    return 'new index'
  }
  show(id: string) {
    return `new ${id}`
  }
  update(id: string) {
    return `updated ${id}`
  }
}

class AllowController extends WSGIController {
  static allow = ['GET']
  index() {
    return 'new'
  }
}

class StockController extends RPCController {
  static faces = ['json'] as const
  count() {
    return 1
  }
}

function clientOf(options: Partial<FrameworkAppOptions> = {}, lint = true): TestApp {
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/missing', { controller: 'not_moved', action: 'index' })
      .connect('/files/{path_info:.*}', { controller: 'books', action: 'download' })
      .connect('/allow', { controller: 'allow', action: 'index' })
      .rpc('stock', '/stock')
      .resource('book', 'books')
      .connect('/{controller}/{action}')
      .connect('/{controller}/{action}/{id}'),
    controllers: { books: BooksController, allow: AllowController, stock: StockController },
    fallback: old,
    ...options,
  })
  return new TestApp(app, { lint })
}

const CROSS = { headers: { 'Sec-Fetch-Site': 'cross-site' } }

describe('the option fallback', () => {
  for (const [request, expected] of Object.entries({
    'GET /books': 'new index',
    'GET /books/7': 'new 7',
    'HEAD /books': '',
    'GET /books/index': 'new index',
    'GET /': 'old GET |/ ',
    'GET /other': 'old GET |/other ',
    'GET /missing': 'old GET |/missing ',
    'POST /books/7': 'old POST |/books/7 ',
    'PATCH /books': 'old PATCH |/books ',
    'OPTIONS /books': 'old OPTIONS |/books ',
    'OPTIONS /other': 'old OPTIONS |/other ',
    // The class has no such action.
    'POST /books': 'old POST |/books ',
    'GET /books/new': 'old GET |/books/new ',
    'DELETE /books/7': 'old DELETE |/books/7 ',
    'GET /books/7/edit': 'old GET |/books/7/edit ',
    'GET /books/recent/1': 'old GET |/books/recent/1 ',
    'GET /books/_secret/1': 'old GET |/books/_secret/1 ',
    'GET /files/a%2Fb': 'old GET |/files/a/b ',
    'GET /files/': 'old GET |/files/ ',
    // A route without methods does not run reading actions of a resource, or updates, for other methods.
    'POST /books/index': 'old POST |/books/index ',
    'GET /books/update/7': 'old GET |/books/update/7 ',
  })) {
    test(`${request} is ${expected}`, async () => {
      const [method = '', path = ''] = request.split(' ')
      const before = hooks
      const response = await clientOf().request(method, path, {})
      assert.equal(response.text, expected)
      if (expected.startsWith('old')) assert.equal(hooks, before)
    })
  }

  test('is not called for what a controller refuses', async () => {
    const client = clientOf()
    for (const [method, path, status] of [
      ['POST', '/allow', 405],
      ['GET', '/stock/unknown', 404],
      ['PUT', '/stock', 405],
    ] as const) {
      await client.request(method, path, { status })
    }
  })

  test('receives a form that was read for its method', async () => {
    const client = clientOf()
    assert.equal((await client.post('/books/7', { _method: 'PUT', a: '1' })).text, 'updated 7')
    assert.equal((await client.post('/books/7', { a: '1', _method: 'PUT' })).text, 'updated 7')
    assert.equal((await client.post('/books/7', { a: '1' })).text, 'old POST |/books/7 a=1')
    assert.equal(
      (await client.post('/books/7', { a: '1', _method: 'DELETE' })).text,
      'old POST |/books/7 a=1&_method=DELETE',
    )
  })

  test('receives a form that is too large for this application', async () => {
    const large = 'x'.repeat(2 * 2 ** 20)
    const { text } = await clientOf().post('/books/7', { a: large })
    assert.equal(text, `old POST |/books/7 a=${large}`)
    // The validator hides the kind of the input, from which the first field is read.
    const client = clientOf({}, false)
    assert.equal((await client.post('/books/7', { _method: 'PUT', a: large })).text, 'updated 7')
  })

  test('decides about requests of other sites', async () => {
    const client = clientOf()
    assert.match((await client.post('/payment', 'a=1', CROSS)).text, /^old POST/)
    assert.match((await client.post('/books', 'a=1', CROSS)).text, /^old POST/)
    assert.match((await client.post('/books/7', 'a=1', CROSS)).text, /^old POST/)
    assert.equal((await client.put('/books/7', 'a=1', { ...CROSS, status: 403 })).status, 403)
  })

  test('runs within the middleware, for served hosts', async () => {
    const client = clientOf({
      hosts: ['localhost'],
      middleware: [
        (app) => (environ, start_response) =>
          app(environ, (status, headers) => start_response(status, [...headers, ['X-Outer', '1']])),
      ],
    })
    assert.equal((await client.get('/other')).headers.get('x-outer'), '1')
    await client.get('/other', { headers: { Host: 'evil.example' }, status: 400 })
  })

  test('comes after public files', async () => {
    const client = clientOf({ public: new URL('../../src/tools/cli/templates/project/', import.meta.url) })
    assert.match((await client.get('/static/nothing.css')).text, /^old GET \|\/static\/nothing.css/)
    assert.match((await client.post('/static/nothing.css')).text, /^old POST/)
    assert.match((await client.get('/nothing.css')).text, /^old/)
  })

  test('answers in debug mode too', async () => {
    assert.match((await clientOf({ debug: true }).get('/missing')).text, /^old/)
  })

  test('takes an object with an application, and refuses other values', async () => {
    assert.match((await clientOf({ fallback: { wsgi: old } }).get('/other')).text, /^old/)
    assert.throws(() => clientOf({ fallback: 'http://127.0.0.1' as unknown as WSGIApplication }), TypeError)
  })
})
