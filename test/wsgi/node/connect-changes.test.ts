/** Changes that Connect handlers make to requests and responses of the applications behind them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { requestLog } from 'propylon/middleware'
import { type ConnectHandler, connectRequest, fromConnect } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import { createEnviron, lint, type Middleware, run, type WSGIApplication } from 'propylon/wsgi'
import { type Answer, type RequestSpec, transports } from '../transports.ts'
import { Connection, serving } from './raw.ts'

/** Answers with what it finds in the environ. */
const report: WSGIApplication = async (environ, start_response) => {
  const body = new TextDecoder().decode(await environ['wsgi.input'].read())
  start_response('200 OK', [
    ['Content-Type', 'application/json'],
    ['Vary', 'Accept, Cookie'],
    ['Set-Cookie', 'own=1'],
    ['X-Own', 'application'],
  ])
  const { REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, REQUEST_URI } = environ
  const { CONTENT_TYPE, HTTP_X_USER, HTTP_X_DROPPED, HTTP_X_LIST } = environ
  const headers = { CONTENT_TYPE, HTTP_X_USER, HTTP_X_DROPPED, HTTP_X_LIST }
  return [JSON.stringify({ REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, REQUEST_URI, headers, body })]
}

const post: RequestSpec = {
  method: 'POST',
  path: '/a%2Fb?c=1',
  headers: [
    ['Content-Type', 'text/plain'],
    ['X-Dropped', 'yes'],
  ],
  body: 'the body',
}

const rows: [what: string, handler: ConnectHandler, expected: Record<string, unknown>][] = [
  [
    'nothing',
    (_req, _res, next) => next(),
    { PATH_INFO: '/a/b', QUERY_STRING: 'c=1', REQUEST_URI: '/a%2Fb?c=1', body: 'the body' },
  ],
  [
    'the URL',
    (req, _res, next) => {
      req.url = '/%C3%BC/x?d=2'
      next()
    },
    { PATH_INFO: '/ü/x', QUERY_STRING: 'd=2', REQUEST_URI: '/%C3%BC/x?d=2' },
  ],
  [
    'the method',
    (req, _res, next) => {
      req.method = 'PATCH'
      next()
    },
    { REQUEST_METHOD: 'PATCH' },
  ],
  [
    'header fields',
    (req, _res, next) => {
      req.headers['x-user'] = 'ann'
      req.headers['x-list'] = ['a', 'b']
      req.headers.x_user = 'forged'
      delete req.headers['x-dropped']
      delete req.headers['content-type']
      next()
    },
    { headers: { CONTENT_TYPE: '', HTTP_X_USER: 'ann', HTTP_X_LIST: 'a, b' } },
  ],
  [
    'nothing later, when it has read the whole body',
    async (req, _res, next) => {
      for await (const _ of req);
      await new Promise((resolve) => setImmediate(resolve))
      next()
    },
    { body: 'the body' },
  ],
  [
    'nothing, when it has read the beginning of the body',
    (req, _res, next) => {
      req.once('data', () => {
        req.pause()
        next()
      })
    },
    { body: 'the body' },
  ],
]

