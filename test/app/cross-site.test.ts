import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CrossSiteRule, FrameworkApp, JSONRPCController, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { TestApp } from 'propylon/testing'
import { createEnviron, type HeaderPair, run } from 'propylon/wsgi'

class NotesController extends WSGIController {
  static crossSite: Record<string, string> = { receive_hook: 'allow', create: 'refuse' }

  index() {
    return 'index'
  }
  create() {
    return 'created'
  }
  receive_hook() {
    return `received by ${this.request.method}`
  }
  delete(id: string) {
    return `deleted ${id}`
  }
}

class InheritingController extends NotesController {
  static override crossSite = { create: 'allow' }
}

class MathController extends JSONRPCController {
  add(a: number, b: number) {
    return a + b
  }
}

class OpenMathController extends MathController {
  static crossSite = { index: 'allow' }
}

class EchoController extends XMLRPCController {
  test_echo(text: string) {
    return text
  }
}

function appWith(crossSite?: CrossSiteRule, debug = false): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/notes', { controller: 'notes', action: 'index', conditions: { method: 'GET' } })
      .connect('/notes', { controller: 'notes', action: 'create', conditions: { method: 'POST' } })
      .connect('/notes/{id}', { controller: 'notes', action: 'delete', conditions: { method: 'DELETE' } })
      .connect('/notes/of/today', { controller: 'notes', action: 'index', conditions: { method: 'GET' } })
      .connect('/{controller}', { action: 'index' })
      .connect('/{controller}/{action}'),
    controllers: {
      notes: NotesController,
      inheriting: InheritingController,
      math: MathController,
      open_math: OpenMathController,
      echo: EchoController,
      plain(_environ, start_response) {
        start_response('200 OK', [['Content-Type', 'text/plain']])
        return ['plain']
      },
    },
    debug,
    ...(crossSite !== undefined && { crossSite }),
  })
}

const CROSS_SITE = { 'sec-fetch-site': 'cross-site' }
const EVIL = { origin: 'http://evil.example' }

