import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, JSONRPCController, Mapper, Response, WSGIController } from 'propylon'
import { authenticateForm, authenticationToken, decorate } from 'propylon/decorators'
import { memoryStore, type SessionStore, type SessionValues } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import { createEnviron, type WSGIApplication } from 'propylon/wsgi'
import { plainStore, type Step, secret, type VisitOptions, visitor } from './visiting.ts'

/** A store that records the calls of its methods. */
function recording(store: SessionStore = memoryStore()): SessionStore & { readonly calls: string[] } {
  const calls: string[] = []
  const { update } = store
  const recorded = {
    calls,
    get(id: string) {
      calls.push('get')
      return store.get(id)
    },
    set(id: string, values: SessionValues, seconds: number) {
      calls.push(`set ${JSON.stringify(values)} ${seconds}`)
      return store.set(id, values, seconds)
    },
    delete(id: string) {
      calls.push('delete')
      return store.delete(id)
    },
  }
  if (update === undefined) return recorded
  return {
    ...recorded,
    update(id: string, values: SessionValues, seconds: number) {
      calls.push(`update ${JSON.stringify(values)} ${seconds}`)
      return update.call(store, id, values, seconds)
    },
  }
}

/** Returns a method that stores sessions for a day, whatever their time is. */
function keepForever(store: SessionStore): SessionStore['set'] {
  return (id, values) => store.set(id, values, 24 * 60 * 60)
}

