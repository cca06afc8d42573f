import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, Response, WSGIController } from 'propylon'
import { type CacheStore, cached, decorate } from 'propylon/decorators'
import { clientAddress } from 'propylon/middleware'
import type { HeaderPair } from 'propylon/wsgi'
import { appWith, type Received, type TestApp } from './sending.ts'

type Hook = (controller: WSGIController) => unknown

interface Steps {
  readonly before?: Hook
  readonly action?: Hook
  readonly after?: Hook
  readonly store?: CacheStore
  readonly key?: (controller: WSGIController) => string | undefined
}

/** An application whose cached action returns the visitor's name, from the header `X-Visitor`. */
function caching({ before, action, after, ...options }: Steps): TestApp & { runs: () => number } {
  let runs = 0
  class SecretController extends WSGIController {
    __before__() {
      return before?.(this)
    }
    index() {
      runs += 1
      return action === undefined ? secretOf(this) : action(this)
    }
    __after__() {
      return after?.(this)
    }
    static {
      decorate(this, { index: [cached({ expires: 60, ...options })] })
    }
  }
  return { ...appWith(SecretController), runs: () => runs }
}

function secretOf({ request }: WSGIController): string {
  return `secret of ${request.header('x-visitor')}`
}

function sendAs(app: TestApp, visitor: string, ...headers: HeaderPair[]): Promise<Received> {
  return app.send('', { headers: [['X-Visitor', visitor], ...headers] })
}

const cacheControl =
  (value: string): Hook =>
  ({ response }) =>
    void response.headers.set('Cache-Control', value)

const header =
  (name: string, value: string): Hook =>
  ({ response }) =>
    void response.headers.set(name, value)

const cookie: Hook = ({ response }) => response.setCookie('visit', '1')

/** Returns a Response after a hook has changed `this.response`. */
const responseAfter =
  (hook: Hook, headers: Record<string, string> = {}): Hook =>
  (controller) => {
    hook(controller)
    return new Response(secretOf(controller), { headers })
  }

