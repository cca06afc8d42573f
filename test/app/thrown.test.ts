/** Errors of any kind, thrown anywhere in an application, end neither the process nor another request. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after, before, describe, it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FrameworkApp, JSONRPCController, type Logger, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { type ServerHandle, serve } from 'propylon/node'
import type { Body, Environ, StartResponse, WSGIApplication } from 'propylon/wsgi'
import { thrownValues } from './thrown-values.ts'

/** Throws the value that the request names in its header `X-Throw`. */
function throwFor(environ: Environ): never {
  throw valueFor(environ)
}

function valueFor(environ: Environ): unknown {
  return thrownValues[environ.HTTP_X_THROW ?? '']?.()
}

let afterRan = 0

class HooksController extends WSGIController {
  __before__(action: string, environ: Environ) {
    if (action === 'before') throwFor(environ)
  }

  async __after__(action: string, environ: Environ) {
    afterRan += 1
    if (action === 'after' || action === 'both') throwFor(environ)
  }

  before() {}

  after() {}

  both(environ: Environ) {
    throwFor(environ)
  }

  returned() {
    return thrownValues['a revoked proxy']?.()
  }

  action(environ: Environ) {
    throwFor(environ)
  }

  async later(environ: Environ) {
    await null
    throwFor(environ)
  }
}

class StreamsController extends WSGIController {
  *generator(environ: Environ) {
    if (environ.HTTP_X_THROW !== undefined) throwFor(environ)
    yield ''
  }

  *generatorLate(environ: Environ) {
    yield 'begun'
    throwFor(environ)
  }

  async *asyncGenerator(environ: Environ) {
    await null
    if (environ.HTTP_X_THROW !== undefined) throwFor(environ)
    yield ''
  }

  async *asyncGeneratorLate(environ: Environ) {
    yield 'begun'
    await null
    throwFor(environ)
  }

  webStream(environ: Environ) {
    return new ReadableStream({
      start(controller) {
        controller.error(valueFor(environ))
      },
    })
  }

  webStreamLate(environ: Environ) {
    let pulled = 0
    return new ReadableStream({
      pull(controller) {
        pulled += 1
        if (pulled > 1) throwFor(environ)
        controller.enqueue(new TextEncoder().encode('begun'))
      },
    })
  }

  template() {
    return this.render('throwing', { thrown: () => throwFor(this.request.environ) })
  }
}

class XMLController extends XMLRPCController {
  static override multicall = true

  fail() {
    throwFor(this.request.environ)
  }
}

class JSONController extends JSONRPCController {
  fail() {
    throwFor(this.request.environ)
  }
}

const begin = (start_response: StartResponse) => start_response('200 OK', [['Content-Type', 'text/plain']])

const closing: WSGIApplication = (environ, start_response) => {
  begin(start_response)
  const body: Body = ['whole']
  return Object.assign(body, { close: () => throwFor(environ) })
}

const closingLater: WSGIApplication = (environ, start_response) => {
  begin(start_response)
  return {
    async *[Symbol.asyncIterator]() {
      yield 'whole'
    },
    close: async () => throwFor(environ),
  }
}

const returning: WSGIApplication = (environ, start_response) => {
  begin(start_response)('begun')
  return throwFor(environ)
}

const returningLater: WSGIApplication = async (environ, start_response) => {
  begin(start_response)('begun')
  await setImmediate()
  return throwFor(environ)
}

const inMiddleware = (app: WSGIApplication): WSGIApplication => {
  return (environ, start_response) =>
    environ.PATH_INFO === '/middleware' ? throwFor(environ) : app(environ, start_response)
}

const map = new Mapper().connect('/{controller}', { action: 'index' }).connect('/{controller}/{action}')

interface Options {
  readonly logger: Logger
  readonly debug?: boolean
}

function application({ logger, debug = false }: Options): FrameworkApp {
  return new FrameworkApp({
    map,
    controllers: {
      hooks: HooksController,
      streams: StreamsController,
      xml: XMLController,
      json: JSONController,
      callable: throwFor,
      closing,
      closingLater,
      returning,
      returningLater,
      fine: class extends WSGIController {
        index() {
          return 'fine'
        }
      },
    },
    templates: { throwing: '<% it.thrown() %>' },
    middleware: [inMiddleware],
    logger,
    debug,
  })
}

type Ending =
  /** A 500 whose body is complete. */
  | 'page'
  /** A 200 whose body is not complete. */
  | 'cut'
  /** A complete 200: the error came when there was nothing left to send. */
  | 'whole'
  /** A 200 that holds a fault with the code -32603. */
  | 'fault'