/** A promise, and the function that resolves it. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

const STORES: readonly [label: string, make: () => SessionStore][] = [
  ['with update', memoryStore],
  ['with three methods', plainStore],
]

describe('a session in a store', () => {
  it('has a cookie with a random id, and the values in the store', async () => {
    const store = plainStore()
    const { visit } = visitor({ store })
    const { setCookie = '' } = await visit((session) => void session.set('user', 'ann'))
    const [[id, record] = []] = [...store.records]
    assert.match(id ?? '', /^[\w-]{43}$/)
    assert.equal(record?.json, '{"user":"ann"}')
    assert.ok(setCookie.startsWith(`session=${id}.`))
  })

  it('is stored for the idle time', async () => {
    const store = recording()
    await visitor({ store, idle: 77 }).visit((session) => void session.set('a', 1))
    assert.deepEqual(store.calls, ['set {"a":1} 77'])
  })

  it('is stored for the rest of its lifetime if that is shorter', async () => {
    const store = recording()
    await visitor({ store, idle: 77, lifetime: 50 }).visit((session) => void session.set('a', 1))
    assert.deepEqual(store.calls, ['set {"a":1} 50'])
  })

  it('is stored for the time for which it is remembered', async () => {
    const store = recording()
    const { visit } = visitor({ store, idle: 77, lifetime: 50 })
    await visit((session) => void session.set('a', 1).remember(1000))
    assert.deepEqual(store.calls, ['set {"a":1} 1000'])
  })

  it('does not call the store without a cookie', async () => {
    const store = recording()
    await visitor({ store }).visit((session) => void session.get('a'))
    assert.deepEqual(store.calls, [])
  })

  it('does not call the store if the cookie is not signed', async () => {
    const store = recording()
    await visitor({ store }).visit((session) => void session.get('a'), { cookie: 'session=abc.def.' })
    assert.deepEqual(store.calls, [])
  })

  it('does not call the store if a cookie of sessions without a store is signed', async () => {
    const before = visitor()
    await before.visit((session) => void session.set('a', 1))
    const store = recording()
    assert.equal(await visitor({ store }).ask((session) => session.empty, { cookie: before.cookie }), true)
    assert.deepEqual(store.calls, [])
  })

  it('is not stored again at once when it is read', async () => {
    const store = recording()
    const { visit } = visitor({ store })
    await visit((session) => void session.set('a', 1))
    store.calls.length = 0
    await visit((session) => void session.get('a'))
    assert.deepEqual(store.calls, ['get'])
  })

  it('is extended, with what is stored then, once 1 % of the idle time has passed', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    const store = recording()
    const { visit } = visitor({ store, idle: 100 })
    await visit((session) => void session.set('a', 1))
    store.calls.length = 0
    context.mock.timers.tick(1000)
    await visit((session) => void session.get('a'))
    await visit((session) => void session.get('a'))
    assert.deepEqual(store.calls, ['get', 'get', 'update {"a":1} 100', 'get'])
  })

  it('is not extended if it is remembered', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    const store = recording()
    const { visit } = visitor({ store, idle: 10 })
    await visit((session) => void session.set('a', 1).remember(1000))
    store.calls.length = 0
    context.mock.timers.tick(500_000)
    await visit((session) => void session.get('a'))
    assert.deepEqual(store.calls, ['get'])
  })

  it('ends after its lifetime even if the store still has it', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    const records = memoryStore()
    const store = { ...recording(), get: records.get.bind(records), set: keepForever(records) }
    const { visit, ask } = visitor({ store, lifetime: 100 })
    await visit((session) => void session.set('a', 1))
    context.mock.timers.tick(101_000)
    assert.equal(await ask((session) => session.get('a')), undefined)
  })

  it('deletes the cookie if it is destroyed, although the store does not have it', async () => {
    const before = visitor({ store: memoryStore() })
    await before.visit((session) => void session.set('a', 1))
    const { visit } = visitor({ store: memoryStore() })
    const { setCookie } = await visit((session) => session.destroy(), { cookie: before.cookie })
    assert.match(setCookie ?? '', /^session=; Max-Age=0/)
  })

  it('has no new id if another process destroys it at the same moment', async () => {
    const records = memoryStore()
    const ids: string[] = []
    const store = {
      ...recording(),
      get: records.get.bind(records),
      delete: records.delete.bind(records),
      async set(id: string, values: SessionValues, seconds: number) {
        // The session is deleted after it was read again, and before its new id is stored.
        if (ids[0] !== undefined) await records.delete(ids[0])
        ids.push(id)
        await records.set(id, values, seconds)
      },
    }
    const { visit } = visitor({ store })
    await visit((session) => void session.set('user', 'ann'))
    const { setCookie } = await visit((session) => void session.regenerate())
    assert.equal(setCookie, undefined)
    assert.equal(ids.length, 2)
    for (const id of ids) assert.equal(await records.get(id), undefined)
  })

  it('is not extended unless it is used', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 })
    const store = recording()
    const { visit } = visitor({ store, idle: 100 })
    await visit((session) => void session.set('a', 1))
    store.calls.length = 0
    context.mock.timers.tick(50_000)
    await visit(() => undefined)
    assert.deepEqual(store.calls, ['get'])
  })

  it('never adopts an id that the store does not have', async () => {
    const { visit, ask } = visitor({ store: memoryStore() })
    const { setCookie: first = '' } = await visitor({ store: memoryStore() }).visit(
      (session) => void session.set('user', 'eve'),
    )
    const [cookie = ''] = first.split(';')
    const { setCookie: second = '' } = await visit((session) => void session.set('user', 'ann'), { cookie })
    // The visitor has a session of a new id.
    assert.match(second, /^[\w-]+=[\w-]+\./)
    assert.notEqual(second.split('.')[0], cookie.split('.')[0])
    const [own = ''] = second.split(';')
    assert.equal(await ask((session) => session.get('user'), { cookie: own }), 'ann')
    assert.equal(await ask((session) => session.empty, { cookie }), true)
  })

  it('is read again by another process with the same store and secret', async () => {
    const store = memoryStore()
    const one = visitor({ store })
    await one.visit((session) => void session.set('user', 'ann'))
    const two = visitor({ store })
    assert.equal(await two.ask((session) => session.get('user'), { cookie: one.cookie }), 'ann')
    await two.visit((session) => session.destroy(), { cookie: one.cookie })
    assert.equal(await one.ask((session) => session.empty), true)
  })

  it('is loaded before __before__, and the same one in every place of a request', async () => {
    const seen: unknown[] = []
    class LoginController extends WSGIController {
      index() {
        this.session.set('user', 'ann')
      }
    }
    class HomeController extends WSGIController {
      __before__() {
        seen.push(this.session.get('user'))
      }
      index() {
        return this.render('home', { session2: this.app.openSession(this.request.environ) })
      }
    }
    const app = new TestApp(
      new FrameworkApp({
        map: new Mapper().connect('/{controller}', { action: 'index' }),
        controllers: { login: LoginController, home: HomeController },
        templates: { 'home.eta': '<%= it.session.get("user") %> <%= it.session === it.session2 %>' },
        session: { secret, store: memoryStore() },
      }),
    )
    await app.get('/login')
    assert.equal((await app.get('/home')).text, 'ann true')
    assert.deepEqual(seen, ['ann'])
  })

  it('is not loaded for WSGI applications', async () => {
    const store = recording()
    const browser = visitor({ store })
    await browser.visit((session) => void session.set('a', 1))
    const plain: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])
      return ['text']
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'plain' }),
      controllers: { plain },
      session: { secret, store },
    })
    store.calls.length = 0
    await new TestApp(app).get('/', { headers: { cookie: browser.cookie } })
    assert.deepEqual(store.calls, [])
  })

  it('serves the calls of an RPC service', async () => {
    class CountController extends JSONRPCController {
      next() {
        const count = Number(this.session.get('count') ?? 0) + 1
        this.session.set('count', count)
        return count
      }
    }
    const app = new TestApp(
      new FrameworkApp({
        map: new Mapper().connect('/', { controller: 'count' }),
        controllers: { count: CountController },
        session: { secret, store: memoryStore() },
      }),
    )
    const call = { jsonrpc: '2.0', method: 'next', id: 1 }
    const post = async () => (await app.postJson('/', [call, call])).json()
    await post()
    assert.deepEqual(await post(), [
      { jsonrpc: '2.0', result: 3, id: 1 },
      { jsonrpc: '2.0', result: 4, id: 1 },
    ])
  })

  it('is an empty one for a cookie that is not valid, also if nothing was loaded', () => {
    const { app } = visitor({ store: memoryStore() })
    const environ = createEnviron({ headers: [['Cookie', 'session=forged']] })
    assert.deepEqual(app.openSession(environ).toJSON(), {})
  })

  it('stays when it is loaded again for a cookie that is not valid', async () => {
    const { app } = visitor({ store: memoryStore() })
    const environ = createEnviron({ headers: [['Cookie', 'session=forged']] })
    await app.loadSession(environ)
    const session = app.openSession(environ)
    await app.loadSession(environ)
    assert.equal(app.openSession(environ), session)
  })

  for (const [what, options] of [
    ['in a store that does not have it', { store: memoryStore() }],
    ['in a store with another secret', { store: memoryStore(), secret: secret.toUpperCase() }],
    ['in an encrypted cookie of another secret', { encrypt: true, secret: secret.toUpperCase() }],
  ] as const) {
    it(`stays when an application that is mounted looks for its own ${what}`, async () => {
      const { app, visit } = visitor({ store: memoryStore() })
      const { app: mounted } = visitor(options)
      const { setCookie = '' } = await visit((session) => void session.set('a', 1))
      const environ = createEnviron({ headers: [['Cookie', setCookie.replace(/;.*/, '')]] })
      await app.loadSession(environ)
      const session = app.openSession(environ)
      await mounted.loadSession(environ)
      assert.equal(app.openSession(environ), session)
    })
  }

  for (const [what, options] of [
    ['in a store', { store: memoryStore() }],
    ['in an encrypted cookie', { encrypt: true }],
  ] as const) {
    it(`keeps the changes of middleware if it is ${what}`, async () => {
      const { app, visit } = visitor(options)
      const { setCookie = '' } = await visit((session) => void session.set('a', 1))
      const environ = createEnviron({ headers: [['Cookie', setCookie.replace(/;.*/, '')]] })
      await app.loadSession(environ)
      app.openSession(environ).set('b', 2)
      await app.loadSession(environ)
      assert.deepEqual(app.openSession(environ).toJSON(), { a: 1, b: 2 })
    })
  }

  it('cannot be opened before it was loaded', async () => {
    const browser = visitor({ store: memoryStore() })
    await browser.visit((session) => void session.set('a', 1))
    const { app, cookie } = browser
    const environ = createEnviron({ headers: [['Cookie', cookie]] })
    assert.throws(() => app.openSession(environ), /has not been loaded.*await app\.loadSession\(environ\)/)
    await app.loadSession(environ)
    assert.equal(app.openSession(environ).get('a'), 1)
  })
})

