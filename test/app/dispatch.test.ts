import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ActionNotFound, abort, ControllerNotFound, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { createEnviron, type Environ, run, type StartResponse } from 'propylon/wsgi'
import { type RequestSpec, transports } from '../wsgi/transports.ts'

class HelloController extends WSGIController {
  index() {
    return 'Hello World'
  }
  greet(id = 'stranger') {
    this.response.contentType = 'text/plain'
    return `Hello, ${id}!`
  }
  method() {
    return this.request.method
  }
  async field() {
    return (await this.request.form()).get('field') ?? 'none'
  }
  with_dash() {
    return 'dash'
  }
  failing() {
    throw new Error('the secret of the house')
  }
  async failing_later() {
    await null
    throw new Error('the secret of the house')
  }
  async *failing_midway() {
    yield 'begun'
    throw new Error('midway')
  }
  _secret() {
    return 'secret'
  }
  get getter() {
    return () => 'getter'
  }
  field_function = () => 'field'
}

/** A resource whose actions return their name and id. */
class UsersController extends WSGIController {
  index(format = 'html') {
    return `index ${format}`
  }
  create() {
    return `create by ${this.request.method}`
  }
  new(format = 'html') {
    return `new ${format}`
  }
  async update(id: string) {
    return `update ${id} ${(await this.request.form()).get('name')}`
  }
  delete(id: string) {
    return `delete ${id} by ${this.request.originalMethod}`
  }
  show(id: string, format = 'html') {
    return `show ${id} ${format}`
  }
  edit(id: string, format = 'html') {
    return `edit ${id} ${format}`
  }
}

function mounted(environ: Environ, start_response: StartResponse) {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [`${environ.REQUEST_METHOD} ${environ.SCRIPT_NAME}|${environ.PATH_INFO}`]
}

function aborting(_environ: Environ, _start_response: StartResponse): never {
  abort(403)
}

function abortingLate(_environ: Environ, start_response: StartResponse): never {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  abort(403)
}

function makeApp(debug = false): FrameworkApp {
  const map = new Mapper()
    .resource('user', 'users')
    .connect('/mounted/{path_info:.*}', { controller: 'mounted' })
    .connect('/lost', { controller: 'lost', action: 'index' })
    .connect('/no-controller', { action: 'index' })
    .connect('/{controller}', { action: 'index' })
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}')
  return new FrameworkApp({
    map,
    debug,
    controllers: {
      hello: HelloController,
      users: UsersController,
      'admin/users': UsersController,
      mounted,
      aborting,
      aborting_late: abortingLate,
      my_thing: HelloController,
      broken: () => import('./missing-module.ts' as string),
    },
    logger: { info() {}, warn() {}, error() {} },
  })
}

const app = makeApp()
const form: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded']