describe('cached, with a response for one visitor', () => {
  const rows: [label: string, steps: Steps][] = [
    ['private on this.response, with a returned Response', { action: responseAfter(cacheControl('private')) }],
    ['no-store on this.response, with a returned Response', { action: responseAfter(cacheControl('no-store')) }],
    [
      'private on this.response, with a returned Response that is public',
      { action: responseAfter(cacheControl('private'), { 'Cache-Control': 'public, max-age=60' }) },
    ],
    ['private for one field', { action: responseAfter(cacheControl('max-age=60, private="x-visitor"')) }],
    ['no-cache', { action: responseAfter(cacheControl('no-cache')) }],
    ['private in upper case', { action: responseAfter(cacheControl('PRIVATE')) }],
    ['private set by __before__', { before: cacheControl('private, no-store') }],
    ['private set by __before__ later', { before: async (one) => cacheControl('private')(await one) }],
    ['private set by __after__', { after: cacheControl('private, no-store') }],
    ['private set by __after__ later', { after: async (one) => cacheControl('private')(await one) }],
    [
      'another response set by __after__',
      {
        after: (one) => {
          one.response = new Response(secretOf(one), { headers: { 'Cache-Control': 'private' } })
        },
      },
    ],
    ['Vary: * set by __before__', { before: header('Vary', '*') }],
    ['Vary: * on this.response, with a returned Response', { action: responseAfter(header('Vary', '*')) }],
    ['Vary: * set by __after__', { after: header('Vary', 'Accept, *') }],
    ['a cookie set by __before__', { before: cookie }],
    ['a cookie on this.response, with a returned Response', { action: responseAfter(cookie) }],
    ['a cookie set by __after__', { after: cookie }],
    ['a session read by __before__', { before: ({ session }) => session.get('user') }],
    ['a session read by the action', { action: responseAfter(({ session }) => session.get('user')) }],
    ['a session read by __after__', { after: ({ session }) => session.get('user') }],
    ['a session written by __after__', { after: ({ session }) => session.set('user', 'ann') }],
    ['cookies read by the action', { action: responseAfter(({ request }) => request.cookies) }],
    ['the header Cookie read by the action', { action: responseAfter(({ request }) => request.header('Cookie')) }],
    ['the member HTTP_COOKIE of the environ', { action: responseAfter(({ request }) => request.environ.HTTP_COOKIE) }],
    ['the member REMOTE_ADDR of the environ', { action: responseAfter(({ request }) => request.environ.REMOTE_ADDR) }],
    ['the address by clientAddress()', { action: responseAfter(({ request }) => clientAddress(request.environ)) }],
    ['all headers read by the action', { action: responseAfter(({ request }) => [...request.headers]) }],
    ['cookies read by __before__', { before: ({ request }) => void request.cookies }],
    ['cookies read by __after__', { after: ({ request }) => void request.cookies }],
    ['the address read by the action', { action: responseAfter(({ request }) => request.remoteAddr) }],
    ['the address read by __before__', { before: ({ request }) => void request.remoteAddr }],
    [
      'the address read by the action, with Vary',
      { action: responseAfter(({ request }) => request.remoteAddr, { Vary: 'Cookie' }) },
    ],
    [
      'cookies read by the action, with a key for another part',
      { action: responseAfter(({ request }) => request.cookies), key: ({ request }) => request.remoteAddr },
    ],
    ['a status set by __after__', { after: (one) => Object.assign(one.response, { status: 500 }) }],
    ['an HTTP exception of __after__', { after: () => abort(404) }],
    ['a 206', { action: (one) => new Response(secretOf(one), { status: 206 }) }],
    ['a 304', { action: () => new Response(null, { status: 304 }) }],
  ]
  for (const [label, steps] of rows) {
    it(`runs the action for each request: ${label}`, async () => {
      const app = caching(steps)
      await sendAs(app, 'alice')
      const { text } = await sendAs(app, 'bob')
      assert.ok(!text.includes('alice'), text)
      assert.equal(app.runs(), 2)
    })
  }

  const shared: [label: string, steps: Steps][] = [
    ['Vary: Cookie', { action: responseAfter(({ request }) => request.cookies, { Vary: 'Cookie' }) }],
    [
      'Vary: Cookie and a hook that reads them',
      { before: ({ request }) => void request.cookies, action: responseAfter(header('Vary', 'cookie')) },
    ],
    [
      'Vary: Cookie of __after__',
      { action: responseAfter(({ request }) => request.cookies), after: header('Vary', 'Cookie') },
    ],
    [
      'a key that reads them',
      {
        action: responseAfter(({ request }) => request.cookies),
        key: ({ request }) => request.cookies.visitor,
      },
    ],
  ]
  for (const [label, steps] of shared) {
    it(`stores one for each value of the cookies with ${label}`, async () => {
      const app = caching(steps)
      for (const visitor of ['alice', 'bob', 'alice', 'bob']) {
        const { text } = await sendAs(app, visitor, ['Cookie', `visitor=${visitor}`])
        assert.equal(text, `secret of ${visitor}`)
      }
      assert.equal(app.runs(), 2)
    })
  }

  it('stores one for each address with a key and an action that read the environ', async () => {
    const app = caching({
      key: ({ request }) => request.environ.REMOTE_ADDR,
      action: ({ request }) => request.environ.REMOTE_ADDR ?? '',
    })
    for (const remoteAddr of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) {
      assert.equal((await app.send('', { remoteAddr })).text, remoteAddr)
    }
    assert.equal(app.runs(), 2)
  })

  it('stores one for each address with a key that reads it', async () => {
    const app = caching({
      key: ({ request }) => request.remoteAddr,
      action: ({ request }) => request.remoteAddr,
    })
    for (const remoteAddr of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) {
      assert.equal((await app.send('', { remoteAddr })).text, remoteAddr)
    }
    assert.equal(app.runs(), 2)
  })

  it('runs an action whose hook reads cookies, also if there is a response without them', async () => {
    const app = caching({
      before: ({ request }) => (request.header('x-reads') === 'yes' ? request.cookies : null),
    })
    await sendAs(app, 'alice')
    assert.equal((await sendAs(app, 'bob', ['X-Reads', 'yes'])).text, 'secret of bob')
    assert.equal((await sendAs(app, 'carol')).text, 'secret of alice')
  })

  it('does not take the key of a part for the key of the page', async () => {
    let runs = 0
    class PageController extends WSGIController {
      async index() {
        runs += 1
        return `page with ${(await this._part()).body}`
      }
      async _part() {
        return new Response(`secret of ${this.request.cookies.visitor}`)
      }
      static {
        decorate(this, {
          index: [cached({ expires: 60 })],
          _part: [cached({ expires: 60, key: ({ request }) => request.cookies.visitor })],
        })
      }
    }
    const { send } = appWith(PageController)
    for (const visitor of ['alice', 'bob']) {
      const { text } = await send('', { headers: [['Cookie', `visitor=${visitor}`]] })
      assert.equal(text, `page with secret of ${visitor}`)
    }
    assert.equal(runs, 2)
  })

  it('does not store a page whose part is sent again by its key', async () => {
    class PageController extends WSGIController {
      async index() {
        return `page with ${(await this._part()).body}`
      }
      async _part() {
        return new Response(`secret of ${this.request.cookies.visitor}`)
      }
      static {
        decorate(this, {
          index: [cached({ expires: 60 })],
          _part: [cached({ expires: 60, key: ({ request }) => request.cookies.visitor })],
        })
      }
    }
    const { send } = appWith(PageController)
    for (const visitor of ['alice', 'alice', 'bob']) {
      const { text } = await send('', { headers: [['Cookie', `visitor=${visitor}`]] })
      assert.equal(text, `page with secret of ${visitor}`)
    }
  })

  it('runs the action for each request with Authorization', async () => {
    const app = caching({})
    await sendAs(app, 'alice', ['Authorization', 'Bearer x'])
    assert.equal((await sendAs(app, 'bob', ['Authorization', 'Bearer y'])).text, 'secret of bob')
  })

  it('runs the action for each concurrent request', async () => {
    const app = caching({ after: async (one) => cacheControl('private')(await one) })
    const [alice, bob] = await Promise.all([sendAs(app, 'alice'), sendAs(app, 'bob')])
    assert.deepEqual([alice?.text, bob?.text], ['secret of alice', 'secret of bob'])
  })
})

