import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, type FrameworkAppOptions, HTTPInternalServerError, Mapper, WSGIController } from 'propylon'
import { toFetch } from 'propylon/fetch'
import { type RequestLogEntry, requestLog } from 'propylon/middleware'
import { TestApp } from 'propylon/testing'
import { type Environ, lint, type StartResponse, type WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from '../../wsgi/node/raw.ts'
import { transports } from '../../wsgi/transports.ts'

class PagesController extends WSGIController {
  show(id: string) {
    return `page ${id}`
  }
  async save() {
    await this.request.form()
    return 'saved'
  }
  fails() {
    throw new Error('broken')
  }
  async *stream() {
    yield 'one'
    yield 'two'
  }
  *breaks() {
    if (this.request.method === 'GET') throw new Error('broken')
    yield 'never'
  }
  with_dash() {
    return this.request.environ['propylon.request_id'] as string
  }
}

function mounted(_environ: Environ, start_response: StartResponse) {
  start_response('202 Accepted', [['X-Request-Id', 'of the inner application']])
  return ['mounted']
}

function logging(options: Partial<FrameworkAppOptions> = {}) {
  const lines: string[] = []
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('page', '/page/{id}', { controller: 'pages', action: 'show' })
      .connect('/save', { controller: 'pages', action: 'save', conditions: { method: ['POST', 'PUT'] } })
      .connect('/mounted/{path_info:.*}', { controller: 'mounted' })
      .connect('/pages/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController, mounted },
    logger: { info() {}, warn() {}, error() {} },
    middleware: [requestLog({ write: (line) => lines.push(line) })],
    ...options,
  })
  const entries = (): RequestLogEntry[] => lines.map((line) => JSON.parse(line))
  return { app, lines, entries }
}

type Row = [
  what: string,
  request: { method?: string; path: string; headers?: [string, string][]; body?: string },
  entry: Partial<RequestLogEntry>,
]

const form: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded']
const routed = { controller: 'pages', action: 'show', route: '/page/{id}' }
const unrouted = { controller: null, action: null, route: null }

const rows: Row[] = [
  ['a page', { path: '/page/7?password=x' }, { method: 'GET', path: '/page/7', status: 200, ...routed }],
  ['HEAD', { method: 'HEAD', path: '/page/7' }, { method: 'HEAD', status: 200, ...routed }],
  ['an encoded path', { path: '/page/a%2Fb%0A%C3%BC' }, { path: '/page/a%2Fb%0A%C3%BC', status: 200 }],
  [
    'a form that overrides the method',
    { method: 'POST', path: '/save', headers: [form], body: '_method=PUT&password=x' },
    { method: 'POST', path: '/save', status: 200, action: 'save' },
  ],
  ['a missing page', { path: '/nowhere' }, { status: 404, ...unrouted }],
  ['a method that is not allowed', { method: 'DELETE', path: '/save' }, { status: 405, ...unrouted }],
  ['a missing action', { path: '/pages/absent' }, { status: 404, controller: 'pages', action: 'absent' }],
  [
    'a request of another site',
    { method: 'POST', path: '/save', headers: [['Sec-Fetch-Site', 'cross-site']] },
    { status: 403, action: 'save' },
  ],
  ['an error', { path: '/pages/fails' }, { status: 500, action: 'fails', route: '/pages/{action}' }],
  ['a stream', { path: '/pages/stream' }, { status: 200, action: 'stream' }],
  ['a stream that fails at once', { path: '/pages/breaks' }, { status: 500, action: 'breaks' }],
  ['a dashed action', { path: '/pages/with-dash' }, { status: 200, action: 'with_dash' }],
  [
    'a mounted application',
    { path: '/mounted/a/b' },
    {
      path: '/mounted/a/b',
      status: 202,
      route: '/mounted/{path_info:.*}',
      controller: 'mounted',
      action: null,
    },
  ],
]

const KEYS = ['time', 'id', 'method', 'path', 'status', 'ms', 'route', 'controller', 'action', 'remote']

