import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, type FrameworkAppOptions, Mapper, Response, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { createEnviron, type Environ, type Middleware, run, type StartResponse } from 'propylon/wsgi'
import { socketRequest } from '../wsgi/transports.ts'

const failure = new Error('the secret of the house')

class PagesController extends WSGIController {
  index() {
    return 'Hello World'
  }
  throws() {
    throw failure
  }
  async rejects() {
    await null
    throw failure
  }
  throws_nothing() {
    throw undefined
  }
  aborts() {
    abort(409)
  }
  *generator() {
    if (this.request.method === 'GET') throw failure
    yield 'never'
  }
  async *stream() {
    if (this.request.method === 'GET') throw failure
    yield 'never'
  }
  async *stream_late() {
    yield 'begun'
    throw failure
  }
  returned_stream() {
    this.response.setCookie('seen', 'yes')
    return new Response(ReadableStream.from(failing), { headers: { 'X-Own': 'stream' } })
  }
  not_a_body(): unknown {
    return 42
  }
}

const failing: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }),
}

const applications = {
  started(_environ: Environ, start_response: StartResponse): never {
    start_response('200 OK', [['X-Own', 'started']])
    throw failure
  },
  async written(_environ: Environ, start_response: StartResponse): Promise<never> {
    start_response('200 OK', [['Content-Type', 'text/plain']])('begun')
    await null
    throw failure
  },
  *lazy(_environ: Environ, start_response: StartResponse) {
    start_response('200 OK', [['X-Own', 'lazy']])
    yield ''
    throw failure
  },
}

interface Watching {
  readonly app: FrameworkApp
  readonly watch: Middleware
  /** Statuses that the middleware received for the last request. */
  readonly seen: string[]
  readonly log: string[]
}

function watching(options: Partial<FrameworkAppOptions> = {}): Watching {
  const seen: string[] = []
  const log: string[] = []
  const watch: Middleware = (inner) => (environ, start_response) =>
    inner(environ, (status, headers, excInfo) => {
      seen.push(status)
      return start_response(status, [...headers, ['X-Seen', status]], excInfo)
    })
  const write = (line: string) => void log.push(line)
  const app = new FrameworkApp({
    map: new Mapper().connect('/pages/{action}', { controller: 'pages' }).connect('/{controller}', { action: 'index' }),
    controllers: { pages: PagesController, ...applications },
    logger: { info: write, warn: write, error: write },
    middleware: [watch],
    ...options,
  })
  return { app, watch, seen, log }
}

const aborting: Record<string, Middleware> = {
  'at once': () => () => abort(409),
  later: () => async () => {
    await null
    abort(409)
  },
  'after start_response': () => (_environ, start_response) => {
    start_response('200 OK', [['X-Own', 'begun']])
    abort(409)
  },
}

interface Seen {
  status: number
  seen: string | null
  own: string | null
  text: string
}

const faces: Record<string, (app: FrameworkApp, path: string) => Promise<Seen>> = {
  async fetch(app, path) {
    const { status, headers, ...response } = await app
      .fetch(new Request(`http://localhost${path}`))
      .then(async (it) => ({ status: it.status, headers: it.headers, text: await it.text() }))
    return { status, seen: headers.get('x-seen'), own: headers.get('x-own'), text: response.text }
  },
  async serve(app, path) {
    const server = await serve(app)
    try {
      const { status, text, header } = await socketRequest(server.port, { path })
      return { status, seen: header('x-seen') ?? null, own: header('x-own') ?? null, text }
    } finally {
      await server.close()
    }
  },
}

const rows: [path: string, status: number, seen: string[]][] = [
  ['/pages/index', 200, ['200 OK']],
  ['/pages/throws', 500, ['500 Internal Server Error']],
  ['/pages/rejects', 500, ['500 Internal Server Error']],
  ['/pages/throws_nothing', 500, ['500 Internal Server Error']],
  ['/pages/not_a_body', 500, ['500 Internal Server Error']],
  ['/pages/aborts', 409, ['409 Conflict']],
  ['/pages/absent', 404, ['404 Not Found']],
  ['/nowhere', 404, ['404 Not Found']],
  ['/pages/generator', 500, ['500 Internal Server Error']],
  ['/pages/stream', 500, ['500 Internal Server Error']],
  ['/pages/returned_stream', 500, ['200 OK', '500 Internal Server Error']],
  ['/started', 500, ['200 OK', '500 Internal Server Error']],
  ['/lazy', 500, ['200 OK', '500 Internal Server Error']],
]

