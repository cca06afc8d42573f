import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { FrameworkApp, type FrameworkAppOptions, Mapper, Request, WSGIController } from 'propylon'
import { fromFetch } from 'propylon/fetch'
import { serve } from 'propylon/node'
import type { StartResponse, WSGIApplication, WSGICallable } from 'propylon/wsgi'
import { Connection } from './raw.ts'

/** A time longer than the timeout of the tests, in milliseconds. */
const NEVER = 600_000

/** Resolves to the name of the reason for which a signal is aborted. */
function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason.name)
    else signal.addEventListener('abort', () => resolve(signal.reason.name))
  })
}

/** An application that reports the end of each request's signal, and what it waits for. */
class Waiting {
  readonly ends: Promise<string>[] = []
  readonly begun: Promise<void>[] = []
  readonly #begin: (() => void)[] = []
  readonly #answer: (start_response: StartResponse, environ: Request) => ReturnType<WSGIApplication>

  constructor(answer: (start_response: StartResponse, request: Request) => ReturnType<WSGIApplication>) {
    this.#answer = answer
    for (let index = 0; index < 3; index++) {
      this.begun.push(new Promise((resolve) => this.#begin.push(resolve)))
    }
  }

  readonly app: WSGIApplication = (environ, start_response) => {
    const request = Request.of(environ)
    const index = this.ends.push(aborted(request.signal)) - 1
    this.#begin[index]?.()
    return this.#answer(start_response, request)
  }
}

const never = () => new Promise<never>(() => undefined)

function stream(start_response: StartResponse) {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return (async function* () {
    yield 'begun'
    await never()
  })()
}

const HEAD = 'HTTP/1.1\r\nHost: x\r\n'

describe('request.signal', () => {
  const requests: [what: string, bytes: string, answer: ConstructorParameters<typeof Waiting>[0]][] = [
    ['GET', `GET / ${HEAD}\r\n`, never],
    ['HEAD', `HEAD / ${HEAD}\r\n`, never],
    ['an unread POST', `POST / ${HEAD}Content-Length: 3\r\n\r\nabc`, never],
    [
      'a read POST',
      `POST / ${HEAD}Content-Length: 3\r\n\r\nabc`,
      async (_, request) => {
        await request.bytes()
        return never()
      },
    ],
    [
      'an upload in progress',
      `POST / ${HEAD}Content-Length: 9\r\n\r\nabc`,
      async (_, request) => {
        await request.bytes()
        return []
      },
    ],
    ['a stream', `GET / ${HEAD}\r\n`, stream],
    ['the second request of a connection', `GET / ${HEAD}\r\nGET / ${HEAD}\r\n`, never],
  ]
  for (const [what, bytes, answer] of requests) {
    it(`is aborted when the client of ${what} disconnects`, async () => {
      const isSecond = what.startsWith('the second')
      let calls = 0
      const waiting = new Waiting((start_response, request) => {
        calls += 1
        if (!isSecond || calls === 2) return answer(start_response, request)
        start_response('200 OK', [])
        return ['first']
      })
      const server = await serve(waiting.app)
      const client = new Connection(server.port)
      client.say(bytes)
      await waiting.begun[isSecond ? 1 : 0]
      if (answer === stream) await client.hears('begun')
      client.socket.destroy()
      assert.equal(await waiting.ends.at(-1), 'ClientDisconnected')
      await server.close()
    })
  }

  it('is not aborted after a complete response, on a connection that is kept', async () => {
    const signals: AbortSignal[] = []
    const app: WSGIApplication = (environ, start_response) => {
      signals.push(Request.of(environ).signal)
      start_response('200 OK', [])
      return ['done']
    }
    const server = await serve(app)
    const client = new Connection(server.port)
    for (let count = 1; count <= 2; count++) {
      client.say(`GET / ${HEAD}\r\n`)
      while (client.heard.split('done').length <= count) await new Promise(setImmediate)
    }
    client.socket.destroy()
    await client.ends()
    await server.close()
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false],
    )
  })

  it('is aborted with ServerClosing when the shutdown cuts the request', async () => {
    const waiting = new Waiting(never)
    const server = await serve(waiting.app, { drainTimeout: 10 })
    const client = new Connection(server.port)
    client.say(`GET / ${HEAD}\r\n`)
    await waiting.begun[0]
    await server.close()
    assert.equal(await waiting.ends[0], 'ServerClosing')
  })

  it('is aborted before the callbacks of onShutdown when the shutdown cuts the request', async () => {
    const begun = Promise.withResolvers<void>()
    const steps: string[] = []
    class WaitController extends WSGIController {
      index() {
        this.request.signal.addEventListener('abort', () => steps.push('signal'))
        begun.resolve()
        return never()
      }
    }
    const map = new Mapper().connect('/', { controller: 'wait', action: 'index' })
    const app = new FrameworkApp({ map, controllers: { wait: WaitController } })
    app.onShutdown(() => void steps.push('onShutdown'))
    const server = await serve(app, { drainTimeout: 10 })
    const client = new Connection(server.port)
    client.say(`GET / ${HEAD}\r\n`)
    await begun.promise
    await server.close()
    assert.deepEqual(steps, ['signal', 'onShutdown'])
  })

  it('is aborted with ServerClosing when the shutdown ends an event stream', async () => {
    const waiting = new Waiting((start_response) => {
      start_response('200 OK', [['Content-Type', 'text/event-stream']])
      return (async function* () {
        yield ':\n\n'
        await never()
      })()
    })
    const server = await serve(waiting.app, { drainTimeout: NEVER })
    const client = new Connection(server.port)
    client.say(`GET / ${HEAD}\r\n`)
    await client.hears(':\n\n')
    await server.close()
    assert.equal(await waiting.ends[0], 'ServerClosing')
  })

  it('is that of the request of a fetch handler', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const server = await serve(
      fromFetch(({ signal }) => {
        begun.resolve(signal)
        return never()
      }),
    )
    const client = new Connection(server.port)
    client.say(`GET / ${HEAD}\r\n`)
    const signal = await begun.promise
    client.socket.destroy()
    await aborted(signal)
    await server.close()
  })