for (const transport of transports) {
  describe(`requestLog, ${transport.name}`, () => {
    for (const [what, request, entry] of rows) {
      it(`logs ${what} once`, async () => {
        const { app, lines, entries } = logging()
        const served = {
          wsgi: app.servedWith(app),
          handleError: app.handleError.bind(app),
          reportError: app.reportError.bind(app),
        }
        const answer = await transport.request(served, request)
        const [logged, ...others] = entries()
        assert.equal(others.length, 0)
        assert.deepEqual(Object.keys(logged ?? {}), KEYS)
        assert.deepEqual({ ...logged, ...entry }, logged)
        assert.equal(logged?.status, answer.status)
        assert.deepEqual(answer.headerAll('x-request-id'), [logged?.id])
        assert.match(lines[0] ?? '', /^\{.*\}\n$/)
        assert.doesNotMatch(lines[0] ?? '', /password/)
        assert.match(logged?.time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.ok((logged?.ms ?? -1) >= 0)
      })
    }
  })
}

describe('requestLog', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
  const ids: [sent: string | undefined, isKept: boolean][] = [
    [undefined, false],
    ['a', true],
    ['A-z_0.9', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['', false],
    ['a b', false],
    ['a"b', false],
    ['ä', false],
    ['a, b', false],
  ]
  for (const [sent, isKept] of ids) {
    it(`${isKept ? 'keeps' : 'replaces'} the id ${sent?.slice(0, 10)}`, async () => {
      const { app, entries } = logging()
      const headers: Record<string, string> = sent === undefined ? {} : { 'X-Request-Id': sent }
      const response = await new TestApp(app).get('/pages/with-dash', { headers })
      const id = response.headers.get('x-request-id') ?? ''
      if (isKept) assert.equal(id, sent)
      else assert.match(id, UUID)
      assert.deepEqual([response.text, entries()[0]?.id], [id, id])
    })
  }

  it('logs the path from the root of the host and the address of the client', async () => {
    const { app, entries } = logging()
    const environ = { SCRIPT_NAME: '/my wiki', REMOTE_ADDR: '10.1.2.3' }
    await new TestApp(app, { environ }).get('/page/7')
    assert.deepEqual([entries()[0]?.path, entries()[0]?.remote], ['/my%20wiki/page/7', '10.1.2.3'])
  })

  it('logs an abandoned stream when its client disconnects', async () => {
    const logged = Promise.withResolvers<RequestLogEntry>()
    const app = requestLog({ write: (line) => logged.resolve(JSON.parse(line)) })((_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/event-stream']])
      const steps: Promise<IteratorResult<string>>[] = [Promise.resolve({ done: false, value: ': begun\n\n' })]
      return {
        [Symbol.asyncIterator]: () => ({ next: () => steps.shift() ?? new Promise(() => {}) }),
      }
    })
    await serving(lint(app), async (server) => {
      const client = new Connection(server.port)
      client.say('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.hears(': begun')
      client.socket.destroy()
      const { path, status } = await logged.promise
      assert.deepEqual([path, status], ['/events', 200])
    })
  })

  it('logs 499 for a client that disconnects before the response', async () => {
    const logged = Promise.withResolvers<RequestLogEntry>()
    const app = requestLog({ write: (line) => logged.resolve(JSON.parse(line)) })(async (environ, start_response) => {
      await environ['wsgi.input'].read()
      start_response('200 OK', [])
      return []
    })
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\npart')
      client.socket.once('connect', () => setImmediate(() => client.socket.destroy()))
      assert.equal((await logged.promise).status, 499)
    })
  })

  const late: Record<string, (left: Promise<void>) => WSGIApplication> = {
    'whose action answers later': (left) => async (_environ, start_response) => {
      await left
      start_response('200 OK', [])
      return ['late']
    },
    'whose action fails later': (left) => async () => {
      await left
      throw new Error('late')
    },
    'whose body begins later': (left) => async (_environ, start_response) => {
      start_response('200 OK', [])
      return (async function* () {
        await left
        yield 'late'
      })()
    },
    'whose action never ends': () => () => new Promise(() => {}),
  }
  for (const [title, make] of Object.entries(late)) {
    it(`logs 499 once for a client that has left, ${title}, serve`, async () => {
      const lines: RequestLogEntry[] = []
      const left = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      const logged = Promise.withResolvers<void>()
      const write = (line: string) => {
        lines.push(JSON.parse(line))
        logged.resolve()
      }
      const inner = make(left.promise)
      const app = requestLog({ write })((environ, start_response) => {
        environ['propylon.connection']?.onLost(() => left.resolve())
        begun.resolve()
        return inner(environ, start_response)
      })
      const quiet = { wsgi: app, handleError: () => new HTTPInternalServerError().wsgi, reportError() {} }
      await serving(quiet, async (server) => {
        const client = new Connection(server.port)
        client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
        await begun.promise
        client.socket.destroy()
        await logged.promise
      })
      assert.deepEqual(
        lines.map(({ status }) => status),
        [499],
      )
    })

    it(`logs 499 once for a client that has left, ${title}, fetch`, async () => {
      const lines: RequestLogEntry[] = []
      const left = Promise.withResolvers<void>()
      const client = new AbortController()
      const app = requestLog({ write: (line) => lines.push(JSON.parse(line)) })(make(left.promise))
      const quiet = { wsgi: app, handleError: () => new HTTPInternalServerError().wsgi, reportError() {} }
      const handler = toFetch(quiet)
      const response = handler(new Request('http://localhost/', { signal: client.signal }))
      client.abort()
      left.resolve()
      if (title !== 'whose action never ends') await response
      assert.deepEqual(
        lines.map(({ status }) => status),
        [499],
      )
    })
  }

  it('logs a stream after its last chunk', async () => {
    const { app, lines } = logging()
    const seen: number[] = []
    const response = await app.fetch(new Request('http://localhost/pages/stream'))
    const reader = response.body?.getReader()
    for (;;) {
      const { done } = (await reader?.read()) ?? { done: true }
      if (done) break
      seen.push(lines.length)
    }
    assert.deepEqual([seen, lines.length], [[0, 0], 1])
  })

  it('logs 500 for an error of the middleware inside and throws it', async () => {
    const failure = new Error('broken')
    const broken = () => () => {
      throw failure
    }
    const lines: string[] = []
    const { app } = logging({ middleware: [requestLog({ write: (line) => lines.push(line) }), broken] })
    await assert.rejects(new TestApp(app).get('/page/7'), failure)
    assert.match(lines.join(''), /"status":500/)
  })

  it('serves requests although its log fails', async (t) => {
    const printed: string[] = []
    t.mock.method(console, 'error', (text: string) => printed.push(text))
    const failures = [
      () => {
        throw new Error('the disk is full')
      },
      () => Promise.reject(new Error('the disk is full')),
    ]
    for (const write of failures) {
      const { app } = logging({ middleware: [requestLog({ write })] })
      assert.equal((await new TestApp(app).get('/page/7')).text, 'page 7')
    }
    await Promise.resolve()
    assert.equal(printed.length, 2)
    for (const text of printed) assert.match(text, /"path":"\/page\/7".*requestLog failed.*the disk is full/s)
  })

  it('escapes characters that terminals obey', async () => {
    const { app, lines } = logging()
    await new TestApp(app).get(`/pages/${encodeURIComponent('\u009b2J')}`)
    assert.match(lines[0] ?? '', /"action":"\\u009b2J"/)
  })

  it('refuses unknown and wrong options', () => {
    const misspelt: object = { writes() {} }
    assert.throws(() => requestLog(misspelt), /requestLog\(\) has no option "writes". Did you mean write\?/)
    const wrong: object = { write: 'app.log' }
    assert.throws(() => requestLog(wrong), /write is "app.log". Pass a function/)
  })
})
