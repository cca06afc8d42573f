import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import {
  FrameworkApp,
  type FrameworkAppOptions,
  Mapper,
  Request as PropylonRequest,
  Response,
  WSGIController,
} from 'propylon'
import { int } from 'propylon/converters'
import { toFetch } from 'propylon/fetch'
import { serve } from 'propylon/node'
import { RPCController } from 'propylon/rpc'
import type { Environ, WSGIApplication, WSGICallable } from 'propylon/wsgi'

/** A GET request with fields that every door must show. */
const PATH = '/door/index'
const FIELDS = { 'X-Door': 'open', Accept: 'text/html', Cookie: 'a=b' }

/** Servers that create environs. The one with Request and Response reads the fields only when they are asked for. */
const faces: Record<string, (app: WSGICallable, path: string) => Promise<string>> = {
  async node(app, path) {
    const server = await serve(app, { signals: false })
    try {
      return await get(`${server.url}${path}`)
    } finally {
      await server.close()
    }
  },
  async fetch(app, path) {
    const request = new Request(`http://127.0.0.1${path}`, { headers: FIELDS })
    const response = await toFetch(app)(request, { remoteAddr: { hostname: '127.0.0.1' } })
    return response.text().catch(() => '')
  },
}

function get(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: FIELDS, agent: false }, async (response) => {
        // A body may fail.
        resolve(await text(response).catch(() => ''))
      })
      .on('error', reject)
  })
}

/** Records the environ as application code sees it at one moment. */
type See = (environ: Environ) => void

type Options = Partial<FrameworkAppOptions> & Pick<FrameworkAppOptions, 'controllers'>

const routes = () => new Mapper().connect('/{controller}/{action}')

const quiet = { info() {}, warn() {}, error() {} }

const application = (options: Options) => new FrameworkApp({ map: routes(), logger: quiet, ...options })

/** Returns an application whose responses for HTTP exceptions see the environ. */
function watchingExceptions(see: See, options: Options): FrameworkApp {
  class Watched extends FrameworkApp {
    override exceptionResponse(...exception: Parameters<FrameworkApp['exceptionResponse']>) {
      see(exception[1])
      return super.exceptionResponse(...exception)
    }
  }
  return new Watched({ map: routes(), logger: quiet, ...options })
}

const page: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [])
  return ['page']
}

class Plain extends WSGIController {
  index() {
    return 'plain'
  }
}

class Failing extends WSGIController {
  index() {
    throw new Error('broken')
  }
}

