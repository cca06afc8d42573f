import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import {
  abort,
  FrameworkApp,
  HTTPConflict,
  HTTPMethodNotAllowed,
  JSONRPCController,
  Mapper,
  type Problem,
  type ProblemsOption,
  WSGIController,
} from 'propylon'
import { body, int } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import { forwardTo } from 'propylon/fetch'
import { staticFiles } from 'propylon/files'
import { basicAuth, limit } from 'propylon/middleware'
import { fromConnect, serve } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import type { Middleware, WSGIApplication } from 'propylon/wsgi'
import * as v from 'valibot'
import { exchange } from '../wsgi/node/raw.ts'

const newArticle = v.object({ article: v.object({ title: v.pipe(v.string(), v.minLength(1, 'is empty')) }) })

class ArticlesController extends WSGIController {
  static args = {
    show: { id: int },
    create: { article: body(newArticle) },
    form: { article: body(newArticle, { form: 'page' }) },
  }
  static results = { show: v.object({ id: v.number() }) }

  __before__(hook?: string) {
    if (hook === 'refuses') abort(403, 'Not for you.')
  }
  show(id: number) {
    return { id }
  }
  create(article: object) {
    return article
  }
  form(article: object) {
    return article
  }
  page() {
    return '<form></form>'
  }
  aborts() {
    abort(404, 'There is no such article.')
  }
  returns() {
    return new HTTPConflict('taken', { 'X-Reason': 'twice' })
  }
  application() {
    return new HTTPMethodNotAllowed(undefined, { Allow: 'GET' }).wsgi
  }
  *generates() {
    abort(409)
    yield ''
  }
  taken() {
    const status = this.request.query.get('status')
    invalid({ 'article.title': 'is taken' }, status === undefined ? {} : { status: Number(status) })
  }
  async reads() {
    return this.request.json()
  }
  fails() {
    throw new Error('secret')
  }
  busy() {
    throw Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })
  }
  waits() {
    return new Promise<string>(() => {})
  }
}

class RPCController extends JSONRPCController {
  add(a: number, b: number) {
    return a + b
  }
}

const site = express()
site.use(express.json())

const controllers = {
  articles: ArticlesController,
  rpc: RPCController,
  files: staticFiles(new URL('./', import.meta.url)),
  express: fromConnect(site),
  gone: forwardTo('http://127.0.0.1:9'),
}

function routes(): Mapper<unknown> {
  return new Mapper()
    .connect('/articles/{id}.{format}', { controller: 'articles', action: 'show' })
    .connect('/hook/{hook}', { controller: 'articles', action: 'page' })
    .connect('/files/{path_info:.*}', { controller: 'files' })
    .connect('/express/{path_info:.*}', { controller: 'express' })
    .connect('/gone/{path_info:.*}', { controller: 'gone' })
    .connect('/rpc', { controller: 'rpc', action: 'index' })
    .connect('/only', { controller: 'articles', action: 'page', conditions: { method: ['GET'] } })
    .connect('/articles/{action}', { controller: 'articles' })
    .connect('/articles/{action}/{id}', { controller: 'articles' })
}

const problems: ProblemsOption = {
  invalid: 422,
  contentType: 'application/vnd.api+json',
  body: (problem, request) => ({ own: problem, method: request.method }),
}

const logger = { info() {}, warn() {}, error() {} }

function application(
  options: {
    form?: ProblemsOption | undefined
    middleware?: readonly Middleware[]
    debug?: boolean
    requestTimeout?: number
  } = {},
) {
  const { form, ...others } = { form: problems, ...options }
  return new FrameworkApp({
    map: routes(),
    controllers,
    ...(form && { problems: form }),
    logger,
    openapi: { title: 'Articles', version: '1' },
    public: new URL('./', import.meta.url),
    hosts: ['localhost', '127.0.0.1'],
    unavailable: (error) => error instanceof Error && 'code' in error,
    ...others,
  })
}

const json = { 'Content-Type': 'application/json' }

