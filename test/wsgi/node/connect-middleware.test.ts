/** Middleware of Express, as published on npm, around an application with controllers, over real sockets. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import bodyParser from 'body-parser'
import compression from 'compression'
import timeout from 'connect-timeout'
import express from 'express'
import session from 'express-session'
import methodOverride from 'method-override'
import morgan from 'morgan'
import passport from 'passport'
import { FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import { connectRequest, fromConnect, serve } from 'propylon/node'
import type { Middleware } from 'propylon/wsgi'
import responseTime from 'response-time'
import { type Answer, type RequestSpec, socketRequest } from '../transports.ts'
import { Connection } from './raw.ts'

declare module 'express-session' {
  interface SessionData {
    visits: number
  }
}

const page = '<p>All work and no play makes Jack a dull boy.</p>\n'.repeat(100)

class PagesController extends WSGIController {
  index() {
    this.response.headers.set('Vary', 'Accept')
    return page
  }
  hello() {
    return 'hello'
  }
  fails() {
    throw new Error('broken')
  }
  async *stream() {
    for (let i = 0; i < 3; i++) {
      yield `${i} ${page}`
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  visits() {
    const { session: visitor } = connectRequest<express.Request>(this.request)
    visitor.visits = (visitor.visits ?? 0) + 1
    this.response.setCookie('own', 'yes')
    return String(visitor.visits)
  }
  whoami() {
    const { user } = connectRequest(this.request)
    return typeof user === 'object' && user !== null && 'name' in user ? String(user.name) : 'nobody'
  }
  async body() {
    const { body } = connectRequest(this.request)
    const read = new TextDecoder().decode(await this.request.environ['wsgi.input'].read())
    return { body, read }
  }
  update() {
    return `${this.request.originalMethod} as ${this.request.method}`
  }
  async slow() {
    await slowness.promise
    return 'too late'
  }
}

let slowness = Promise.withResolvers<void>()

interface Site {
  readonly log: string[]
  request(init?: RequestSpec): Promise<Answer>
  readonly port: number
}

/** Serves an application with the middleware while `use` runs. */
async function withSite(
  middleware: readonly Middleware[],
  use: (site: Site) => Promise<void>,
  options: Partial<FrameworkAppOptions> = {},
): Promise<void> {
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/', { controller: 'pages', action: 'index' })
      .connect('/update', { controller: 'pages', action: 'update', conditions: { method: ['PUT'] } })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    logger: { info: write, warn: write, error: write },
    middleware,
    ...options,
  })
  const server = await serve(app)
  try {
    await use({ log, port: server.port, request: (init) => socketRequest(server.port, init ?? {}) })
  } finally {
    await server.close()
  }
}

describe('compression', () => {
  const gzip: [string, string] = ['Accept-Encoding', 'gzip']

  it('compresses the pages of controllers', async () => {
    await withSite([fromConnect(compression())], async ({ request }) => {
      const answer = await request({ headers: [gzip] })
      assert.equal(answer.header('content-encoding'), 'gzip')
      assert.equal(gunzipSync(answer.body).toString(), page)
      assert.equal(answer.header('vary'), 'Accept, Accept-Encoding')
      assert.equal(answer.header('content-length'), undefined)
    })
  })

  it('leaves small pages, HEAD and clients without gzip alone', async () => {
    await withSite([fromConnect(compression())], async ({ request }) => {
      assert.equal((await request({ path: '/hello', headers: [gzip] })).text, 'hello')
      assert.equal((await request({ path: '/' })).text, page)
      const head = await request({ method: 'HEAD', path: '/hello', headers: [gzip] })
      assert.deepEqual([head.status, head.text], [200, ''])
    })
  })

  it('compresses streams, each chunk at once', async () => {
    await withSite([fromConnect(compression())], async ({ request, port }) => {
      const answer = await request({ path: '/stream', headers: [gzip] })
      const whole = [0, 1, 2].map((i) => `${i} ${page}`).join('')
      assert.equal(gunzipSync(answer.body).toString(), whole)
      const response = await fetch(`http://127.0.0.1:${port}/stream`, { headers: [gzip] })
      const first = await response.body?.getReader().read()
      assert.match(new TextDecoder().decode(first?.value), /^0 /)
    })
  })

  it('compresses error pages', async () => {
    const options = { templates: { oops: page }, errorPages: { 500: 'oops' } }
    await withSite(
      [fromConnect(compression())],
      async ({ request }) => {
        const answer = await request({ path: '/fails', headers: [gzip, ['Accept', 'text/html']] })
        assert.deepEqual([answer.status, gunzipSync(answer.body).toString()], [500, page])
      },
      options,
    )
  })
})

