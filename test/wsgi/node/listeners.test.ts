/** Functions that listen to the request and the response of node:http. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

class FormsController extends WSGIController {
  async create() {
    return (await this.request.form()).get('name') ?? ''
  }
}

const BEGUN = 'http.server.request.start'

describe('listeners of a request', () => {
  // V8 may keep a function that is made for one request, and the request, until a full garbage collection.
  it('are the same functions for all requests', async () => {
    const map = new Mapper().connect('/forms', { controller: 'forms', action: 'create' })
    const app = new FrameworkApp({ map, controllers: { forms: FormsController } })
    const found: (readonly unknown[])[] = []
    const onBegun = (message: unknown) => {
      const { request, response } = message as Started
      // The action has begun to read the form.
      setImmediate(() => found.push([...request.listeners('close'), ...response.listeners('close')]))
    }
    const server = await serve(app, { port: 0, signals: false })
    subscribe(BEGUN, onBegun)
    try {
      for (const name of ['Ann', 'Bob']) {
        const body = new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('name='))
            const before = found.length
            while (found.length === before) await new Promise(setImmediate)
            controller.enqueue(new TextEncoder().encode(name))
            controller.close()
          },
        })
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
        const init = { method: 'POST', headers, body, duplex: 'half' } as const
        const response = await fetch(new URL('/forms', server.url), init)
        assert.equal(await response.text(), name)
      }
    } finally {
      unsubscribe(BEGUN, onBegun)
      await server.close()
    }
    const [first = [], second] = found
    assert.equal(first.length, 2)
    assert.deepEqual(second, first)
    for (const [at, listener] of first.entries()) assert.equal(second?.[at], listener)
  })
})