/** The places at which code of an application sees the environ of a request, each in an application that uses no other. */
const doors: Record<string, (see: See) => WSGICallable> = {
  'the argument environ of an action': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          index(environ: Environ) {
            see(environ)
            return 'seen'
          }
        },
      },
    }),
  'this.request of an action': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          index() {
            see(this.request.environ)
            return 'seen'
          }
        },
      },
    }),
  'this.request after a promise': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          async index() {
            await Promise.resolve()
            see(this.request.environ)
            return 'seen'
          }
        },
      },
    }),
  'a body that is read later': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          async *index() {
            yield 'first'
            see(this.request.environ)
          }
        },
      },
    }),
  __before__: (see) =>
    application({
      controllers: {
        door: class extends Plain {
          __before__(environ: Environ) {
            see(environ)
          }
        },
      },
    }),
  __after__: (see) =>
    application({
      controllers: {
        door: class extends Plain {
          __after__() {
            see(this.request.environ)
          }
        },
      },
    }),
  'an overridden __call__': (see) =>
    application({
      controllers: {
        door: class extends Plain {
          override __call__(...call: Parameters<WSGIApplication>) {
            see(call[0])
            return super.__call__(...call)
          }
        },
      },
    }),
  'a __call__ in place of that of all controllers': (see) => {
    const { __call__ } = WSGIController.prototype
    WSGIController.prototype.__call__ = function (...call) {
      WSGIController.prototype.__call__ = __call__
      see(call[0])
      return this.__call__(...call)
    }
    return application({ controllers: { door: Plain } })
  },
  'a send in place of that of all responses': (see) => {
    const { send } = Response.prototype
    Response.prototype.send = function (...call) {
      Response.prototype.send = send
      see(call[0])
      return this.send(...call)
    }
    return application({ controllers: { door: Plain } })
  },
  'a __call__ of a class of its own': (see) =>
    application({
      controllers: {
        door: class {
          __call__(...call: Parameters<WSGIApplication>) {
            see(call[0])
            return page(...call)
          }
        },
      },
    }),
  'an overridden _get_method_args': (see) =>
    application({
      controllers: {
        door: class extends Plain {
          override _get_method_args() {
            const args = super._get_method_args()
            if ('environ' in args) see(args.environ as Environ)
            return args
          }
        },
      },
    }),
  'the page of an RPC controller': (see) =>
    application({
      controllers: {
        door: class extends RPCController {
          static override browsable = true
          override __call__(...call: Parameters<WSGIApplication>) {
            see(call[0])
            return super.__call__(...call)
          }
        },
      },
    }),
  'an application in place of a controller': (see) =>
    application({
      controllers: {
        door: (environ, start_response) => {
          see(environ)
          return page(environ, start_response)
        },
      },
    }),
  'an object with wsgi in place of a controller': (see) =>
    application({
      controllers: {
        door: {
          wsgi: (environ, start_response) => {
            see(environ)
            return page(environ, start_response)
          },
        },
      },
    }),
  'a mounted application': (see) => {
    const inner = application({
      map: new Mapper().connect('/index', { controller: 'door', action: 'index' }),
      controllers: {
        door: class extends Plain {
          __before__() {
            see(this.request.environ)
          }
        },
      },
    })
    return application({
      map: new Mapper().connect('/door{path_info:.*}', { controller: 'inner' }),
      controllers: { inner },
    })
  },
  'an application that an action returns': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          index(): WSGIApplication {
            return (environ, start_response) => {
              see(environ)
              return page(environ, start_response)
            }
          }
        },
      },
    }),
  'a Response with a send of its own': (see) => {
    class Watched extends Response {
      override send(...call: Parameters<Response['send']>) {
        see(call[0])
        return super.send(...call)
      }
    }
    return application({
      controllers: {
        door: class extends WSGIController {
          index() {
            return new Watched('seen')
          }
        },
      },
    })
  },
  middleware: (see) =>
    application({
      controllers: { door: Plain },
      middleware: [
        (app) => (environ, start_response) => {
          see(environ)
          return app(environ, start_response)
        },
      ],
    }),
  'an application around app.wsgi': (see) => {
    const app = application({ controllers: { door: Plain } })
    return (environ, start_response) => {
      see(environ)
      return app.wsgi(environ, start_response)
    }
  },
  'an overridden servedWith': (see) => {
    class Watched extends FrameworkApp {
      override servedWith(...reporting: Parameters<FrameworkApp['servedWith']>): WSGIApplication {
        const app = super.servedWith(...reporting)
        return (environ, start_response) => {
          see(environ)
          return app(environ, start_response)
        }
      }
    }
    return new Watched({ map: routes(), controllers: { door: Plain } })
  },
  'a condition of a route': (see) => {
    const isSeen = ({ environ }: { readonly environ?: unknown }) => {
      see(environ as Environ)
      return true
    }
    const map = new Mapper().connect('/{controller}/{action}', { conditions: { function: isSeen } })
    return application({ map, controllers: { door: Plain } })
  },
  onError: (see) =>
    application({
      controllers: { door: Failing },
      onError: (_error, environ) => see(environ ?? assert.fail('There is no environ.')),
    }),
  'onError for a body that fails': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          async *index() {
            yield 'first'
            throw new Error('broken')
          }
        },
      },
      onError: (_error, environ) => see(environ ?? assert.fail('There is no environ.')),
    }),
  'an overridden handleError': (see) => {
    class Watched extends FrameworkApp {
      override handleError(...failure: Parameters<FrameworkApp['handleError']>) {
        see(failure[1])
        return super.handleError(...failure)
      }
    }
    return new Watched({ map: routes(), controllers: { door: Failing }, logger: quiet })
  },
  'handleError of another application': (see) => ({
    wsgi: () => {
      throw new Error('broken')
    },
    handleError(_error: unknown, environ: Environ) {
      see(environ)
      return page
    },
  }),
  'the debug page of an error': (see) => {
    class Watched extends FrameworkApp {
      override showsErrors(environ: Environ) {
        see(environ)
        return super.showsErrors(environ)
      }
    }
    return new Watched({ map: routes(), controllers: { door: Failing }, logger: quiet, debug: true })
  },
  'a path without a route': (see) => {
    class Watched extends FrameworkApp {
      override showsErrors(environ: Environ) {
        see(environ)
        return super.showsErrors(environ)
      }
    }
    return new Watched({ map: new Mapper().connect('/other'), controllers: {} })
  },
  'the page of an action that does not exist': (see) =>
    watchingExceptions(see, { controllers: { door: class extends WSGIController {} } }),
  'the page of a private action': (see) =>
    watchingExceptions(see, {
      map: new Mapper().connect(PATH, { controller: 'door', action: '_index' }),
      controllers: { door: Plain },
    }),
  'the page of a host that is not served': (see) =>
    watchingExceptions(see, { controllers: { door: Plain }, hosts: ['example.com'] }),
  'the page of a file that does not exist': (see) =>
    watchingExceptions(see, {
      controllers: {},
      public: { directory: new URL('.', import.meta.url), prefix: '/door' },
    }),
  'the page of an action that takes too long': (see) =>
    watchingExceptions(see, {
      controllers: {
        door: class extends WSGIController {
          index() {
            return new Promise<string>(() => {})
          }
        },
      },
      requestTimeout: 1,
    }),
  'the page of an argument that is refused': (see) =>
    watchingExceptions(see, {
      controllers: {
        door: class extends WSGIController {
          static args = { index: { needed: int } }
          index(needed: number) {
            return `${needed}`
          }
        },
      },
    }),
  'a template': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          index() {
            return this.render('page', { see })
          }
        },
      },
      templates: { 'page.eta': '<% it.see(it.request.environ) %>' },
    }),
  'a tracing channel': (see) => {
    const channel = tracingChannel('propylon.request')
    const listeners = {
      start(message: unknown) {
        channel.unsubscribe(listeners)
        see((message as { environ: Environ }).environ)
      },
      end() {},
      asyncStart() {},
      asyncEnd() {},
      error() {},
    }
    channel.subscribe(listeners)
    return application({ controllers: { door: Plain } })
  },
  'the session': (see) => {
    class Watched extends FrameworkApp {
      override openSession(environ: Environ) {
        see(environ)
        return super.openSession(environ)
      }
    }
    const door = class extends WSGIController {
      index() {
        return `${this.session.get('name')}`
      }
    }
    return new Watched({ map: routes(), controllers: { door }, session: { secret: 'x'.repeat(32) } })
  },
  'a template engine': (see) =>
    application({
      controllers: {
        door: class extends WSGIController {
          index() {
            return this.render('door')
          }
        },
      },
      templates: {
        render(_name, { request }) {
          if (request instanceof PropylonRequest) see(request.environ)
          return 'seen'
        },
      },
    }),
  'the generator of URLs': (see) => {
    class Watched extends FrameworkApp {
      override urlGenerator(environ: Environ) {
        see(environ)
        return super.urlGenerator(environ)
      }
    }
    const door = class extends WSGIController {
      index() {
        return this.url('/there')
      }
    }
    return new Watched({ map: routes(), controllers: { door } })
  },
}