const rows: [request: RequestSpec, status: number, text: string | RegExp][] = [
  [{ path: '/hello' }, 200, 'Hello World'],
  [{ path: '/hello/index' }, 200, 'Hello World'],
  [{ path: '/hello/greet/joe' }, 200, 'Hello, joe!'],
  [{ path: '/hello/greet/a%2Fb%20%C3%BC' }, 200, 'Hello, a/b ü!'],
  [{ path: '/hello/with-dash' }, 200, 'dash'],
  [{ path: '/hello/with_dash' }, 200, 'dash'],
  [{ path: '/my_thing' }, 200, 'Hello World'],
  [{ path: '/admin/users' }, 200, 'index html'],
  [{ path: '/admin/users/show/7' }, 200, 'show 7 html'],
  [{ path: '/' }, 404, /404 Not Found/],
  [{ path: '/nowhere' }, 404, /404 Not Found/],
  [{ path: '/hello/missing' }, 404, /404 Not Found/],
  [{ path: '/lost' }, 404, /404 Not Found/],
  [{ path: '/no-controller' }, 404, /404 Not Found/],
  [{ path: '/aborting' }, 403, /403 Forbidden/],
  [{ path: '/aborting_late' }, 403, /403 Forbidden/],
  [{ path: '/hello/failing' }, 500, /^(?!.*secret)500 Internal Server Error/s],
  [{ path: '/hello/failing_later' }, 500, /^(?!.*secret)500 Internal Server Error/s],
  [{ path: '/broken' }, 500, /^(?!.*missing-module)500 Internal Server Error/s],
  // The table of resource routes of the specification.
  [{ path: '/users' }, 200, 'index html'],
  [{ path: '/users.json' }, 200, 'index json'],
  [{ method: 'POST', path: '/users' }, 200, 'create by POST'],
  [{ path: '/users/new' }, 200, 'new html'],
  [{ path: '/users/joe' }, 200, 'show joe html'],
  [{ path: '/users/joe.json' }, 200, 'show joe json'],
  [{ path: '/users?format=json' }, 200, 'index json'],
  [{ path: '/users?format=xml' }, 200, 'index html'],
  [{ path: '/users', headers: [['Accept', 'application/json']] }, 200, 'index json'],
  [{ path: '/users', headers: [['Accept', 'application/json, text/html;q=0.5']] }, 200, 'index json'],
  [{ path: '/users', headers: [['Accept', 'text/html, application/json;q=0.5']] }, 200, 'index html'],
  [{ path: '/users', headers: [['Accept', '*/*']] }, 200, 'index html'],
  [{ path: '/users', headers: [['Accept', 'image/png']] }, 200, 'index html'],
  [{ path: '/users?format=html', headers: [['Accept', 'application/json']] }, 200, 'index html'],
  [{ path: '/users.html?format=json', headers: [['Accept', 'application/json']] }, 200, 'index html'],
  [{ path: '/users/joe?format=json' }, 200, 'show joe json'],
  [{ path: '/users/joe;edit?format=json' }, 200, 'edit joe json'],
  [{ path: '/users/john.doe' }, 200, 'show john.doe html'],
  [{ path: '/users/joe;edit' }, 200, 'edit joe html'],
  [{ path: '/users/joe/edit' }, 200, 'edit joe html'],
  [{ method: 'PUT', path: '/users/joe', headers: [form], body: 'name=ann' }, 200, 'update joe ann'],
  [{ method: 'DELETE', path: '/users/joe' }, 200, 'delete joe by DELETE'],
  // Methods.
  [{ method: 'PUT', path: '/users' }, 405, /405 Method Not Allowed/],
  [{ method: 'POST', path: '/users/joe' }, 405, /405 Method Not Allowed/],
  [{ method: 'PATCH', path: '/users/joe' }, 405, /405 Method Not Allowed/],
  [{ method: 'POST', path: '/users/create' }, 200, 'create by POST'],
  [{ path: '/users/delete/joe' }, 405, /405 Method Not Allowed/],
  [{ path: '/users/update/joe' }, 405, /405 Method Not Allowed/],
  [{ method: 'HEAD', path: '/users/delete/joe' }, 405, ''],
  [{ method: 'POST', path: '/users/delete/joe' }, 405, /405 Method Not Allowed/],
  [{ method: 'PROPFIND', path: '/users/delete/joe' }, 405, /405 Method Not Allowed/],
  [{ method: 'DELETE', path: '/users/delete/joe' }, 200, 'delete joe by DELETE'],
  [{ method: 'HEAD', path: '/users/joe' }, 200, ''],
  [{ method: 'OPTIONS', path: '/users/joe' }, 204, ''],
  [{ method: 'OPTIONS', path: '/hello' }, 204, ''],
  [{ method: 'POST', path: '/hello/method' }, 200, 'POST'],
  // The method override of a form.
  [{ method: 'POST', path: '/users/joe', headers: [form], body: '_method=PUT&name=ann' }, 200, 'update joe ann'],
  [{ method: 'POST', path: '/users/joe', headers: [form], body: '_method=put&name=ann' }, 200, 'update joe ann'],
  [{ method: 'POST', path: '/users/joe', headers: [form], body: '_method=DELETE' }, 200, 'delete joe by POST'],
  [{ method: 'POST', path: '/users/joe', headers: [form], body: '_method=GET' }, 405, /405/],
  [{ method: 'POST', path: '/users/joe', headers: [form], body: '_method=TRACE' }, 405, /405/],
  [{ method: 'POST', path: '/users/joe?_method=DELETE', headers: [form], body: 'x=1' }, 405, /405/],
  [{ path: '/users/joe?_method=DELETE' }, 200, 'show joe html'],
  [{ method: 'PUT', path: '/users/joe', headers: [form], body: '_method=DELETE&name=ann' }, 200, 'update joe ann'],
  [
    { method: 'POST', path: '/users/joe', headers: [['Content-Type', 'text/plain']], body: '_method=DELETE' },
    405,
    /405/,
  ],
  [
    {
      method: 'POST',
      path: '/users/joe',
      headers: [['Content-Type', 'multipart/form-data; boundary=b']],
      body: '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--b--\r\n',
    },
    200,
    'delete joe by POST',
  ],
  [{ method: 'POST', path: '/hello/field', headers: [form], body: 'field=kept&_method=PUT' }, 200, 'kept'],
  // Mounting.
  [{ path: '/mounted/a/b' }, 200, 'GET /mounted|/a/b'],
  [{ path: '/mounted/' }, 200, 'GET /mounted|/'],
  [{ path: '/mounted/a%20b/' }, 200, 'GET /mounted|/a b/'],
  [{ method: 'POST', path: '/mounted/x', headers: [form], body: '_method=PUT' }, 200, 'POST /mounted|/x'],
]