describe('morgan', () => {
  function logged() {
    const lines: string[] = []
    const done: (() => void)[] = []
    const write = (line: string) => {
      lines.push(line.trim())
      done.shift()?.()
    }
    const format = ':method :url :status :res[content-length] :remote-addr'
    const next = () => new Promise<void>((resolve) => done.push(resolve))
    return { lines, next, middleware: fromConnect(morgan(format, { stream: { write } })) }
  }

  it('logs each request once with its final status', async () => {
    const { lines, middleware } = logged()
    await withSite([middleware], async ({ request }) => {
      await request({ path: '/hello?x=1' })
      await request({ path: '/fails' })
      await request({ path: '/absent' })
      await request({ path: '/stream' })
    })
    const length = lines[1]?.split(' ')[3]
    assert.deepEqual(lines, [
      'GET /hello?x=1 200 5 127.0.0.1',
      `GET /fails 500 ${length} 127.0.0.1`,
      `GET /absent 404 ${lines[2]?.split(' ')[3]} 127.0.0.1`,
      'GET /stream 200 - 127.0.0.1',
    ])
  })

  it('logs a stream whose client has left', async () => {
    const { lines, next, middleware } = logged()
    class EventsController extends WSGIController {
      async *index() {
        yield 'data: begun\n\n'
        await new Promise(() => {})
      }
    }
    const options = {
      map: new Mapper().connect('/events', { controller: 'events', action: 'index' }),
      controllers: { events: EventsController },
    }
    await withSite(
      [middleware],
      async ({ port, log }) => {
        const client = new Connection(port)
        client.say('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
        await client.hears('data: begun')
        const line = next()
        client.socket.destroy()
        await line
        assert.deepEqual(log, [])
      },
      options,
    )
    assert.match(lines.join('\n'), /^GET \/events 200 - 127\.0\.0\.1$/)
  })
})

const sessions = () => fromConnect(session({ secret: 'a long random text', resave: false, saveUninitialized: false }))

const cookieOf = (answer: Answer): string =>
  answer
    .headerAll('set-cookie')
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

describe('express-session', () => {
  it('keeps the session of a visitor, which controllers read and change', async () => {
    await withSite([sessions()], async ({ request }) => {
      const first = await request({ path: '/visits' })
      assert.equal(first.text, '1')
      assert.match(cookieOf(first), /connect\.sid=.*own=yes|own=yes.*connect\.sid=/)
      const again = await request({ path: '/visits', headers: [['Cookie', cookieOf(first)]] })
      assert.equal(again.text, '2')
      assert.equal((await request({ path: '/visits' })).text, '1')
    })
  })

  it('saves the session before the response is complete', async () => {
    const order: string[] = []
    class SlowStore extends session.MemoryStore {
      override set(sid: string, data: session.SessionData, callback?: (error?: unknown) => void) {
        setImmediate(() => {
          order.push('saved')
          super.set(sid, data, callback)
        })
      }
    }
    const options = { secret: 'x', resave: false, saveUninitialized: false, store: new SlowStore() }
    await withSite([fromConnect(session(options))], async ({ request }) => {
      await request({ path: '/visits' })
      order.push('answered')
    })
    assert.deepEqual(order, ['saved', 'answered'])
  })
})

describe('passport', () => {
  class TokenStrategy extends passport.Strategy {
    override name = 'token'
    override authenticate(req: express.Request) {
      const token = req.headers.authorization
      if (token === 'Token ann') this.success({ name: 'Ann' })
      else this.fail('Token', 401)
    }
  }

  it('authenticates a request, whose user controllers read', async () => {
    const own = new passport.Passport()
    own.use(new TokenStrategy())
    const middleware = [fromConnect(own.initialize()), fromConnect(own.authenticate('token', { session: false }))]
    await withSite(middleware, async ({ request }) => {
      const ann = await request({ path: '/whoami', headers: [['Authorization', 'Token ann']] })
      assert.equal(ann.text, 'Ann')
      const nobody = await request({ path: '/whoami' })
      assert.deepEqual([nobody.status, nobody.header('www-authenticate')], [401, 'Token'])
    })
  })

  it('keeps the user in the session', async () => {
    const own = new passport.Passport()
    own.use(new TokenStrategy())
    own.serializeUser((user, done) => done(null, JSON.stringify(user)))
    own.deserializeUser((text: string, done) => done(null, JSON.parse(text)))
    const login = express()
    login.post('/login', own.authenticate('token'), (_req, res) => void res.json('welcome'))
    login.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.json('bye'))))
    const middleware = [sessions(), fromConnect(own.initialize()), fromConnect(own.session()), fromConnect(login)]
    await withSite(middleware, async ({ request }) => {
      const welcome = await request({
        method: 'POST',
        path: '/login',
        headers: [['Authorization', 'Token ann']],
      })
      assert.equal(welcome.text, '"welcome"')
      const cookie: [string, string] = ['Cookie', cookieOf(welcome)]
      assert.equal((await request({ path: '/whoami', headers: [cookie] })).text, 'Ann')
      const bye = await request({ method: 'POST', path: '/logout', headers: [cookie] })
      assert.equal(bye.text, '"bye"')
      assert.equal((await request({ path: '/whoami', headers: [cookie] })).text, 'nobody')
    })
  })
})