const withErrorPages = (map: FrameworkAppOptions['map']) =>
  application({
    map,
    controllers: {},
    templates: { 'error.eta': "<%= it.request.header('x-door') %>" },
    errorPages: { 404: 'error', 405: 'error' },
  })

/** Applications whose responses show a field or the address, and their texts. */
const texts: Record<string, { readonly app: () => FrameworkApp; readonly text: string }> = {
  'the page of a path without a route': {
    app: () => withErrorPages(new Mapper().connect('/other')),
    text: 'open',
  },
  'the page of a method that is not allowed': {
    app: () => withErrorPages(new Mapper().connect(PATH, { conditions: { method: 'PUT' } })),
    text: 'open',
  },
  'the page of a controller that does not exist': { app: () => withErrorPages(routes()), text: 'open' },
  'the format of a resource': {
    app: () =>
      application({
        map: new Mapper().connect('/door/index{.format:json|html}', { controller: 'door', action: 'index' }),
        controllers: {
          door: class extends WSGIController {
            index(format: string) {
              return format
            }
          },
        },
      }),
    text: 'html',
  },
  'cookies and the address of the request': {
    app: () =>
      application({
        controllers: {
          door: class extends WSGIController {
            index() {
              return `${this.request.cookies.a} ${this.request.remoteAddr}`
            }
          },
        },
      }),
    text: 'b 127.0.0.1',
  },
}