/** Requests by who raises the error, with the status and title, and the header fields that stay. */
const errors: Record<string, [path: string, status: number, init?: RequestInit, fields?: Record<string, string>]> = {
  'an action that aborts': ['/articles/aborts', 404],
  'an action that returns an exception': ['/articles/returns', 409, {}, { 'X-Reason': 'twice' }],
  'an action that returns an application': ['/articles/application', 405, {}, { Allow: 'GET' }],
  'a generator': ['/articles/generates', 409],
  'a hook': ['/hook/refuses', 403],
  'a body that a schema refuses': ['/articles/create', 422, { method: 'POST', headers: json, body: '{"article":{}}' }],
  'a body of another kind': ['/articles/create', 422, { method: 'POST', headers: json, body: '[]' }],
  'malformed JSON': ['/articles/create', 400, { method: 'POST', headers: json, body: '{' }],
  'a body of another type': [
    '/articles/create',
    415,
    { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a' },
  ],
  'a body that is too large': [
    '/articles/reads',
    413,
    { method: 'POST', headers: json, body: `"${'x'.repeat(5 << 20)}"` },
  ],
  'a value of the path': ['/articles/show/x', 404],
  'a suffix': ['/articles/x.json', 404],
  'an action that is missing': ['/articles/nothing', 404],
  'the mapper without a route': ['/nope', 404],
  'the mapper without the method': ['/only', 405, { method: 'PUT' }, { Allow: 'GET, HEAD, OPTIONS' }],
  'the gateway': ['/%ff', 400],
  'the list of hosts': ['//evil.example/only', 400],
  'the cross-site rule': ['/articles/create', 403, { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site' } }],
  'an unexpected error': ['/articles/fails', 500],
  'a server that cannot be used': ['/articles/busy', 503, {}, { 'Retry-After': '5' }],
  'static files': ['/files/nothing.txt', 404],
  'a public file': ['/static/nothing.css', 404],
  'a range of a file': ['/files/problems.test.ts', 416, { headers: { Range: 'bytes=99999999-' } }],
  'a condition of a file': ['/files/problems.test.ts', 412, { headers: { 'If-Match': '"x"' } }],
  'the document': ['/openapi.json', 405, { method: 'DELETE' }, { Allow: 'GET, HEAD, OPTIONS' }],
  'a service': ['/rpc', 405, { method: 'DELETE' }, { Allow: 'OPTIONS, POST' }],
  'a handler of Express': ['/express/', 400, { method: 'POST', headers: json, body: '{' }],
  'a server behind this one': ['/gone/', 502],
}

type Send = (path: string, init: RequestInit) => Promise<globalThis.Response>

function overFetch(app: { fetch(request: globalThis.Request): Promise<globalThis.Response> }, mount = ''): Send {
  return (path, init) => {
    const url = path.startsWith('//')
      ? `http:${path.replace(/(?<=\w)\//, `${mount}/`)}`
      : `http://localhost${mount}${path}`
    return app.fetch(new globalThis.Request(url, init))
  }
}

function mounting(inner: WSGIApplication, form?: ProblemsOption): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().connect('/mnt/{path_info:.*}', { controller: 'inner' }),
    controllers: { inner },
    logger,
    crossSite: 'allow',
    ...(form && { problems: form }),
  })
}

const passing: Middleware = (app) => (environ, start_response) => app(environ, start_response)
const later: ProblemsOption = { ...problems, body: async (problem, { method }) => ({ own: problem, method }) }

/** Ways of sending a request. */
const ways: Record<string, () => Send> = {
  'by app.fetch': () => overFetch(application()),
  'in debug mode': () => overFetch(application({ debug: true })),
  'with an asynchronous body': () => overFetch(application({ form: later })),
  'within middleware': () => overFetch(application({ middleware: [passing] })),
  'within middleware, with an asynchronous body': () => overFetch(application({ middleware: [passing], form: later })),
  'below a mount point': () => overFetch(mounting(application().wsgi), '/mnt'),
  'below a mount point, in the form of the outer application': () =>
    overFetch(mounting(application({ form: undefined }).wsgi, problems), '/mnt'),
  'below a mount point of an application with another form': () =>
    overFetch(mounting(application().wsgi, { body: () => 'outer' }), '/mnt'),
}

/** Errors that an outer application without this form represents. */
const OF_OUTER = /unexpected|cannot be used|the gateway/