for (const transport of transports) {
  const answerOf = (app: WSGIApplication, request: RequestSpec = {}): Promise<Answer> => transport.request(app, request)

  describe(`a Connect handler in front of an application, ${transport.name}`, () => {
    for (const [what, handler, expected] of rows) {
      it(`changes ${what}`, async () => {
        const found = JSON.parse((await answerOf(fromConnect(handler, report), post)).text)
        assert.deepEqual({ ...found, ...expected }, found)
      })
    }

    it('receives the spelling of the path that routes match, which does not change the path', async () => {
      const urls: unknown[] = []
      const app = fromConnect((req, _res, next) => {
        urls.push(req.url, Reflect.get(req, 'originalUrl'))
        next()
      }, report)
      const { REQUEST_URI } = JSON.parse((await answerOf(app, { path: '/%61dmin/%C3%bc%2fx%252f?y=%61' })).text)
      assert.deepEqual(urls, Array(2).fill('/admin/%C3%BC%2Fx%252f?y=%61'))
      assert.equal(REQUEST_URI, '/%61dmin/%C3%bc%2fx%252f?y=%61')
    })

    it('refuses a URL that cannot be decoded', async () => {
      const app = fromConnect((req, _res, next) => {
        req.url = '/%ff'
        next()
      }, report)
      assert.equal((await answerOf(app)).status, 400)
    })

    it('combines header fields', async () => {
      const app = fromConnect((_req, res, next) => {
        res.setHeader('Vary', ['accept', 'Origin'])
        res.setHeader('Set-Cookie', ['a=1', 'b=2'])
        res.setHeader('X-Own', 'handler')
        res.setHeader('X-Handler', 'yes')
        res.statusCode = 500
        next()
      }, report)
      const answer = await answerOf(app)
      assert.equal(answer.status, 200)
      assert.equal(answer.header('vary'), 'accept, Origin, Cookie')
      assert.deepEqual(answer.headerAll('set-cookie'), ['a=1', 'b=2', 'own=1'])
      assert.deepEqual([answer.header('x-own'), answer.header('x-handler')], ['application', 'yes'])
    })

    it('wraps the methods of the response', async () => {
      const shout: ConnectHandler = (_req, res, next) => {
        const { write, end } = res
        res.write = (chunk: unknown, ...rest: unknown[]) =>
          Reflect.apply(write, res, [String(chunk).toUpperCase(), ...rest])
        res.end = (chunk?: unknown, ...rest: unknown[]) => {
          if (!res.headersSent) res.removeHeader('Content-Length')
          return Reflect.apply(end, res, [chunk === undefined ? chunk : `${chunk}!`, ...rest])
        }
        next()
      }
      const stream: WSGIApplication = async function* (_environ, start_response) {
        start_response('200 OK', [['Content-Type', 'text/plain']])
        yield 'one '
        yield 'two '
      }
      assert.equal((await answerOf(fromConnect(shout, stream))).text, 'ONE TWO ')
      const whole: WSGIApplication = (_environ, start_response) => {
        start_response('200 OK', [])
        return ['whole']
      }
      assert.equal((await answerOf(fromConnect(shout, whole))).text, 'whole!')
    })

    it('keeps HEAD, 304 and other statuses without a body', async () => {
      const pass: ConnectHandler = (_req, _res, next) => next()
      const head = await answerOf(fromConnect(pass, report), { method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const status of ['204 No Content', '304 Not Modified']) {
        const app: WSGIApplication = (_environ, start_response) => {
          start_response(status, [['ETag', '"v1"']])
          return []
        }
        const answer = await answerOf(fromConnect(pass, app))
        assert.deepEqual(
          [answer.status, answer.text, answer.header('etag'), answer.header('content-length')],
          [Number(status.slice(0, 3)), '', '"v1"', undefined],
        )
      }
    })

    it('throws the errors of the application behind it unchanged', async () => {
      const refusing: WSGIApplication = () => {
        throw Object.assign(new Error('not for clients'), { status: 403 })
      }
      assert.equal((await answerOf(fromConnect((_req, _res, next) => next(), refusing))).status, 500)
    })

    it('does not need a response of the application if a handler has answered', async () => {
      const app = fromConnect((_req, res, next) => {
        res.end('handler')
        next()
      }, report)
      assert.equal((await answerOf(app)).text, 'handler')
    })

    it('drops trailers', async () => {
      const app = fromConnect((_req, res) => {
        res.setHeader('Trailer', 'Checksum')
        res.write('body')
        res.addTrailers({ Checksum: 'abc' })
        res.end()
      })
      const answer = await answerOf(app)
      assert.deepEqual([answer.status, answer.text, answer.header('trailer')], [200, 'body', undefined])
    })
  })
}

describe('Connect handlers of one application', () => {
  class PagesController extends WSGIController {
    index() {
      const { name } = connectRequest<{ name?: string }>(this.request)
      return `hello ${name}`
    }
  }

  function site(...middleware: Middleware[]) {
    return new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'pages', action: 'index' }),
      controllers: { pages: PagesController },
      logger: { info() {}, warn() {}, error() {} },
      middleware,
    })
  }

  const name = fromConnect((req, res, next) => {
    Object.assign(req, { name: 'Ann' })
    Object.assign(res, { locals: { title: 'Home' } })
    res.setHeader('X-Powered-By', 'handlers')
    next()
  })

  it('share the request and locals', async () => {
    const seen: unknown[] = []
    const second = fromConnect((req, res, next) => {
      seen.push(Reflect.get(req, 'name'), Reflect.get(res, 'locals'))
      next()
    })
    const response = await new TestApp(site(name, second)).get('/')
    assert.equal(response.text, 'hello Ann')
    assert.deepEqual(seen, ['Ann', { title: 'Home' }])
    assert.equal(response.headers.get('x-powered-by'), 'handlers')
  })

  it('reach the error page with next(error), which other middleware sees', async () => {
    const lines: string[] = []
    const failing = fromConnect((_req, _res, next) => next(new Error('the secret')))
    const log = requestLog({ write: (line) => lines.push(line) })
    const response = await site(log, name, failing).fetch(new Request('http://localhost/'))
    assert.equal(response.status, 500)
    assert.ok(response.headers.get('x-request-id'))
    assert.doesNotMatch(await response.text(), /secret/)
    assert.match(lines.join(), /"status":500/)
  })

  it('serve as a controller', async () => {
    const legacy = express()
    legacy.get('/where', (req, res) => {
      res.json([req.originalUrl, req.baseUrl, req.url, Reflect.get(req, 'name')])
    })
    const app = new FrameworkApp({
      map: new Mapper().connect('/legacy/{path_info:.*}', { controller: 'legacy' }),
      controllers: { legacy: fromConnect(legacy) },
      middleware: [name],
    })
    const response = await new TestApp(app).get('/legacy/where?x=1')
    assert.deepEqual(response.json(), ['/legacy/where?x=1', '/legacy', '/where?x=1', 'Ann'])
  })

  it('say that none has received a request', async () => {
    await assert.rejects(new TestApp(site()).get('/'), /No Connect handler has received this request/)
  })
})