for (const [face, request] of Object.entries(faces)) {
  describe(`middleware of an application, ${face}`, () => {
    for (const [path, status, seen] of rows) {
      it(`sees ${seen.join(', then ')} of ${path}`, async () => {
        const watched = watching()
        const answer = await request(watched.app, path)
        assert.equal(answer.status, status)
        assert.deepEqual(watched.seen, seen)
        assert.equal(answer.seen, seen.at(-1))
        assert.equal(answer.own, null)
        assert.doesNotMatch(answer.text, /secret/)
        assert.equal(watched.log.length, status === 500 ? 1 : 0, watched.log.join('\n'))
      })
    }

    it('sees the error page of debug mode', async () => {
      const watched = watching({ debug: true })
      const answer = await request(watched.app, '/pages/throws')
      assert.deepEqual([answer.status, answer.seen], [500, '500 Internal Server Error'])
      assert.match(answer.text, /the secret of the house/)
    })

    it("sees the application's own error page", async () => {
      const watched = watching({ errorPages: { 500: 'oops' }, templates: { oops: 'Oops: <%= it.status %>' } })
      const answer = await faces[face]?.(watched.app, '/pages/throws')
      assert.equal(answer?.seen, '500 Internal Server Error')
    })

    it('does not replace a response after its first chunk', async () => {
      for (const path of ['/pages/stream_late', '/written']) {
        const watched = watching()
        await assert.rejects(request(watched.app, path))
        assert.deepEqual(watched.seen, ['200 OK'])
        assert.equal(watched.log.length, 1)
      }
    })

    it('sees the page for an error of the middleware inside', async () => {
      const broken: Middleware = () => () => {
        throw failure
      }
      const seen: string[] = []
      const watch: Middleware = (inner) => (environ, start_response) =>
        inner(environ, (status, headers, excInfo) => {
          seen.push(status)
          return start_response(status, headers, excInfo)
        })
      const watched = watching({ middleware: [watch, broken] })
      assert.equal((await request(watched.app, '/pages/index')).status, 500)
      assert.deepEqual([seen, watched.log.length], [['500 Internal Server Error'], 1])
    })

    for (const [title, middleware] of Object.entries(aborting)) {
      it(`sends an HTTP exception that middleware throws, ${title}`, async () => {
        const watched = watching()
        const outer = watching({ middleware: [watched.watch, middleware] })
        const answer = await request(outer.app, '/pages/index')
        assert.deepEqual([answer.status, answer.seen, answer.own], [409, '409 Conflict', null])
        assert.equal(watched.seen.at(-1), '409 Conflict')
        assert.deepEqual(outer.log, [])
        assert.equal((await request(watching({ middleware: [middleware] }).app, '/')).status, 409)
      })
    }

    it('sends a page for an error of the middleware itself', async () => {
      const broken: Middleware = () => () => {
        throw failure
      }
      const watched = watching({ middleware: [broken] })
      assert.equal((await request(watched.app, '/pages/index')).status, 500)
      assert.equal(watched.log.length, 1)
    })
  })
}

describe('the WSGI application of a FrameworkApp with middleware', () => {
  for (const path of ['/pages/throws', '/pages/rejects', '/pages/stream', '/started']) {
    it(`throws the error of ${path}`, async () => {
      const { app } = watching()
      await assert.rejects(run(app.wsgi, createEnviron({ url: path })), failure)
      assert.equal((await app.fetch(new Request(`http://localhost${path}`))).status, 500)
      await assert.rejects(run(app.wsgi, createEnviron({ url: path })), failure)
    })
  }

  it('throws the error of an application that another one mounts', async () => {
    const inner = watching()
    const outer = watching({
      map: new Mapper().connect('/inner/{path_info:.*}', { controller: 'inner' }),
      controllers: { inner: inner.app.wsgi },
    })
    const answer = await outer.app.fetch(new Request('http://localhost/inner/pages/throws'))
    assert.equal(answer.status, 500)
    assert.deepEqual([inner.seen, outer.seen], [[], ['500 Internal Server Error']])
    assert.deepEqual([inner.log.length, outer.log.length], [0, 1])
  })
})