interface Place {
  readonly path: string
  readonly ending: Ending
  readonly body?: string
}

const XML_CALL = '<?xml version="1.0"?><methodCall><methodName>fail</methodName></methodCall>'
const XML_BATCH =
  '<?xml version="1.0"?><methodCall><methodName>system.multicall</methodName><params><param><value><array><data><value><struct><member><name>methodName</name><value>fail</value></member><member><name>params</name><value><array><data/></array></value></member></struct></value></data></array></value></param></params></methodCall>'

const places: Readonly<Record<string, Place>> = {
  'an action': { path: '/hooks/action', ending: 'page' },
  'an asynchronous action': { path: '/hooks/later', ending: 'page' },
  __before__: { path: '/hooks/before', ending: 'page' },
  __after__: { path: '/hooks/after', ending: 'page' },
  'an action and then __after__': { path: '/hooks/both', ending: 'page' },
  middleware: { path: '/middleware', ending: 'page' },
  'a WSGI callable': { path: '/callable', ending: 'page' },
  'a template': { path: '/streams/template', ending: 'page' },
  'a generator before its first chunk': { path: '/streams/generator', ending: 'page' },
  'a generator after its first chunk': { path: '/streams/generatorLate', ending: 'cut' },
  'an async generator before its first chunk': { path: '/streams/asyncGenerator', ending: 'page' },
  'an async generator after its first chunk': { path: '/streams/asyncGeneratorLate', ending: 'cut' },
  'a web stream before its first chunk': { path: '/streams/webStream', ending: 'page' },
  'a web stream after its first chunk': { path: '/streams/webStreamLate', ending: 'cut' },
  'an application after write()': { path: '/returning', ending: 'page' },
  'an asynchronous application after write()': { path: '/returningLater', ending: 'cut' },
  'close() of an array': { path: '/closing', ending: 'whole' },
  'an asynchronous close()': { path: '/closingLater', ending: 'whole' },
  'an XML-RPC method': { path: '/xml', ending: 'fault', body: XML_CALL },
  'an XML-RPC method in a batch': { path: '/xml', ending: 'fault', body: XML_BATCH },
  'a JSON-RPC method': { path: '/json', ending: 'fault', body: '{"jsonrpc":"2.0","method":"fail","id":1}' },
  'a JSON-RPC method in a batch': {
    path: '/json',
    ending: 'fault',
    body: '[{"jsonrpc":"2.0","method":"fail","id":1}]',
  },
}

/** Sends a request over one of the faces. */
type Ask = (path: string, init: { headers: Record<string, string>; body?: string }) => Promise<Answered>

interface Answered {
  readonly status: number
  readonly text: string
  readonly isComplete: boolean
}

const faces: Readonly<Record<string, (app: FrameworkApp) => Promise<{ ask: Ask; end(): Promise<void> }>>> = {
  async node(app) {
    const server: ServerHandle = await serve(app)
    const ask: Ask = async (path, init) => {
      const request = http.request(server.url + path, {
        method: init.body === undefined ? 'GET' : 'POST',
        headers: init.headers,
        agent: false,
      })
      request.end(init.body)
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('error', () => {})
      await new Promise((resolve) => response.once('close', resolve))
      return { status: response.statusCode ?? 0, text, isComplete: response.complete }
    }
    return { ask, end: () => server.close() }
  },
  async fetch(app) {
    const ask: Ask = async (path, init) => {
      const method = init.body === undefined ? 'GET' : 'POST'
      const response = await app.fetch(new Request(`http://localhost${path}`, { method, ...init }))
      const { status } = response
      return response.text().then(
        (text) => ({ status, text, isComplete: true }),
        () => ({ status, text: '', isComplete: false }),
      )
    }
    return { ask, end: async () => {} }
  },
}

function headersFor(kind: string, { body, path }: Place, accept = '*/*'): Record<string, string> {
  const type = path === '/json' ? 'application/json' : 'text/xml'
  return { 'x-throw': kind, accept, ...(body === undefined ? {} : { 'content-type': type }) }
}

async function askFor(ask: Ask, kind: string, place: Place, accept?: string): Promise<Answered> {
  const { path, body } = place
  return ask(path, { headers: headersFor(kind, place, accept), ...(body === undefined ? {} : { body }) })
}

