import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, Response, WSGIController } from 'propylon'
import { type CachedResponse, type CacheStore, cached, decorate, MemoryCache } from 'propylon/decorators'
import { appWith, type SendOptions, type TestApp } from './sending.ts'

/** Header fields that are stored with the response. */
const DESCRIBED = [
  ['content-type', 'text/markdown'],
  ['content-language', 'en'],
  ['content-disposition', 'attachment; filename=a.md'],
  ['content-encoding', 'x-none'],
  ['content-location', '/a.md'],
  ['cache-control', 'max-age=5'],
  ['etag', '"v1"'],
  ['expires', 'Sun, 01 Mar 2026 12:00:00 GMT'],
  ['last-modified', 'Sun, 01 Mar 2026 11:00:00 GMT'],
  ['link', '</next>; rel="next"'],
] as const

/** Counts the runs of an action. Each application of a test has a class, and so a cache, of its own. */
function counting(): TestApp & { runs: () => number } {
  let runs = 0
  class CountedController extends WSGIController {
    #run(): number {
      runs += 1
      return runs
    }
    text(id = 'none') {
      return `${id} ${this.#run()}`
    }
    other(id = 'none') {
      return `other ${id} ${this.#run()}`
    }
    async later(id: string) {
      await null
      return `${id} ${this.#run()}`
    }
    destructured({ id }: { id: string }) {
      return `${id} ${this.#run()}`
    }
    object() {
      return { runs: this.#run() }
    }
    bytes() {
      return new Uint8Array([48 + this.#run()])
    }
    nothing() {
      this.#run()
    }
    made() {
      return new Response(`made ${this.#run()}`, {
        contentType: 'text/plain',
        headers: { ETag: '"v1"', 'Cache-Control': 'max-age=5', 'X-Own': 'own', Link: '</next>; rel="next"' },
      })
    }
    fields() {
      return `fields ${this.#run()}`
    }
    keyed() {
      return `${this.request.header('accept-language')} ${this.#run()}`
    }
    none_chosen() {
      return `none ${this.#run()}`
    }
    *streamed() {
      yield `${this.#run()}`
    }
    missing() {
      this.#run()
      abort(404)
    }
    created() {
      this.response.status = 201
      return `${this.#run()}`
    }
    cookie() {
      this.response.setCookie('a', '1')
      return `${this.#run()}`
    }
    own_cookie() {
      const response = new Response(`${this.#run()}`)
      response.setCookie('a', '1')
      return response
    }
    reads_session() {
      return `${this.session.get('user')} ${this.#run()}`
    }
    flashes() {
      this.session.flash('notice', 'x')
      return `${this.#run()}`
    }
    opens_session() {
      return `${this.session.changed} ${this.#run()}`
    }
    varied() {
      this.response.headers.set('Vary', 'Accept')
      return `${this.#run()}`
    }
    keyed_vary() {
      this.response.headers.set('Vary', 'Accept')
      return `${this.#run()}`
    }
    varied_by_all() {
      this.response.headers.set('Vary', '*')
      return `${this.#run()}`
    }
    private() {
      this.response.cacheControl = { maxAge: 5, private: true }
      return `${this.#run()}`
    }
    no_store() {
      this.response.cacheControl = 'max-age=5, NO-STORE'
      return `${this.#run()}`
    }
    failing() {
      throw new Error(`failure ${this.#run()}`)
    }
    with_environ(environ: { PATH_INFO: string }) {
      return `${environ.PATH_INFO} ${this.#run()}`
    }
    keyed_environ(environ: { PATH_INFO: string }) {
      return `${environ.PATH_INFO} ${this.#run()}`
    }
    starting(start_response: (status: string, headers: [string, string][]) => void) {
      start_response('200 OK', [])
      return ['body']
    }
    kept_header() {
      this.response.headers.set('X-Kept', 'kept')
      this.response.headers.set('X-Lost', 'lost')
      return `${this.#run()}`
    }
    described() {
      for (const [name, value] of DESCRIBED) this.response.headers.set(name, value)
      return `${this.#run()}`
    }
    __after__() {
      this.response.headers.set('X-After', String(runs))
    }

    static {
      const minute = cached({ expires: 60 })
      const language = (controller: WSGIController) => controller.request.header('accept-language')
      decorate(this, {
        text: [minute],
        other: [minute],
        later: [minute],
        destructured: [minute],
        object: [minute],
        bytes: [minute],
        nothing: [minute],
        made: [minute],
        fields: [cached({ expires: 60, query: ['page', 'size'] })],
        none_chosen: [cached({ expires: 60, query: [] })],
        keyed: [cached({ expires: 60, key: language })],
        keyed_vary: [cached({ expires: 60, key: () => 'all' })],
        keyed_environ: [cached({ expires: 60, key: () => 'all' })],
        streamed: [minute],
        missing: [minute],
        created: [minute],
        cookie: [minute],
        own_cookie: [minute],
        reads_session: [minute],
        flashes: [minute],
        opens_session: [minute],
        varied: [minute],
        varied_by_all: [cached({ expires: 60, key: () => 'all' })],
        private: [minute],
        no_store: [minute],
        failing: [minute],
        with_environ: [minute],
        starting: [cached({ expires: 60, key: () => 'all' })],
        described: [minute],
        kept_header: [cached({ expires: 60, headers: ['X-Kept'] })],
      })
    }
  }
  return { ...appWith(CountedController), runs: () => runs }
}

describe('cached', () => {
  const same: [label: string, first: string, second: string][] = [
    ['text', '/text/a', '/text/a'],
    ['the result of an asynchronous action', '/later/a', '/later/a'],
    ['the response to a destructured argument', '/destructured/a', '/destructured/a'],
    ['JSON', '/object', '/object'],
    ['bytes', '/bytes', '/bytes'],
    ['an empty response', '/nothing', '/nothing'],
    ['a Response', '/made', '/made'],
    ['the same query in another order', '/text/a?x=1&y=2', '/text/a?y=2&x=1'],
    ['a query that differs in other fields', '/fields?page=1&utm=a', '/fields?utm=b&page=1'],
    ['any query if no field is in the key', '/none_chosen?a=1', '/none_chosen?a=2'],
    ['a response with Vary', '/varied', '/varied'],
    ['a response with Vary and a key', '/keyed_vary', '/keyed_vary'],
    ['the response of an action with the environ, by key only', '/keyed_environ', '/keyed_environ'],
    ['a response whose session was opened but not used', '/opens_session', '/opens_session'],
  ]
  for (const [label, first, second] of same) {
    it(`sends again ${label}`, async () => {
      const { send, runs } = counting()
      const [one, two] = [await send(first), await send(second)]
      assert.equal(runs(), 1)
      assert.deepEqual([two.status, two.text], [one.status, one.text])
      assert.equal(two.header('content-type'), one.header('content-type'))
      assert.equal(two.header('content-length'), one.header('content-length'))
    })
  }

  const different: [label: string, first: string, second: string, options?: SendOptions][] = [
    ['another argument', '/text/a', '/text/b'],
    ['another action', '/text/a', '/other/a'],
    ['another query', '/text/a?page=1', '/text/a?page=2'],
    ['another chosen field', '/fields?page=1', '/fields?page=2'],
    ['a chosen field that is missing', '/fields?page=', '/fields'],
    ['a chosen field sent twice', '/fields?page=1', '/fields?page=1&page=2'],
    ['another host', '/text/a', '/text/a', { headers: [['Host', 'other.test']] }],
    ['https', '/text/a', '/text/a', { url: 'https://localhost' }],
    ['a request with Authorization', '/text/a', '/text/a', { headers: [['Authorization', 'Basic eDp5']] }],
    ['POST', '/text/a', '/text/a', { method: 'POST' }],
    ['another key', '/keyed', '/keyed', { headers: [['Accept-Language', 'de']] }],
    ['a streamed body', '/streamed', '/streamed'],
    ['404', '/missing', '/missing'],
    ['201', '/created', '/created'],
    ['a response with a cookie', '/cookie', '/cookie'],
    ['a Response object with a cookie', '/own_cookie', '/own_cookie'],
    ['a response that read the session', '/reads_session', '/reads_session'],
    ['a response that changed the session', '/flashes', '/flashes'],
    ['another value of a header in Vary', '/varied', '/varied', { headers: [['Accept', 'text/plain']] }],
    ['a response with Vary: *', '/varied_by_all', '/varied_by_all'],
    ['a private response', '/private', '/private'],
    ['a response with no-store', '/no_store', '/no_store'],
  ]
  for (const [label, first, second, options] of different) {
    it(`runs the action again for ${label}`, async () => {
      const { send, runs } = counting()
      await send(first)
      await send(second, options)
      assert.equal(runs(), 2)
    })
  }

  it('stores nothing if the key is undefined', async () => {
    const { send, runs } = counting()
    await send('/keyed')
    await send('/keyed')
    assert.equal(runs(), 2)
  })

  it('sends the response to GET for HEAD', async () => {
    const { send, runs } = counting()
    await send('/text/a')
    const received = await send('/text/a', { method: 'HEAD' })
    assert.deepEqual([runs(), received.text, received.header('content-length')], [1, '', '3'])
  })

  it('does not store a response to HEAD', async () => {
    const { send, runs } = counting()
    await send('/text/a', { method: 'HEAD' })
    await send('/text/a')
    assert.equal(runs(), 2)
  })

  it('stores only headers that describe the body and its caching', async () => {
    const { send } = counting()
    await send('/made')
    const received = await send('/made')
    assert.deepEqual(received.headers.map(([name, value]) => `${name}: ${value}`).sort(), [
      'Cache-Control: max-age=5',
      'Content-Length: 6',
      'Content-Type: text/plain; charset=utf-8',
      'ETag: "v1"',
      'Link: </next>; rel="next"',
      'X-After: 1',
    ])
  })

  it('stores all headers that describe the body and its caching', async () => {
    const { send } = counting()
    await send('/described')
    const received = await send('/described')
    assert.equal(received.text, '1')
    for (const [name, value] of DESCRIBED) assert.equal(received.header(name), value)
  })

  it('stores the headers that are named', async () => {
    const { send } = counting()
    await send('/kept_header')
    const received = await send('/kept_header')
    assert.deepEqual([received.header('x-kept'), received.header('x-lost')], ['kept', undefined])
  })

  it('runs the hooks each time', async () => {
    const { send } = counting()
    await send('/text/a')
    await send('/text/b')
    assert.equal((await send('/text/a')).header('x-after'), '2')
  })

  it('sends 304 if the copy of the client is current', async () => {
    const { send, runs } = counting()
    await send('/made')
    const received = await send('/made', { headers: [['If-None-Match', '"v1"']] })
    assert.deepEqual([received.status, received.text, runs()], ['304 Not Modified', '', 1])
  })

  it('runs the action once for concurrent requests', async () => {
    const { send, runs } = counting()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('/later/a')))
    assert.equal(runs(), 1)
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['a 1']))
  })

  it('runs the action for each concurrent request if its response cannot be shared', async () => {
    const { send, runs } = counting()
    await Promise.all([send('/reads_session'), send('/reads_session')])
    assert.equal(runs(), 2)
  })

  it('does not store an error', async () => {
    const { send } = counting()
    await assert.rejects(send('/failing'), /failure 1/)
    await assert.rejects(send('/failing'), /failure 2/)
  })

  it('runs the action again after the response has expired', async () => {
    let now = 0
    const { send, runs } = storing(new MemoryCache({ now: () => now }))
    await send('/sync')
    now = 6_999
    await send('/sync')
    assert.equal(runs(), 1)
    now = 7_000
    await send('/sync')
    assert.equal(runs(), 2)
  })

  it('has a store for each application', async () => {
    class Shared extends WSGIController {
      static runs = 0
      index() {
        Shared.runs += 1
        return 'shared'
      }
      static {
        decorate(this, { index: [cached({ expires: 60 })] })
      }
    }
    await appWith(Shared).send('')
    await appWith(Shared).send('')
    assert.equal(Shared.runs, 2)
  })

  it('has a store for each class that inherits the action', async () => {
    class Base extends WSGIController {
      static runs = 0
      index() {
        Base.runs += 1
        return this.constructor.name
      }
      static {
        decorate(this, { index: [cached({ expires: 60, store: shared })] })
      }
    }
    class One extends Base {}
    class Two extends Base {}
    assert.equal((await appWith(One).send('')).text, 'One')
    assert.equal((await appWith(Two).send('')).text, 'Two')
  })
  const shared = new MemoryCache()

  it('requires a key for an argument that is an object', async () => {
    await assert.rejects(
      counting().send('/with_environ'),
      /an argument of CountedController\.with_environ is an object/,
    )
  })

  it('refuses an action that takes start_response', async () => {
    await assert.rejects(counting().send('/starting'), /takes start_response/)
  })

  for (const expires of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${expires} seconds`, () => {
      assert.throws(() => cached({ expires }), {
        name: 'RangeError',
        message: `cached({ expires: ${expires} }): give a number of seconds above 0.`,
      })
    })
  }
})

/** Creates an application whose action is cached in a store. */
function storing(store: CacheStore): TestApp & { runs: () => number } {
  let runs = 0
  class StoredController extends WSGIController {
    async later() {
      runs += 1
      return `run ${runs}`
    }
    sync() {
      runs += 1
      return `run ${runs}`
    }
    session_first() {
      return 'anonymous'
    }
    __before__() {
      if (this.request.environ.HTTP_COOKIE !== undefined) this.session.get('user')
    }
    static {
      decorate(this, {
        later: [cached({ expires: 7, store })],
        sync: [cached({ expires: 7, store })],
        session_first: [cached({ expires: 7, store })],
      })
    }
  }
  return { ...appWith(StoredController), runs: () => runs }
}

/** An asynchronous store. */
class SlowStore implements CacheStore {
  readonly kept = new Map<string, CachedResponse>()
  readonly expires: number[] = []
  async get(key: string) {
    await null
    return this.kept.get(key)
  }
  async set(key: string, answer: CachedResponse, expires: number) {
    await null
    this.expires.push(expires)
    this.kept.set(key, structuredClone(answer))
  }
}

describe('cached, with another store', () => {
  it('waits for an asynchronous store', async () => {
    const store = new SlowStore()
    const { send, runs } = storing(store)
    assert.deepEqual([(await send('/later')).text, (await send('/later')).text], ['run 1', 'run 1'])
    assert.equal(runs(), 1)
    assert.deepEqual(store.expires, [7])
  })

  it('stores text, bytes and plain objects only', async () => {
    const store = new SlowStore()
    await storing(store).send('/later')
    assert.deepEqual(
      [...store.kept.values()],
      [{ status: '200 OK', headers: [['Content-Type', 'text/html; charset=utf-8']], body: 'run 1' }],
    )
  })

  for (const path of ['/later', '/sync']) {
    it(`runs the action once for concurrent requests: ${path.slice(1)}`, async () => {
      const { send, runs } = storing(new SlowStore())
      await Promise.all(Array.from({ length: 10 }, () => send(path)))
      assert.equal(runs(), 1)
    })
  }

  const failing: [label: string, store: CacheStore][] = [
    ['cannot be read', { get: () => Promise.reject(new Error('store is down')), set() {} }],
    [
      'throws',
      {
        get() {
          throw new Error('store is down')
        },
        set() {},
      },
    ],
    ['cannot be written', { get: () => undefined, set: () => Promise.reject(new Error('store is down')) }],
  ]
  for (const [label, store] of failing) {
    it(`runs the action and logs the error if the store ${label}`, async () => {
      const { send, logged } = storing(store)
      assert.equal((await send('/later')).text, 'run 1')
      assert.match(logged.join('\n'), /cached: the store failed[\s\S]*store is down/)
    })
  }

  it('does not read the store for a request that has used its session', async () => {
    const received: string[] = []
    const store: CacheStore = { get: (key) => void received.push(key), set() {} }
    const { send } = storing(store)
    await send('/session_first', { headers: [['Cookie', 'session=x.y']] })
    assert.deepEqual(received, [])
    await send('/session_first')
    assert.equal(received.length, 1)
  })
})

describe('a MemoryCache', () => {
  const answer = (body: string | Uint8Array): CachedResponse => ({ status: '200 OK', headers: [], body })

  it('removes the least recently used response above the maximum number', () => {
    const cache = new MemoryCache({ entries: 2 })
    for (const key of ['a', 'b']) cache.set(key, answer(key), 60)
    cache.get('a')
    cache.set('c', answer('c'), 60)
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key)?.body),
      ['a', undefined, 'c'],
    )
  })

  it('removes the least recently used response above the maximum size', () => {
    const cache = new MemoryCache({ bytes: 25 })
    for (const key of ['a', 'b', 'c']) cache.set(key, answer(new Uint8Array(9)), 60)
    assert.deepEqual([cache.size, cache.bytes, cache.get('a')], [2, 20, undefined])
  })

  it('does not store a response above the maximum size', () => {
    const cache = new MemoryCache({ bytes: 25 })
    cache.set('a', answer('small'), 60)
    cache.set('b', answer('x'.repeat(25)), 60)
    assert.deepEqual([cache.get('a')?.body, cache.get('b')], ['small', undefined])
  })

  it('counts the bytes of text, keys and headers', () => {
    const cache = new MemoryCache()
    cache.set('key', { status: '200 OK', headers: [['A', 'bc']], body: 'ü' }, 60)
    assert.equal(cache.bytes, 3 + 3 + 2)
  })

  it('counts a replaced response once and a removed one not at all', () => {
    const cache = new MemoryCache()
    cache.set('a', answer('long text'), 60)
    cache.set('a', answer('text'), 60)
    assert.deepEqual([cache.size, cache.bytes], [1, 5])
    assert.deepEqual([cache.delete('a'), cache.delete('a'), cache.size, cache.bytes], [true, false, 0, 0])
    cache.set('a', answer('text'), 60)
    cache.clear()
    assert.deepEqual([cache.size, cache.bytes], [0, 0])
  })

  it('removes an expired response', () => {
    let now = 5
    const cache = new MemoryCache({ now: () => now })
    cache.set('a', answer('text'), 1)
    now += 999
    assert.equal(cache.get('a')?.body, 'text')
    now += 1
    assert.deepEqual([cache.get('a'), cache.size], [undefined, 0])
  })

  it('does not depend on the system clock', (context) => {
    const cache = new MemoryCache()
    cache.set('a', answer('text'), 60)
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
    assert.equal(cache.get('a')?.body, 'text')
  })

  for (const options of [{ entries: 0 }, { bytes: 0 }, { entries: -1 }, { bytes: Number.NaN }]) {
    it(`refuses the bounds ${JSON.stringify(options)}`, () => {
      assert.throws(() => new MemoryCache(options), RangeError)
    })
  }
})