describe('cached, with a response that varies', () => {
  const rows: [label: string, steps: Steps][] = [
    ['by this.response, with a returned Response', { action: responseAfter(header('Vary', 'X-Visitor')) }],
    ['by this.response and by a Response', { action: responseAfter(header('Vary', 'X-Visitor'), { Vary: 'Accept' }) }],
    ['by __before__', { before: header('Vary', 'Accept, X-VISITOR') }],
    ['by __after__', { after: header('Vary', 'X-Visitor') }],
    ['by several headers', { action: responseAfter(header('Vary', 'Accept ,x-visitor,')) }],
  ]
  for (const [label, steps] of rows) {
    it(`stores a response for each value: ${label}`, async () => {
      const app = caching(steps)
      for (const visitor of ['alice', 'bob', 'bob', 'alice']) {
        assert.equal((await sendAs(app, visitor)).text, `secret of ${visitor}`)
      }
      assert.equal(app.runs(), 2)
    })

    it(`sends each concurrent request its own response: ${label}`, async () => {
      const app = caching({ ...steps, after: async (one) => steps.after?.(await one) })
      const visitors = ['alice', 'bob', 'alice', 'bob', 'alice']
      const answers = await Promise.all(visitors.map((visitor) => sendAs(app, visitor)))
      assert.deepEqual(
        answers.map(({ text }) => text),
        visitors.map((visitor) => `secret of ${visitor}`),
      )
      assert.equal(app.runs(), 2)
    })
  }

  it('sends Vary with the stored response', async () => {
    const app = caching({ action: responseAfter(header('Vary', 'X-Visitor'), { Vary: 'Accept' }) })
    const [one, two] = [await sendAs(app, 'alice'), await sendAs(app, 'alice')]
    assert.deepEqual([one.header('vary'), two.header('vary')], ['Accept, X-Visitor', 'accept, x-visitor'])
  })

  it('stores a response for each cookie', async () => {
    const app = caching({ after: header('Vary', 'Cookie') })
    await sendAs(app, 'alice', ['Cookie', 'id=a'])
    assert.equal((await sendAs(app, 'bob', ['Cookie', 'id=b'])).text, 'secret of bob')
    assert.equal((await sendAs(app, 'nobody')).text, 'secret of nobody')
    assert.equal((await sendAs(app, 'mallory', ['Cookie', 'id=a'])).text, 'secret of alice')
  })

  it('is not sent if the response varies by another header', async () => {
    let fields = 'Accept'
    const app = caching({ after: (one) => header('Vary', fields)(one) })
    await sendAs(app, 'alice', ['Accept', 'a'])
    fields = 'Accept, X-Visitor'
    await sendAs(app, 'bob', ['Accept', 'b'])
    assert.equal((await sendAs(app, 'carol', ['Accept', 'b'])).text, 'secret of carol')
  })
})