/** Members of Object.prototype, the framework and the language, and members that are not methods. */
const unreachable = [
  'constructor',
  '__proto__',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'toLocaleString',
  '__defineGetter__',
  '__lookupSetter__',
  'render',
  'json',
  'request',
  'response',
  'c',
  'session',
  'url',
  'app',
  '__call__',
  '_get_method_args',
  '__before__',
  '__after__',
  '_dispatch_call',
  '_secret',
  '-secret',
  'getter',
  'field_function',
  'prototype',
  'name',
  'length',
] // prettier-ignore

for (const { name, request } of transports) {
  describe(`dispatch, ${name}`, () => {
    for (const [spec, status, text] of rows) {
      const { method = 'GET', path, body = '' } = spec
      it(`${method} ${path} ${typeof body === 'string' ? body.slice(0, 30) : ''} → ${status} ${text}`, async () => {
        const answer = await request(app, spec)
        assert.equal(answer.status, status)
        if (typeof text === 'string') assert.equal(answer.text, text)
        else if (method !== 'HEAD') assert.match(answer.text, text)
      })
    }

    for (const action of unreachable) {
      it(`returns 404 for /hello/${action}`, async () => {
        assert.equal((await request(app, { path: `/hello/${action}` })).status, 404)
      })
    }

    const allowed: [method: string, path: string, allow: string][] = [
      ['PUT', '/users', 'GET, HEAD, OPTIONS, POST'],
      ['POST', '/users/joe', 'DELETE, GET, HEAD, OPTIONS, PUT'],
      ['OPTIONS', '/users/joe', 'DELETE, GET, HEAD, OPTIONS, PUT'],
      ['GET', '/users/delete/joe', 'DELETE, OPTIONS'],
      ['OPTIONS', '/users/delete/joe', 'DELETE, OPTIONS'],
    ]
    for (const [method, path, allow] of allowed) {
      it(`${method} ${path} has Allow: ${allow}`, async () => {
        assert.equal((await request(app, { method, path })).header('allow'), allow)
      })
    }

    if (name !== 'fetch') {
      // A web Request cannot have the target *.
      it('OPTIONS * applies to the server as a whole', async () => {
        const answer = await request(app, { method: 'OPTIONS', path: '*' })
        assert.equal(answer.status, 204)
        assert.equal(answer.header('allow'), 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT')
      })
    }

    it('shows the error in debug mode', async () => {
      const headers: [string, string][] = [['Accept', 'text/html']]
      const answer = await request(makeApp(true), { path: '/hello/failing', headers })
      assert.equal(answer.status, 500)
      assert.match(answer.text, /the secret of the house/)
    })

    it('shows the missing action in debug mode', async () => {
      const answer = await request(makeApp(true), { path: '/hello/missing' })
      assert.equal(answer.status, 404)
      assert.match(answer.text, /Action Not Found/)
    })
  })
}

describe('app.wsgi', () => {
  const escaping: [debug: boolean, path: string, error: RegExp | typeof ActionNotFound][] = [
    [true, '/hello/missing', ActionNotFound],
    [true, '/lost', ControllerNotFound as never],
    [false, '/hello/failing', /secret/],
    [false, '/hello/failing_later', /secret/],
    [false, '/broken', /"broken" cannot be loaded/],
  ]
  for (const [debug, path, error] of escaping) {
    it(`throws the error of ${path}${debug ? ' in debug mode' : ''}`, async () => {
      await assert.rejects(run(makeApp(debug).wsgi, createEnviron({ url: path })), error)
    })
  }

  it('is bound', async () => {
    const { wsgi } = app
    assert.equal((await run(wsgi, createEnviron({ url: '/hello' }))).status, '200 OK')
  })

  it('returns no promise if nothing is awaited', () => {
    const body = app.wsgi(createEnviron({ url: '/hello' }), () => () => {})
    assert.deepEqual(body, ['Hello World'])
  })

  it('sets wsgiorg.routing_args to the match', async () => {
    const environ = createEnviron({ url: '/mounted/x' })
    await run(app.wsgi, environ)
    assert.deepEqual(environ['wsgiorg.routing_args']?.[0], [])
    assert.equal(environ['wsgiorg.routing_args']?.[1].controller, 'mounted')
  })

  it('can be mounted below a prefix', async () => {
    const environ = createEnviron({ url: '/app/users/a%2Fb', scriptName: '/app' })
    assert.equal(await (await run(app.wsgi, environ)).text(), 'show a/b html')
  })
})

describe('errors', () => {
  it('are logged with method, path and stack, but without the query', async () => {
    const logged: string[] = []
    const logging = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { hello: HelloController },
      logger: { info() {}, warn() {}, error: (message) => logged.push(message) },
    })
    await logging.fetch(new Request('http://localhost/hello/failing?token=abc'))
    assert.match(logged.join(), /^GET \/hello\/failing\nError: the secret of the house\n\s+at /)
    assert.doesNotMatch(logged.join(), /token|abc/)
  })

  it('cannot forge lines in the log by their path', async () => {
    const logged: string[] = []
    const logging = new FrameworkApp({
      map: new Mapper().connect('/{path_info:.*}', { controller: 'hello', action: 'failing' }),
      controllers: { hello: HelloController },
      logger: { info() {}, warn() {}, error: (message) => logged.push(message) },
    })
    await logging.fetch(new Request('http://localhost/x%0AGET%20/forged'))
    assert.match(logged.join(), /^GET \/x\\nGET \/forged\n/)
  })
})