describe('an unsafe request', () => {
  const app = new TestApp(appWith(), { environ: { HTTP_HOST: 'www.example.org' } })
  const rows: [headers: Record<string, string>, status: number][] = [
    [{}, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://shown.example' }, 200],
    [{ origin: 'http://www.example.org' }, 200],
    [{ origin: 'https://www.example.org' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://www.example.org' }, 403],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, 403],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'http://example.org' }, 403],
    [{ origin: 'http://www.example.org:8080' }, 403],
    [{ origin: 'http://www.example.org.evil.example' }, 403],
    [{ origin: 'http://www.example.org@evil.example' }, 403],
    [{ origin: 'http://www.example.org, http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'www.example.org' }, 403],
    [{ origin: '' }, 403],
    [{ ...EVIL, authorization: 'Bearer abc' }, 200],
    [{ ...CROSS_SITE, authorization: 'bearer abc' }, 200],
    [{ ...EVIL, authorization: 'Bearer abc', cookie: 'session=1' }, 403],
    [{ ...EVIL, authorization: 'Bearer' }, 403],
    ...['Token', 'ApiKey', 'DPoP', 'token', 'AWS4-HMAC-SHA256'].map((scheme): [Record<string, string>, number] => [
      { ...EVIL, authorization: `${scheme} abc` },
      200,
    ]),
    [{ ...CROSS_SITE, authorization: 'Token abc', cookie: 'session=1' }, 403],
    ...['Basic', 'basic', 'Digest', 'Negotiate', 'NTLM', ''].map((scheme): [Record<string, string>, number] => [
      { ...CROSS_SITE, authorization: `${scheme} YTpi` },
      403,
    ]),
    [{ ...EVIL, authorization: 'Basic YTpi' }, 403],
  ]
  for (const [headers, status] of rows) {
    it(`gets ${status} with ${JSON.stringify(headers)}`, async () => {
      assert.equal((await app.post('/notes', { title: 'a' }, { headers })).status, status)
    })
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`is refused by a WSGI callable for ${method}`, async () => {
      assert.equal((await app.request(method, '/plain', { headers: EVIL })).status, 403)
      assert.equal((await app.request(method, '/plain')).status, 200)
    })
  }

  it('gets 403 rather than 405 for a method that the path does not have', async () => {
    assert.equal((await app.request('PUT', '/notes/of/today', { headers: EVIL })).status, 403)
    assert.equal((await app.request('PUT', '/notes/of/today')).status, 405)
  })
})

describe('a safe request of another site', () => {
  const app = new TestApp(appWith())
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    it(`passes with ${method}`, async () => {
      const headers = { ...CROSS_SITE, ...EVIL }
      assert.ok((await app.request(method, '/notes', { headers })).status < 300)
    })
  }
})

describe('a cross-site form with _method', () => {
  it('gets 403 and its body is not read', async () => {
    for (const url of ['/notes/1', '/notes']) {
      let taken = 0
      const body = {
        async *[Symbol.asyncIterator]() {
          taken += 1
          yield new TextEncoder().encode('_method=DELETE')
        },
      }
      const headers: HeaderPair[] = [
        ['Content-Type', 'application/x-www-form-urlencoded'],
        ['Origin', 'http://evil.example'],
      ]
      const result = await run(appWith().wsgi, createEnviron({ method: 'POST', url, headers, body }))
      assert.equal(result.status, '403 Forbidden')
      await result.text()
      assert.equal(taken, 0)
    }
  })

  it('overrides the method when it comes from this site', async () => {
    const response = await new TestApp(appWith()).post(
      '/notes/1',
      { _method: 'DELETE' },
      { headers: { origin: 'http://localhost' } },
    )
    assert.equal(response.text, 'deleted 1')
  })
})

describe('static crossSite', () => {
  const app = new TestApp(appWith())

  it('allows the actions it lists, with dashes for underscores too', async () => {
    for (const path of ['/notes/receive_hook', '/notes/receive-hook']) {
      assert.equal((await app.post(path, { a: '1' }, { headers: EVIL })).text, 'received by POST')
    }
  })

  it('refuses an action that it lists as refused', async () => {
    assert.equal((await app.post('/notes', {}, { headers: EVIL })).status, 403)
  })

  it('adds to the record of the base class', async () => {
    for (const [path, status] of [
      ['/inheriting/create', 200],
      ['/inheriting/receive_hook', 200],
      ['/inheriting/delete', 403],
    ] as const) {
      assert.equal((await app.post(path, {}, { headers: EVIL })).status, status, path)
    }
  })

  const rules: [rule: unknown, status: number][] = [
    ['allow', 200],
    ['refuse', 403],
    [{ '*': 'allow' }, 200],
    [{ '*': 'refuse', create: 'allow' }, 200],
    [{ '*': 'allow', create: 'refuse' }, 403],
    [{ index: 'allow' }, 403],
  ]
  for (const [rule, status] of rules) {
    it(`is ${status} with ${JSON.stringify(rule)}`, async () => {
      class RuledController extends NotesController {}
      Object.assign(RuledController, { crossSite: rule })
      const map = new Mapper().connect('/{action}', { controller: 'notes' })
      const ruled = new FrameworkApp({ map, controllers: { notes: RuledController } })
      await new TestApp(ruled).post('/create', {}, { headers: EVIL, status })
    })
  }

  for (const rule of ['maybe', true, ['allow'], { create: 'alow' }, { '*': true }, 5]) {
    for (const debug of [true, false]) {
      it(`refuses a class with ${JSON.stringify(rule)}${debug ? ' in debug mode' : ''}`, async () => {
        class RuledController extends NotesController {}
        Object.assign(RuledController, { crossSite: rule })
        const map = new Mapper().connect('/{action}', { controller: 'notes' })
        const ruled = new FrameworkApp({ map, controllers: { notes: RuledController }, debug })
        await assert.rejects(new TestApp(ruled).get('/index'), /RuledController: static crossSite has/)
      })
    }
  }

  it('reads no inherited property of objects', async () => {
    assert.equal((await app.post('/notes/constructor', {}, { headers: EVIL })).status, 403)
  })
})

describe('RPC services', () => {
  const app = new TestApp(appWith())
  const call = { jsonrpc: '2.0', method: 'add', params: [1, 2], id: 1 }

  it('have the same rule', async () => {
    for (const path of ['/math', '/echo']) {
      assert.equal((await app.postJson(path, call, { headers: CROSS_SITE })).status, 403)
    }
    assert.equal((await app.postJson('/math', call)).status, 200)
  })

  it('are open to other sites when crossSite allows the action of their route', async () => {
    const response = await app.postJson('/open_math', call, { headers: CROSS_SITE })
    assert.deepEqual(response.json(), { jsonrpc: '2.0', result: 3, id: 1 })
  })
})

describe('FrameworkApp({ crossSite })', () => {
  it('allows every site with allow', async () => {
    const app = new TestApp(appWith('allow'))
    const headers = { ...CROSS_SITE, ...EVIL }
    assert.equal((await app.post('/notes/1', { _method: 'DELETE' }, { headers })).text, 'deleted 1')
  })

  it('allows the origins it lists and no others', async () => {
    const app = new TestApp(appWith(['https://app.example', 'http://localhost:3000']))
    const rows: [headers: Record<string, string>, status: number][] = [
      [{ origin: 'https://app.example', ...CROSS_SITE }, 200],
      [{ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }, 200],
      [{ origin: 'http://app.example', ...CROSS_SITE }, 403],
      [{ origin: 'https://sub.app.example' }, 403],
      [{ origin: 'null', ...CROSS_SITE }, 403],
      [CROSS_SITE, 403],
    ]
    for (const [headers, status] of rows) {
      assert.equal(
        (await app.post('/notes', {}, { headers })).status,
        status,
        `${status} for ${JSON.stringify(headers)}`,
      )
    }
  })

  const wrong: [unknown, RegExp][] = [
    [['https://app.example/'], /lists "https:\/\/app\.example\/".* Write https:\/\/app\.example\.$/],
    [['https://APP.example:443'], /Write https:\/\/app\.example\.$/],
    [['app.example'], /is not an origin.*scheme:\/\/host/],
    [['null'], /is not an origin/],
    [['*'], /is not an origin/],
    [[7], /lists 7/],
    ['deny', /is "deny"\. Use 'refuse', 'allow' or a list/],
  ]
  for (const [rule, message] of wrong) {
    it(`refuses ${JSON.stringify(rule)} when the application is created`, () => {
      assert.throws(() => appWith(rule as CrossSiteRule), { name: 'TypeError', message })
    })
  }

  it('names the refused header and the fix in debug mode only', async () => {
    const debug = await new TestApp(appWith(undefined, true)).post('/notes', {}, { headers: EVIL })
    debug.mustContain('Origin: http://evil.example', 'crossSite')
    const plain = await new TestApp(appWith()).post('/notes', {}, { headers: EVIL })
    plain.mustContain('Pages of other sites may not send POST requests').mustNotContain('evil')
  })
})