for (const [face, ask] of Object.entries(faces)) {
  describe(`the environ of a request to ${face}`, () => {
    for (const [door, open] of Object.entries(doors)) {
      it(`is whole for ${door}`, async () => {
        const seen: Environ[] = []
        // A copy, because the environ may become whole later.
        await ask(
          open((environ) => void seen.push({ ...environ })),
          PATH,
        )
        assert.notEqual(seen.length, 0)
        for (const { HTTP_X_DOOR, HTTP_ACCEPT, HTTP_COOKIE, REMOTE_ADDR } of seen)
          assert.deepEqual(
            [HTTP_X_DOOR, HTTP_ACCEPT, HTTP_COOKIE, REMOTE_ADDR],
            ['open', 'text/html', 'a=b', '127.0.0.1'],
          )
      })
    }

    for (const [name, { app, text: expected }] of Object.entries(texts)) {
      it(`has the header fields for ${name}`, async () => assert.equal(await ask(app(), PATH), expected))
    }

    it('is a plain object', async () => {
      const door = class extends WSGIController {
        __before__(environ: Environ) {
          environ.HTTP_X_OWN = environ.HTTP_X_DOOR
          delete environ.HTTP_X_DOOR
        }
        index() {
          const { environ } = this.request
          const keys = Object.keys(environ).filter((key) => key.startsWith('HTTP_X_'))
          return Response.from(
            globalThis.Response.json([keys, { ...environ }.HTTP_X_OWN, 'HTTP_X_DOOR' in environ]),
          )
        }
      }
      const answer = await ask(application({ controllers: { door } }), PATH)
      assert.deepEqual(JSON.parse(answer), [['HTTP_X_OWN'], 'open', false])
    })
  })
}

describe('the address of a client', () => {
  it('is that at the time of the request, also for an action that reads it later', async () => {
    const departed = Promise.withResolvers<void>()
    const door = class extends WSGIController {
      async index() {
        await departed.promise
        return this.request.remoteAddr
      }
    }
    let address: { address: string } | null = { address: '192.0.2.1' }
    const server = { requestIP: () => address }
    const pending = toFetch(application({ controllers: { door } }))(new Request(`http://h${PATH}`), server)
    // Bun no longer has the address when the client has left.
    address = null
    departed.resolve()
    assert.equal(await (await pending).text(), '192.0.2.1')
  })

  it('is that at the time of the request on Deno, also for an action that reads it after the response', async () => {
    let isClosed = false
    const info = {
      get remoteAddr() {
        if (isClosed) throw new TypeError('Request closed')
        return { hostname: '192.0.2.1' }
      },
    }
    let read = () => ''
    const door = class extends WSGIController {
      index() {
        read = () => this.request.remoteAddr
        return 'ok'
      }
    }
    const handle = toFetch(application({ controllers: { door } }))
    assert.equal(await (await handle(new Request(`http://h${PATH}`), info)).text(), 'ok')
    isClosed = true
    assert.equal(read(), '192.0.2.1')
  })
})