describe('a mounted Connect handler', () => {
  const mounts: [url: string, seen: [originalUrl: string, baseUrl: string, url: string]][] = [
    ['/m', ['/m', '/m', '/']],
    ['/m/', ['/m/', '/m', '/']],
    ['/m?x=1', ['/m?x=1', '/m', '/?x=1']],
    ['/m/a%2Fb/', ['/m/a%2Fb/', '/m', '/a%2Fb/']],
  ]
  for (const [url, seen] of mounts) {
    it(`receives ${url} as Connect passes it on`, async () => {
      const handler: ConnectHandler = (req, res) => {
        res.end(JSON.stringify([Reflect.get(req, 'originalUrl'), Reflect.get(req, 'baseUrl'), req.url]))
      }
      const environ = createEnviron({ url, scriptName: '/m' })
      const own = await run(lint(fromConnect(handler)), environ)
      assert.deepEqual(JSON.parse(await own.text()), seen)

      const legacy = express()
      legacy.use('/m', (req, res) => void res.json([req.originalUrl, req.baseUrl, req.url]))
      const theirs = await run(fromConnect(legacy), createEnviron({ url }))
      assert.deepEqual(JSON.parse(await theirs.text()), seen)
    })
  }
})

describe('a mounted directory of Express', () => {
  const app = new FrameworkApp({
    map: new Mapper().connect('/m{path_info:.*}', { controller: 'files' }),
    controllers: { files: fromConnect(express.static(fileURLToPath(new URL('.', import.meta.url)))) },
  })

  it('is redirected to its slash, and serves files', async () => {
    const client = new TestApp(app)
    const redirected = await client.get('/m', { status: 301 })
    assert.equal(redirected.headers.get('location'), '/m/')
    assert.match((await client.get('/m/raw.ts')).text, /^import/m)
  })
})

describe('a client that disconnects', () => {
  const watched = (app: WSGIApplication) => {
    const errors: unknown[] = []
    const wsgi = lint(app)
    return { wsgi, errors, handleError: () => wsgi, reportError: (error: unknown) => void errors.push(error) }
  }

  it('ends the event stream of a handler, without an error', async () => {
    const closed = Promise.withResolvers<void>()
    const app = watched(
      fromConnect((req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' })
        const timer = setInterval(() => res.write(': heartbeat\n\n'), 1)
        req.on('close', () => {
          clearInterval(timer)
          res.write('too late')
          res.end()
          setImmediate(closed.resolve)
        })
      }),
    )
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.hears('heartbeat')
      client.socket.destroy()
      await closed.promise
    })
    assert.deepEqual(app.errors, [])
  })

  it('closes the stream of the application behind a handler, once', async () => {
    const closed = Promise.withResolvers<void>()
    let closes = 0
    const stream: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/event-stream']])
      const steps: Promise<IteratorResult<string>>[] = [Promise.resolve({ done: false, value: 'begun' })]
      return {
        [Symbol.asyncIterator]: () => ({ next: () => steps.shift() ?? new Promise(() => {}) }),
        close() {
          closes += 1
          closed.resolve()
        },
      }
    }
    const app = watched(fromConnect((_req, _res, next) => next(), stream))
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.hears('begun')
      client.socket.destroy()
      await closed.promise
    })
    assert.deepEqual([closes, app.errors], [1, []])
  })

  it('stops the application behind a handler at the pace of the client', async () => {
    let pulled = 0
    const endless: WSGIApplication = async function* (_environ, start_response) {
      start_response('200 OK', [])
      for (;;) {
        pulled += 1
        yield 'x'.repeat(10_000)
      }
    }
    const app = lint(fromConnect((_req, _res, next) => next(), endless))
    const { body } = await run(app, createEnviron())
    await body[Symbol.asyncIterator]().next()
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(pulled < 50, `${pulled} chunks were pulled`)
    await body.close()
  })
})

describe('fromConnect', () => {
  it('refuses what is not a handler', () => {
    assert.throws(() => Reflect.apply(fromConnect, undefined, [{}]), /requires a handler \(req, res, next\)/)
  })

  it('refuses wrong arguments of its result', () => {
    const app = fromConnect((_req, res) => res.end())
    assert.throws(() => Reflect.apply(app, undefined, [{}]), /called with an application, or with/)
  })
})