for (const [label, make] of STORES) {
  describe(`a session in a store ${label}`, () => {
    it('has a new id once it is regenerated, and the old one is invalid', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('user', 'ann'))
      const old = browser.cookie
      await browser.visit((session) => void session.regenerate())
      assert.notEqual(browser.cookie.split('.')[0], old.split('.')[0])
      assert.equal(await browser.ask((session) => session.get('user')), 'ann')
      assert.equal(await browser.ask((session) => session.empty, { cookie: old }), true)
    })

    it('leaves nothing in the store once it is destroyed', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('user', 'ann'))
      const old = browser.cookie
      await browser.visit((session) => session.destroy())
      assert.equal(browser.cookie, '')
      assert.equal(await browser.ask((session) => session.empty, { cookie: old }), true)
    })

    it('is destroyed even if the action then fails', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('user', 'ann'))
      const failing: Step = (session) => {
        session.destroy()
        throw new Error('broken')
      }
      await assert.rejects(browser.visit(failing), /broken/)
      assert.equal(await browser.ask((session) => session.empty), true)
    })

    const slow: [label: string, use: Step][] = [
      ['sets a value', (session) => void session.set('slow', 1)],
      ['reads a value', (session) => void session.get('user')],
      ['shows a flashed value', (session) => void session.flashed('notice')],
      ['regenerates it', (session) => void session.regenerate().set('slow', 1)],
      ['remembers it', (session) => void session.remember(1000)],
      ['destroys it too', (session) => session.destroy()],
    ]
    for (const [does, use] of slow) {
      for (const processes of [1, 2]) {
        it(`stays destroyed when a slow request ${does} (${processes} processes)`, async () => {
          const store = make()
          const one = visitor({ store })
          const two = processes === 1 ? one : visitor({ store })
          await one.visit((session) => void session.set('user', 'ann').flash('notice', 'x'))
          const { cookie } = one
          const { passed, open } = gate()
          const begun = gate()
          const waiting = two.visit(
            async (session, controller) => {
              begun.open()
              await passed
              return use(session, controller)
            },
            { cookie },
          )
          await begun.passed
          await one.visit((session) => session.destroy(), { cookie })
          open()
          const { setCookie } = await waiting
          assert.match(setCookie ?? 'session=;', /^session=;/)
          assert.equal(await one.ask((session) => session.empty, { cookie }), true)
        })
      }
    }

    it('keeps the values that concurrent requests set', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('kept', 0).set('gone', 0))
      const { passed, open } = gate()
      const names = ['a', 'b', 'c', 'd']
      const visits = names.map((name) =>
        browser.visit(async (session) => {
          await passed
          session.set(name, 1)
          if (name === 'd') session.delete('gone')
        }),
      )
      open()
      await Promise.all(visits)
      assert.deepEqual(await browser.ask((session) => session.toJSON()), { kept: 0, a: 1, b: 1, c: 1, d: 1 })
    })

    it('loses the values that concurrent requests set when it is cleared', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('a', 0))
      const { passed, open } = gate()
      const clearing = browser.visit(async (session) => {
        await passed
        session.clear()
        session.set('c', 1)
      })
      await browser.visit((session) => void session.set('b', 1))
      open()
      await clearing
      assert.deepEqual(await browser.ask((session) => session.toJSON()), { c: 1 })
    })

    it('drops the changes of a request that is late for the old id', async () => {
      const browser = visitor({ store: make() })
      await browser.visit((session) => void session.set('user', 'ann'))
      const { passed, open } = gate()
      const late = browser.visit(async (session) => {
        await passed
        session.set('late', 1)
      })
      await browser.visit((session) => void session.regenerate())
      const { cookie } = browser
      open()
      assert.equal((await late).setCookie, undefined)
      assert.equal(browser.cookie, cookie)
      assert.deepEqual(await browser.ask((session) => session.toJSON()), { user: 'ann' })
    })

    it('authenticates forms, whose tokens end when it is regenerated', async () => {
      class FormController extends WSGIController {
        token() {
          return authenticationToken(this.session)
        }
        send() {
          return 'sent'
        }
        login() {
          this.session.regenerate()
          return ''
        }
        static {
          decorate(this, { send: [authenticateForm] })
        }
      }
      const app = new TestApp(
        new FrameworkApp({
          map: new Mapper().connect('/{action}', { controller: 'form' }),
          controllers: { form: FormController },
          logger: { info() {}, warn() {}, error() {} },
          session: { secret, store: make() },
        }),
      )
      const { text: token } = await app.get('/token')
      const send = () => app.post('/send', { _authentication_token: token })
      assert.equal((await send()).status, 200)
      await app.get('/login')
      assert.equal((await send()).status, 403)
    })
  })
}