describe('body-parser', () => {
  const middleware = [
    fromConnect(bodyParser.json({ limit: 1000 })),
    fromConnect(bodyParser.urlencoded({ extended: false })),
  ]
  const json = (body: string): RequestSpec => ({
    method: 'POST',
    path: '/body',
    headers: [['Content-Type', 'application/json']],
    body,
  })

  it('parses a body, which the controller can read again', async () => {
    await withSite(middleware, async ({ request }) => {
      const answer = await request(json('{"a":[1,2]}'))
      assert.deepEqual(JSON.parse(answer.text), { body: { a: [1, 2] }, read: '{"a":[1,2]}' })
      const form = await request({
        method: 'POST',
        path: '/body',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'a=1&b=2',
      })
      assert.deepEqual(JSON.parse(form.text), { body: { a: '1', b: '2' }, read: 'a=1&b=2' })
    })
  })

  it('leaves other bodies to the controller', async () => {
    await withSite(middleware, async ({ request }) => {
      const answer = await request({
        method: 'POST',
        path: '/body',
        headers: [['Content-Type', 'text/plain']],
        body: 'x'.repeat(100_000),
      })
      assert.equal(JSON.parse(answer.text).read.length, 100_000)
    })
  })

  it('refuses malformed and large bodies with its status, without details', async () => {
    await withSite(middleware, async ({ request, log }) => {
      const malformed = await request(json('{secret'))
      assert.deepEqual([malformed.status, malformed.text], [400, '400 Bad Request\n'])
      assert.equal((await request(json(`"${'x'.repeat(2000)}"`))).status, 413)
      assert.deepEqual(log, [])
    })
  })

  it('says which body cannot be read again', async () => {
    const large = [fromConnect(bodyParser.text({ limit: '10mb' }))]
    await withSite(large, async ({ request, log }) => {
      const answer = await request({
        method: 'POST',
        path: '/body',
        headers: [['Content-Type', 'text/plain']],
        body: 'x'.repeat(5_000_000),
      })
      assert.equal(answer.status, 500)
      assert.match(log.join(), /A Connect handler has read \d+ bytes of the request body.*req\.body/)
    })
  })
})