  it('ends work without an entry in the log', async () => {
    const errors: string[] = []
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    class SlowController extends WSGIController {
      async index(signal: AbortSignal) {
        begun.resolve()
        await setTimeout(NEVER, undefined, { signal }).finally(() => ended.resolve())
      }
    }
    const logger = { info() {}, warn() {}, error: (message: string) => void errors.push(message) }
    const server = await serve(application({ controllers: { slow: SlowController }, logger }))
    const client = new Connection(server.port)
    client.say(`GET / ${HEAD}\r\n`)
    await begun.promise
    client.socket.destroy()
    await ended.promise
    await server.close()
    assert.deepEqual(errors, [])
  })

  it('is aborted on the fetch face when the platform aborts its request', async () => {
    const ends: Promise<string>[] = []
    class SlowController extends WSGIController {
      async index(signal: AbortSignal) {
        ends.push(aborted(signal))
        await never()
      }
    }
    const app = application({ controllers: { slow: SlowController } })
    const controller = new AbortController()
    const response = app.fetch(new globalThis.Request('http://x/', { signal: controller.signal }))
    controller.abort()
    assert.equal(await ends[0], 'ClientDisconnected')
    assert.equal((await response).status, 499)
  })
})

function application(options: Partial<FrameworkAppOptions> & Pick<FrameworkAppOptions, 'controllers'>) {
  return new FrameworkApp({
    map: new Mapper().connect('/', { controller: 'slow', action: 'index' }),
    logger: { info() {}, warn() {}, error() {} },
    ...options,
  })
}

async function answered(app: WSGICallable, use: (url: string) => Promise<void>): Promise<void> {
  const server = await serve(app)
  try {
    await use(server.url)
  } finally {
    await server.close()
  }
}

describe('requestTimeout', () => {
  it('responds with 503 and aborts the signal', async () => {
    const reasons: string[] = []
    const errors: string[] = []
    class SlowController extends WSGIController {
      async index(signal: AbortSignal) {
        reasons.push(await aborted(signal))
        await setTimeout(NEVER, undefined, { signal })
      }
    }
    const logger = { info() {}, warn() {}, error: (message: string) => void errors.push(message) }
    const app = application({ controllers: { slow: SlowController }, requestTimeout: 20, logger })
    await answered(app, async (url) => assert.equal((await fetch(url)).status, 503))
    assert.deepEqual([reasons, errors], [['TimeoutError'], []])
  })

  it('does not replace a response that has begun', async () => {
    class SlowController extends WSGIController {
      async *index() {
        yield 'begun '
        yield await aborted(this.request.signal)
      }
    }
    const app = application({ controllers: { slow: SlowController }, requestTimeout: 20 })
    await answered(app, async (url) => assert.equal(await (await fetch(url)).text(), 'begun TimeoutError'))
  })

  it('does not limit event streams', async () => {
    class SlowController extends WSGIController {
      async *#events() {
        yield ':\n\n'
        await setTimeout(60)
        yield `data: ${this.request.signal.aborted}\n\n`
      }
      index() {
        this.response.headers.set('Content-Type', 'text/event-stream')
        return this.#events()
      }
    }
    const app = application({ controllers: { slow: SlowController }, requestTimeout: 20 })
    await answered(app, async (url) => assert.match(await (await fetch(url)).text(), /data: false/))
  })

  it('does not affect requests that are in time', async () => {
    class SlowController extends WSGIController {
      async index() {
        await new Promise(setImmediate)
        return 'in time'
      }
    }
    const app = application({ controllers: { slow: SlowController }, requestTimeout: NEVER })
    await answered(app, async (url) => assert.equal(await (await fetch(url)).text(), 'in time'))
  })

  for (const requestTimeout of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${requestTimeout}`, () => {
      assert.throws(() => application({ controllers: {}, requestTimeout }), {
        name: 'RangeError',
        message: /requestTimeout/,
      })
    })
  }
})