for (const [way, make] of Object.entries(ways)) {
  describe(`problems ${way}`, () => {
    const send = make()
    for (const [who, [path, status, init = {}, fields = {}]] of Object.entries(errors)) {
      if (way.includes('mount') && !way.endsWith('outer application') && OF_OUTER.test(who)) continue
      // The outer application lacks the option, and debug mode shows the error.
      if (/mount|debug/.test(way) && who.endsWith('cannot be used')) continue
      it(`has the error of ${who}`, async () => {
        for (const accept of [undefined, 'text/plain', 'application/xml, */*']) {
          const headers = new Headers(init.headers)
          if (accept !== undefined) headers.set('Accept', accept)
          const response = await send(path, { ...init, headers })
          const text = await response.text()
          assert.equal(response.status, status, text)
          assert.equal(response.headers.get('content-type'), 'application/vnd.api+json', text)
          for (const [name, value] of Object.entries(fields)) assert.equal(response.headers.get(name), value)
          const { own, method }: { own: Problem; method: string } = JSON.parse(text)
          assert.deepEqual([own.status, typeof own.title, method], [status, 'string', init.method ?? 'GET'])
          assert.equal(own.errors !== undefined, status === 422, text)
        }
      })
    }
  })
}

describe('problems of middleware', () => {
  const cases: Record<string, [middleware: Middleware, status: number, field: string]> = {
    'that responds with an exception': [basicAuth(() => undefined), 401, 'www-authenticate'],
    'that throws an exception': [limit({ max: 1, window: 60, key: () => 'all' }), 429, 'retry-after'],
    'that fails': [
      () => () => {
        throw new Error('secret')
      },
      500,
      'content-type',
    ],
  }
  for (const [which, [middleware, status, field]] of Object.entries(cases)) {
    it(`has the error of middleware ${which}`, async () => {
      const send = overFetch(application({ middleware: [passing, middleware] }))
      await send('/only', {})
      const response = await send('/only', {})
      assert.equal(response.status, status)
      assert.ok(response.headers.has(field))
      assert.match(await response.text(), new RegExp(`^{"own":{.*"status":${status}`))
    })
  }
})