describe('a store that fails', () => {
  class Failure extends Error {
    override name = 'Failure'
  }
  const failing = (methods: readonly (keyof SessionStore)[]): SessionStore & { isBroken: boolean } => {
    const store = memoryStore()
    const broken = { isBroken: false }
    const guard = (name: keyof SessionStore): void => {
      if (broken.isBroken && methods.includes(name)) throw new Failure('the address of the store')
    }
    return Object.assign(broken, {
      async get(id: string) {
        guard('get')
        return store.get(id)
      },
      // Not async, so that it throws.
      set(id: string, values: SessionValues, seconds: number) {
        guard('set')
        return store.set(id, values, seconds)
      },
      async update(id: string, values: SessionValues, seconds: number) {
        guard('update')
        return store.update?.(id, values, seconds) ?? false
      },
      async delete(id: string) {
        guard('delete')
        return store.delete(id)
      },
    })
  }
  const rows: [method: keyof SessionStore, use: Step, options?: VisitOptions][] = [
    ['get', () => 'shown'],
    ['set', (session) => void session.set('a', 1), { cookie: null }],
    ['update', (session) => void session.set('a', 2)],
    ['delete', (session) => session.destroy()],
  ]
  for (const [method, use, options] of rows) {
    it(`is answered with 503 and logged if ${method} fails`, async () => {
      const store = failing([method])
      const { visit, logged } = visitor({ store })
      await visit((session) => void session.set('a', 1))
      store.isBroken = true
      const { status, text, setCookie } = await visit(use, options)
      assert.equal(status, '503 Service Unavailable')
      assert.doesNotMatch(text, /address|store|shown/)
      assert.equal(setCookie, undefined)
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', new RegExp(`^GET /\\n.*session store failed: ${method}\\(\\)`))
      assert.match(logged[0] ?? '', /Failure: the address of the store/)
    })
  }

  for (const [title, options] of [
    ['is due', { secret }],
    ['is too large', { secret, maxBytes: 1 }],
    ['has the cookie of an older secret', { secret: [`a new ${secret}`, secret] }],
  ] as const) {
    it(`serves what only reads a session that ${title} and cannot be extended, and is logged once`, async () => {
      const store = failing(['update'])
      const first = visitor({ store })
      await first.visit((session) => void session.set('a', 1))
      const { cookie } = first
      // Another process, which does not know when the session was extended.
      const { visit, logged } = visitor({ store, ...options })
      store.isBroken = true
      for (let time = 0; time < 2; time++) {
        const { status, text } = await visit((session) => `a is ${session.get('a')}`, { cookie })
        assert.deepEqual([status, text], ['200 OK', 'a is 1'])
      }
      assert.equal(logged.length, 1)
    })
  }

  it('is answered with 503 if a flashed value is read, which is shown once', async () => {
    const store = failing(['update'])
    const { visit } = visitor({ store })
    await visit((session) => void session.set('a', 1).flash('notice', 'Saved.'))
    store.isBroken = true
    const read: Step = (session) => session.flashed('notice')
    assert.equal((await visit(read)).status, '503 Service Unavailable')
    store.isBroken = false
    assert.equal((await visit(read)).text, 'Saved.')
    assert.equal((await visit(read)).text, '')
  })

  it('closes the body that is not sent', async () => {
    const store = failing(['update'])
    const { visit } = visitor({ store })
    await visit((session) => void session.set('a', 1))
    store.isBroken = true
    let isClosed = false
    const { status } = await visit((session) => {
      session.set('a', 2)
      const close = (): void => {
        isClosed = true
      }
      const body: Iterable<string> & { close(): void } = { *[Symbol.iterator]() {}, close }
      return new Response(body)
    })
    assert.deepEqual([status, isClosed], ['503 Service Unavailable', true])
  })

  it('does not hide the error of an action that destroyed the session', async () => {
    const store = failing(['delete'])
    const { visit, logged } = visitor({ store })
    await visit((session) => void session.set('a', 1))
    store.isBroken = true
    const step: Step = (session) => {
      session.destroy()
      throw new Error('broken')
    }
    await assert.rejects(visit(step), /broken/)
    assert.match(logged[0] ?? '', /session store failed: delete/)
  })

  it('is answered with 503 if it does not answer within ten seconds', async (context) => {
    const { visit, logged } = visitor({
      store: { ...recording(), set: () => new Promise(() => {}) },
    })
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const visiting = visit((session) => void session.set('a', 1))
    for (let turn = 0; turn < 20; turn += 1) await null
    context.mock.timers.tick(10_000)
    assert.equal((await visiting).status, '503 Service Unavailable')
    assert.match(logged[0] ?? '', /It took over 10000 ms/)
  })

  it('is answered with 503 if it returns something else than values', async () => {
    const store = { ...recording(), get: async () => 'text' as never }
    const { visit, logged } = visitor({ store })
    await visit((session) => void session.set('a', 1))
    assert.equal((await visit(() => undefined)).status, '503 Service Unavailable')
    assert.match(logged[0] ?? '', /neither an object nor undefined/)
  })
})

describe('the size of a session in a store', () => {
  it('may exceed that of a cookie', async () => {
    const { visit, ask } = visitor({ store: memoryStore() })
    await visit((session) => void session.set('a', 'x'.repeat(60_000)))
    assert.equal((await ask((session) => session.get('a')))?.toString().length, 60_000)
  })

  for (const [label, maxBytes, length] of [
    ['64 KiB by default', undefined, 65_536],
    ['maxBytes in UTF-8', 100, 50],
  ] as const) {
    it(`is limited to ${label}`, async () => {
      const { visit } = visitor({ store: memoryStore(), ...(maxBytes === undefined ? {} : { maxBytes }) })
      await assert.rejects(
        visit((session) => void session.set('a', 'ü'.repeat(length))),
        /The session has \d+ bytes, but \d+ are allowed/,
      )
    })
  }
})