describe('method-override', () => {
  it('overrides the method before the request is routed', async () => {
    const middleware = [
      fromConnect(bodyParser.urlencoded({ extended: false })),
      fromConnect(methodOverride('X-HTTP-Method-Override')),
      fromConnect(methodOverride((req) => String(req.body?._verb ?? ''))),
    ]
    await withSite(middleware, async ({ request }) => {
      const headers: [string, string][] = [['X-HTTP-Method-Override', 'PUT']]
      const answer = await request({ method: 'POST', path: '/update', headers })
      assert.equal(answer.text, 'POST as PUT')
      assert.match(answer.header('vary') ?? '', /X-HTTP-Method-Override/i)
      const form = await request({
        method: 'POST',
        path: '/update',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: '_verb=PUT',
      })
      assert.equal(form.text, 'POST as PUT')
      assert.equal((await request({ method: 'POST', path: '/update' })).status, 405)
    })
  })
})

describe('response-time', () => {
  it('adds its header to every response', async () => {
    await withSite([fromConnect(responseTime())], async ({ request }) => {
      for (const path of ['/hello', '/stream', '/fails', '/absent']) {
        assert.match((await request({ path })).header('x-response-time') ?? '', /^\d+\.\d+ms$/, path)
      }
    })
  })
})

describe('connect-timeout', () => {
  /** Lets mocked time pass until a promise has settled. */
  async function inTime<Value>(t: TestContext, promise: Promise<Value>): Promise<Value> {
    let isSettled = false
    const settled = promise.finally(() => {
      isSettled = true
    })
    while (!isSettled) {
      t.mock.timers.tick(20)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return settled
  }

  it('answers 503 if the application takes too long, and drops its response', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    slowness = Promise.withResolvers()
    await withSite([fromConnect(timeout('20ms'))], async ({ request, log }) => {
      const answer = await inTime(t, request({ path: '/slow' }))
      assert.equal(answer.status, 503)
      slowness.resolve()
      assert.equal((await request({ path: '/hello' })).text, 'hello')
      assert.deepEqual(log, [])
    })
  })

  it('lets a handler answer instead', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    slowness = Promise.withResolvers()
    const own = fromConnect((req, res, next) => {
      req.on('timeout', () => {
        res.statusCode = 504
        res.end('slow')
      })
      next()
    })
    const middleware = [fromConnect(timeout('20ms', { respond: false })), own]
    await withSite(middleware, async ({ request, log }) => {
      const answer = await inTime(t, request({ path: '/slow' }))
      assert.deepEqual([answer.status, answer.text], [504, 'slow'])
      slowness.resolve()
      assert.equal((await request({ path: '/hello' })).text, 'hello')
      assert.deepEqual(log, [])
    })
  })
})

it('all of them work together', async () => {
  const lines: string[] = []
  const own = new passport.Passport()
  const middleware = [
    fromConnect(morgan('tiny', { stream: { write: (line) => void lines.push(line) } })),
    fromConnect(responseTime()),
    fromConnect(timeout('5s')),
    fromConnect(compression({ threshold: 0 })),
    fromConnect(bodyParser.json()),
    fromConnect(methodOverride()),
    sessions(),
    fromConnect(own.initialize()),
    fromConnect(own.session()),
  ]
  await withSite(middleware, async ({ request }) => {
    const first = await request({ path: '/visits', headers: [['Accept-Encoding', 'gzip']] })
    assert.equal(gunzipSync(first.body).toString(), '1')
    assert.ok(first.header('x-response-time'))
    const again = await request({ path: '/visits', headers: [['Cookie', cookieOf(first)]] })
    assert.equal(again.text, '2')
  })
  assert.equal(lines.length, 2)
})