function assertEnding({ status, text, isComplete }: Answered, ending: Ending): void {
  assert.equal(status, ending === 'page' ? 500 : 200)
  assert.equal(isComplete, ending !== 'cut')
  if (ending === 'whole') assert.equal(text, 'whole')
  if (ending === 'fault') assert.match(text, /-32603/)
}

for (const [faceName, open] of Object.entries(faces)) {
  describe(`the ${faceName} face`, () => {
    for (const [placeName, place] of Object.entries(places)) {
      describe(`an error in ${placeName}`, () => {
        const logged: string[] = []
        let face: Awaited<ReturnType<typeof open>>
        before(async () => {
          const log = (message: string) => void logged.push(message)
          face = await open(application({ logger: { info: log, warn: log, error: log } }))
        })
        after(() => face.end())
        for (const kind of Object.keys(thrownValues)) {
          it(`is logged and ends only its request: ${kind}`, async () => {
            logged.length = 0
            assertEnding(await askFor(face.ask, kind, place), place.ending)
            assert.ok(logged.length > 0, 'the error is logged')
            assert.deepEqual(await face.ask('/fine', { headers: {} }), {
              status: 200,
              text: 'fine',
              isComplete: true,
            })
          })
        }
      })
    }

    it('runs __after__ after every kind of thrown value', async () => {
      const { ask, end } = await open(application({ logger: { info() {}, warn() {}, error() {} } }))
      for (const kind of Object.keys(thrownValues)) {
        afterRan = 0
        await ask('/hooks/action', { headers: { 'x-throw': kind } })
        assert.equal(afterRan, 1, kind)
      }
      await end()
    })

    it('runs __after__ after an action that returns a revoked proxy', async () => {
      const { ask, end } = await open(application({ logger: { info() {}, warn() {}, error() {} } }))
      afterRan = 0
      assert.equal((await ask('/hooks/returned', { headers: {} })).status, 500)
      assert.equal(afterRan, 1)
      await end()
    })

    for (const accept of ['text/html', 'text/plain']) {
      describe(`the debug page as ${accept}`, () => {
        let face: Awaited<ReturnType<typeof open>>
        before(async () => {
          face = await open(application({ logger: { info() {}, warn() {}, error() {} }, debug: true }))
        })
        after(() => face.end())
        for (const kind of Object.keys(thrownValues)) {
          it(`shows ${kind}`, async () => {
            const place = { path: '/hooks/action', ending: 'page' } as const
            const { status, text } = await askFor(face.ask, kind, place, accept)
            assert.equal(status, 500)
            assert.notEqual(text, '500 Internal Server Error\n')
          })
        }
      })
    }

    const loggers: Readonly<Record<string, () => never | Promise<never>>> = {
      'that throws': () => {
        throw new Error('the logger is broken')
      },
      'that rejects': async () => {
        throw new Error('the logger is broken')
      },
      'that throws what cannot be inspected': () => {
        throw thrownValues['a revoked proxy']?.()
      },
    }
    for (const [loggerName, log] of Object.entries(loggers)) {
      describe(`a logger ${loggerName}`, () => {
        let face: Awaited<ReturnType<typeof open>>
        before(async () => {
          face = await open(application({ logger: { info: log, warn: log, error: log } }))
        })
        after(() => face.end())
        for (const [placeName, place] of Object.entries(places)) {
          it(`leaves the message of ${placeName} to the console`, async () => {
            const written = mock.method(console, 'error', () => {})
            try {
              assertEnding(await askFor(face.ask, 'an error', place), place.ending)
              assert.match(String(written.mock.calls[0]?.arguments[0]), /ordinary[\s\S]*logger\.error failed/)
            } finally {
              written.mock.restore()
            }
          })
        }
      })
    }
  })
}

describe('an error that is passed to the logger in place of a message', () => {
  const logger = { info() {}, warn() {}, error: () => Promise.reject(new Error('the logger is broken')) }
  for (const [kind, value] of Object.entries(thrownValues)) {
    it(`goes to the console if the logger fails: ${kind}`, async () => {
      const written = mock.method(console, 'error', () => {})
      const unhandled = mock.fn()
      process.on('unhandledRejection', unhandled)
      try {
        application({ logger }).logger.error(value() as string)
        await setImmediate()
        assert.match(String(written.mock.calls[0]?.arguments[0]), /logger\.error failed/)
        assert.equal(unhandled.mock.callCount(), 0)
      } finally {
        process.off('unhandledRejection', unhandled)
        written.mock.restore()
      }
    })
  }
})
