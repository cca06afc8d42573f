import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FrameworkApp, JSONRPCController, Mapper, WSGIController } from 'propylon'
import { createEnviron, run } from 'propylon/wsgi'
import * as v from 'valibot'

class Point {
  readonly x = 1
}

class PagesController extends WSGIController {
  static results = { declared: v.object({ x: v.number() }), platform: v.object({ x: v.number() }) }

  declared() {
    return { x: 1 }
  }
  plain() {
    return { x: 1 }
  }
  instance() {
    return new Point()
  }
  *pieces() {
    yield 'piece'
  }
  platform() {
    return new globalThis.Response('{"x":2}', {
      status: 203,
      headers: { 'content-type': 'application/json' },
    })
  }
  alike() {
    return { bodyUsed: false, x: 3 }
  }
}

class ServiceController extends JSONRPCController {
  point() {
    return { x: 1 }
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/service', { controller: 'service', action: 'index' })
    .connect('/{action}', { controller: 'pages' }),
  controllers: { pages: PagesController, service: ServiceController },
})

const call = createEnviron({
  method: 'POST',
  url: '/service',
  headers: [['Content-Type', 'application/json']],
  body: '{"jsonrpc":"2.0","id":1,"method":"point"}',
})

/** Returns the body of a response, and whether something read the global `Response`. */
async function answered(environ: ReturnType<typeof createEnviron>): Promise<[body: string, asked: boolean]> {
  const original = Object.getOwnPropertyDescriptor(globalThis, 'Response')
  assert(original !== undefined)
  const PlatformResponse = globalThis.Response
  let asked = false
  const get = () => {
    asked = true
    return PlatformResponse
  }
  Object.defineProperty(globalThis, 'Response', { configurable: true, get })
  try {
    const result = await run(app, environ)
    return [await result.text(), asked]
  } finally {
    Object.defineProperty(globalThis, 'Response', original)
  }
}

describe('the responses of the platform', () => {
  // Node loads its HTTP client at the first access of the global.
  for (const [title, environ, body] of [
    ['a declared object', createEnviron({ url: '/declared' }), '{"x":1}'],
    ['an object', createEnviron({ url: '/plain' }), '{"x":1}'],
    ['an instance of a class', createEnviron({ url: '/instance' }), '{"x":1}'],
    ['a stream', createEnviron({ url: '/pieces' }), 'piece'],
    ['the result of a method', call, '{"jsonrpc":"2.0","result":{"x":1},"id":1}'],
  ] as const) {
    test(`do not load for ${title}`, async () => {
      assert.deepEqual(await answered(environ), [body, false])
    })
  }

  test('are sent as they are', async () => {
    const result = await run(app, createEnviron({ url: '/platform' }))
    assert.deepEqual([result.status, await result.text()], ['203 Non-Authoritative Information', '{"x":2}'])
  })

  test('are told from objects with a member of theirs', async () => {
    const result = await run(app, createEnviron({ url: '/alike' }))
    assert.equal(await result.text(), '{"bodyUsed":false,"x":3}')
  })
})