describe('middleware', () => {
  it('wraps the application, the first outermost', async () => {
    const tagging = (tag: string) => (inner: typeof app.wsgi) => (environ: Environ, start: StartResponse) =>
      inner(environ, (status, headers) => start(status, [...headers, ['X-Tag', tag]]))
    const wrapped = new FrameworkApp({
      map: new Mapper().connect('/{controller}', { action: 'index' }),
      controllers: { hello: HelloController },
      middleware: [tagging('outer'), tagging('inner')],
    })
    const { headers } = await run(wrapped, createEnviron({ url: '/hello' }))
    assert.deepEqual(
      headers.filter(([name]) => name === 'X-Tag').map(([, value]) => value),
      ['inner', 'outer'],
    )
  })

  it('changes no other response to a path without a route', async () => {
    const languages = ['de', 'fr']
    const wrapped = new FrameworkApp({
      map: new Mapper(),
      controllers: {},
      middleware: [
        (inner) => (environ, start) =>
          inner(environ, (status, headers) => {
            for (const pair of headers) if (pair[0] === 'Vary') pair[1] += `, ${languages[0]}`
            headers.push(['Content-Language', languages.shift() ?? ''])
            return start(status, headers)
          }),
      ],
    })
    for (const language of ['de', 'fr']) {
      const { headers } = await run(wrapped, createEnviron({ url: '/' }))
      const fields = Object.fromEntries(headers)
      assert.deepEqual([fields.Vary, fields['Content-Language']], [`Accept, ${language}`, language])
      assert.equal(headers.length, 4)
    }
  })
})

describe('an action with the name of a member of the base class or of Object.prototype', () => {
  class ShopController extends WSGIController {
    index() {
      return 'shop'
    }
    class() {
      return 'a class'
    }
  }
  const names = ['t', 'render', 'fresh', 'toString', 'valueOf', 'hasOwnProperty', 'toLocaleString']
  for (const name of names) {
    Object.defineProperty(ShopController.prototype, name, { value: () => 'wrong', configurable: true })
  }
  class EmptyController extends WSGIController {}
  const get = async (path: string, debug: boolean, controllers: object = {}) => {
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { shop: ShopController, empty: EmptyController, ...controllers },
      debug,
      logger: { info() {}, warn() {}, error() {} },
    })
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { accept: 'text/plain' } }))
    return { status: response.status, text: await response.text() }
  }

  for (const name of names) {
    it(`is refused with that reason in debug mode: ${name}`, async () => {
      const page = await get(`/shop/${name}`, true)
      assert.equal(page.status, 404)
      assert.match(page.text, new RegExp(`ShopController\\.${name}\\(\\) replaces .*${name}`))
      assert.match(page.text, /Rename the method/)
      assert.doesNotMatch(page.text, /Write a public method/)
      const other = await get(`/empty/${name}`, true)
      assert.equal(other.status, 404)
      assert.match(other.text, /The base class has a member of this name/)
      assert.doesNotMatch(other.text, /Write a public method/)
    })

    it(`is 404 in production: ${name}`, async () => {
      const { status, text } = await get(`/shop/${name}`, false)
      assert.equal(status, 404)
      assert.doesNotMatch(text, /ShopController/)
    })

    it(`is refused with that reason in a static record: ${name}`, async () => {
      const tools = class ToolsController extends ShopController {
        static results = { [name]: null }
      }
      const page = await get('/tools/index', true, { tools })
      assert.equal(page.status, 500)
      assert.match(page.text, /The base class has a member of this name, which no action can have/)
    })
  }

  it('does not concern keywords', async () => {
    assert.equal((await get('/shop/class', false)).text, 'a class')
  })
})