describe('problems', () => {
  const html = { Accept: 'text/html' }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

  it('leaves pages for browsers as they are', async () => {
    const [own, without] = [application(), application({ form: undefined })].map((app) => overFetch(app))
    for (const path of ['/nope', '/articles/aborts', '/articles/fails', '/%ff']) {
      const pages = await Promise.all([own, without].map((send) => send?.(path, { headers: html })))
      const [page, other] = await Promise.all(pages.map((each) => each?.text()))
      assert.equal(page, other)
      assert.match(String(pages[0]?.headers.get('content-type')), /^text\/html/)
    }
  })

  it('shows a form again with 400', async () => {
    const send = overFetch(application())
    const shown = await send('/articles/form', { method: 'POST', headers: { ...form, ...html }, body: 'a=b' })
    assert.deepEqual([shown.status, await shown.text()], [400, '<form></form>'])
    const sent = await send('/articles/form', { method: 'POST', headers: json, body: '{}' })
    assert.equal(sent.status, 422)
  })

  it('has the status of invalid(), or else of bodies that a schema refuses', async () => {
    const send = overFetch(application())
    assert.equal((await send('/articles/taken', {})).status, 422)
    assert.equal((await send('/articles/taken?status=409', {})).status, 409)
  })

  it('has the error of requestTimeout', async () => {
    const response = await overFetch(application({ requestTimeout: 1 }))('/articles/waits', {})
    assert.deepEqual([response.status, JSON.parse(await response.text()).own.status], [503, 503])
  })

  it('is 400 for bodies by default', async () => {
    const send = overFetch(application({ form: { body: ({ status }) => status } }))
    const response = await send('/articles/create', { method: 'POST', headers: json, body: '{}' })
    assert.deepEqual([response.status, await response.json()], [400, 400])
    assert.equal(response.headers.get('content-type'), 'application/json')
  })

  const failing: Record<string, ProblemsOption['body']> = {
    throws: () => {
      throw new Error('in body')
    },
    rejects: () => Promise.reject(new Error('in body')),
    'returns nothing': () => undefined,
    'returns what JSON cannot carry': async () => 1n,
  }
  for (const [how, body] of Object.entries(failing)) {
    it(`sends problem details and logs the error if body ${how}`, async () => {
      const logged: string[] = []
      const app = new FrameworkApp({
        map: new Mapper(),
        controllers: {},
        problems: { body },
        logger: { ...logger, error: (message) => logged.push(message) },
      })
      const response = await overFetch(app)('/nope', {})
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
      assert.equal(JSON.parse(await response.text()).title, 'Not Found')
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', /^problems\.body failed/)
    })
  }

  const wrong: [option: object, error: RegExp][] = [
    [
      { invalid: 200, body() {} },
      /^TypeError: FrameworkApp\(\{ problems \}\): the option invalid is 200\. Pass a status from 400 to 499/,
    ],
    [{ invalid: 500, body() {} }, /the option invalid is 500/],
    [{ invalid: 422.5, body() {} }, /the option invalid is 422\.5/],
    [{ invalid: '422', body() {} }, /the option invalid is "422"/],
    [{ invalid: 422 }, /requires the option body/],
    [{ body() {}, schema: {} }, /the option schema is/],
    [{ body() {}, contentType: 'a\nb' }, /^TypeError/],
    [{ body() {}, invalidd: 422 }, /Did you mean/],
  ]
  for (const [option, error] of wrong) {
    it(`refuses ${JSON.stringify(option)} at start`, () => {
      const options = { map: new Mapper(), controllers: {}, problems: option as ProblemsOption }
      assert.throws(() => new FrameworkApp(options), error)
    })
  }

  const refusals: Record<string, string> = {
    505: `GET / HTTP/2.0\r\nHost: localhost\r\n\r\n`,
    501: `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  }
  for (const [status, bytes] of Object.entries(refusals)) {
    it(`has the ${status} of the server`, async () => {
      const server = await serve(application(), { port: 0 })
      try {
        const [head = '', sent = ''] = (await exchange(server.port ?? 0, bytes)).split('\r\n\r\n')
        assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
        assert.equal(JSON.parse(sent).own.status, Number(status))
      } finally {
        await server.close()
      }
    })
  }

  it('has the errors of a server that is busy or has no memory', async () => {
    const app = application()
    const busy = await serve(app, { port: 0, maxRequests: 0 })
    const full = await serve(app, { port: 0, maxBufferedBytes: 1 })
    try {
      const refused = await fetch(`${busy.url}/only`)
      const init = { method: 'POST', headers: json, body: `"${'x'.repeat(200_000)}"` }
      for (const response of [refused, await fetch(`${full.url}/articles/reads`, init)]) {
        assert.deepEqual([response.status, JSON.parse(await response.text()).own.status], [503, 503])
        assert.equal(response.headers.get('retry-after'), '1')
      }
    } finally {
      await Promise.all([busy.close(), full.close()])
    }
  })

  it('is what a tool shows', async () => {
    class NotesController extends WSGIController {
      static args = { create: { note: body(v.object({ text: v.string() })) } }
      static results = { create: null }
      static tools = ['create']
      create(note: { text: string }): null {
        return abort(409, note.text)
      }
    }
    const map = new Mapper().resource('note', 'notes', { only: ['create'] })
    const client = new TestApp(new FrameworkApp({ map, controllers: { notes: NotesController }, problems, mcp: {} }))
    const call = (note: object) =>
      client.postJson(
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'notes_create', arguments: { note } },
        },
        { headers: { Accept: 'application/json, text/event-stream' } },
      )
    assert.match((await call({ text: 'taken' })).text, /409 Conflict: .*own.*taken/)
    assert.match((await call({ text: 5 })).text, /422 Unprocessable Content: .*own.*text/)
  })

  it('is read by TestApp and by a server', async () => {
    const app = application()
    const response = await new TestApp(app).get('/articles/aborts', { status: 404 })
    assert.equal(JSON.parse(response.text).own.detail, 'There is no such article.')
    const server = await serve(app, { port: 0 })
    try {
      for (const path of ['/articles/aborts', '/%ff', '/articles/fails']) {
        const sent = await fetch(server.url + path)
        assert.equal(JSON.parse(await sent.text()).own.status, sent.status)
      }
      const head = await fetch(`${server.url}/nope`, { method: 'HEAD' })
      assert.deepEqual([head.status, head.headers.get('content-type')], [404, 'application/vnd.api+json'])
    } finally {
      await server.close()
    }
  })
})