describe('cached, with the finished response', () => {
  it('stores the headers of this.response with a returned Response', async () => {
    const app = caching({ action: responseAfter(cacheControl('max-age=9')) })
    await sendAs(app, 'alice')
    assert.equal((await sendAs(app, 'bob')).header('cache-control'), 'max-age=9')
    assert.equal(app.runs(), 1)
  })

  it('stores the response of the action without the text of __after__', async () => {
    const app = caching({ after: (one) => one.response.write(` for ${one.request.header('x-visitor')}`) })
    await sendAs(app, 'alice')
    assert.equal((await sendAs(app, 'bob')).text, 'secret of alice for bob')
  })

  it('stores a response that __after__ sent as 304', async () => {
    const app = caching({
      action: responseAfter(header('ETag', '"v1"')),
      after: (one) => void one.response.makeConditional(one.request),
    })
    const first = await sendAs(app, 'alice', ['If-None-Match', '"v1"'])
    assert.equal(first.status, '304 Not Modified')
    assert.equal((await sendAs(app, 'bob')).text, 'secret of alice')
  })

  it('lets concurrent requests wait until __after__ has run', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const app = caching({ after: () => promise })
    const received = [sendAs(app, 'alice'), sendAs(app, 'bob')]
    resolve()
    const texts = (await Promise.all(received)).map(({ text }) => text)
    assert.deepEqual([texts, app.runs()], [['secret of alice', 'secret of alice'], 1])
  })

  const failing: [label: string, steps: Steps][] = [
    ['its action fails', { action: async () => Promise.reject(new Error('failed')) }],
    ['its action returns what cannot be sent', { action: async () => 42 }],
    ['its __after__ fails', { after: async () => Promise.reject(new Error('failed')) }],
    ['its session cannot be saved', { after: async ({ session }) => void session.set('large', 'x'.repeat(5000)) }],
  ]
  for (const [label, steps] of failing) {
    it(`does not block concurrent requests if ${label}`, async () => {
      const app = caching(steps)
      const results = await Promise.allSettled([sendAs(app, 'alice'), sendAs(app, 'bob')])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
      assert.equal(app.runs(), 2)
    })
  }

  it('does not let two requests wait for each other', async () => {
    class CrossController extends WSGIController {
      async index(id: string) {
        const order = id === 'up' ? (['1', '2'] as const) : (['2', '1'] as const)
        const parts: unknown[] = []
        for (const part of order) parts.push(await this._part(part))
        return `${parts.length}`
      }
      async _part(id: string) {
        await null
        return new Response(id)
      }
      static {
        decorate(this, { _part: [cached({ expires: 60, key: () => 'part' })] })
      }
    }
    const { send } = appWith(CrossController)
    const answers = await Promise.all([send('/index/up'), send('/index/down')])
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['2', '2'],
    )
  })

  it('does not let requests wait for an action that runs while the body is sent', async () => {
    class LateController extends WSGIController {
      async *index() {
        yield String((await this._part()).body)
      }
      async _part() {
        return new Response('part')
      }
      static {
        decorate(this, { _part: [cached({ expires: 60 })] })
      }
    }
    const { send } = appWith(LateController)
    assert.deepEqual([(await send('')).text, (await send('')).text], ['part', 'part'])
  })

  it('does not let a request wait for itself', async () => {
    class TwiceController extends WSGIController {
      async index() {
        await this._part()
        await this._part()
        return 'done'
      }
      async _part() {
        return new Response('part')
      }
      static {
        decorate(this, { _part: [cached({ expires: 60 })] })
      }
    }
    assert.match((await appWith(TwiceController).send('')).text, /done$/)
  })
})
