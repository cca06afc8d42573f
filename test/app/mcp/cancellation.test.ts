/** A client that closes the connection cancels its call, over a socket and by fetch. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { eventStream, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { RPCController } from 'propylon/rpc'

interface Watched {
  readonly app: FrameworkApp
  /** Resolves when the source of the stream is read. */
  readonly begun: Promise<void>
  /** Resolves when the source of the stream has ended. */
  readonly ended: Promise<void>
}

/** Returns an application whose tool sends one progress event and waits until it is cancelled. */
function watchedApp(): Watched {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  class WaitController extends WSGIController {
    static tools = ['index']

    index() {
      return eventStream(waiting(this.request.signal))
    }
  }
  async function* waiting(signal: AbortSignal) {
    try {
      begin()
      yield { event: 'progress', data: { progress: 1 } }
      if (!signal.aborted) await once(signal, 'abort')
      yield { data: 'never' }
    } finally {
      end()
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/wait', { controller: 'wait' }),
    controllers: { wait: WaitController },
    mcp: {},
  })
  return { app, begun, ended }
}

function call(params: object): RequestInit {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait_index', ...params } }
  const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(message) }
}

const PROGRESS = { _meta: { progressToken: 1 } }

describe('a call that is cancelled', () => {
  for (const [what, params] of [
    ['with notifications', PROGRESS],
    ['without', {}],
  ] as const) {
    it(`ends its stream ${what}, over a socket`, async () => {
      const { app, begun, ended } = watchedApp()
      const server = await serve(app)
      const controller = new AbortController()
      const sent = fetch(`${server.url}/mcp`, { ...call(params), signal: controller.signal })
      if (params === PROGRESS) {
        const reader = (await sent).body?.getReader()
        await reader?.read()
      } else sent.catch(() => {})
      await begun
      controller.abort()
      await sent.catch(() => {})
      await ended
      await server.close()
    })
  }

  it('ends its stream by fetch', async () => {
    const { app, ended } = watchedApp()
    const response = await app.fetch(new Request('http://localhost/mcp', call(PROGRESS)))
    const reader = response.body?.getReader()
    assert.match(new TextDecoder().decode((await reader?.read())?.value), /"progress":1/)
    await reader?.cancel()
    await ended
  })

  for (const [what, params] of [
    ['with notifications', PROGRESS],
    ['without', {}],
  ] as const) {
    it(`ends its signal ${what} by notifications/cancelled`, async () => {
      const { app, begun, ended } = watchedApp()
      const send = (init: RequestInit) => app.fetch(new Request('http://localhost/mcp', init))
      const sent = send(call(params)).then((response) => response.text())
      await begun
      const cancel = (requestId: unknown, headers = {}) =>
        send({
          ...call({}),
          headers: { 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
        })
      assert.equal((await cancel(2)).status, 202)
      assert.equal((await cancel(1, { Authorization: 'Bearer other' })).status, 202)
      assert.equal((await cancel(1)).status, 202)
      await ended
      await sent
    })
  }
})

describe('a call of a method that waits for its signal', () => {
  it('ends by notifications/cancelled, without an error in the log', async () => {
    let begun = Promise.withResolvers<void>()
    const logged: unknown[] = []
    const wait = async (signal: AbortSignal) => {
      begun.resolve()
      await once(signal, 'abort')
      signal.throwIfAborted()
    }
    class WaitController extends WSGIController {
      static tools = ['index']
      index() {
        return wait(this.request.signal)
      }
    }
    class ServiceController extends RPCController {
      static faces = ['mcp']
      index() {
        return wait(this.request.signal)
      }
    }
    for (const [path, name] of [
      ['/mcp', 'wait_index'],
      ['/service/mcp', 'index'],
    ] as const) {
      begun = Promise.withResolvers<void>()
      const app = new FrameworkApp({
        map: new Mapper().connect('/wait', { controller: 'wait' }).rpc('service', '/service'),
        controllers: { wait: WaitController, service: ServiceController },
        logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
        mcp: {},
      })
      const post = async (message: object) => {
        const body = JSON.stringify({ jsonrpc: '2.0', ...message })
        const headers = { 'Content-Type': 'application/json' }
        const response = await app.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body }))
        return response.text()
      }
      const sent = post({ id: 'a', method: 'tools/call', params: { name } })
      await begun.promise
      await post({ method: 'notifications/cancelled', params: { requestId: 'a' } })
      assert.match(await sent, /The call was cancelled/)
    }
    assert.deepEqual(logged, [])
  })

  it('goes on while another call of the same client has its id', async () => {
    const signals: AbortSignal[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<string>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    class WaitController extends WSGIController {
      static tools = ['index']
      index() {
        if (signals.push(this.request.signal) === 2) begin()
        return released
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/wait', { controller: 'wait' }),
      controllers: { wait: WaitController },
      mcp: {},
    })
    const send = async (init: RequestInit) => (await app.fetch(new Request('http://localhost/mcp', init))).text()
    const sent = [send(call({})), send(call({}))]
    await begun
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await send({ ...call({}), body: JSON.stringify(notification) })
    release('done')
    for (const answer of await Promise.all(sent)) assert.match(answer, /done/)
    assert.ok(!signals.some(({ aborted }) => aborted))
  })
})
