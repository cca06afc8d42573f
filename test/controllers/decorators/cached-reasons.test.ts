import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, Response, WSGIController } from 'propylon'
import { cached, decorate } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'

const minute = cached({ expires: 60 })

class PagesController extends WSGIController {
  __before__(action: string) {
    if (action === 'before') this.session.get('user')
    if (action === 'status') this.response.status = 202
  }
  fine() {
    return 'fine'
  }
  before() {
    return 'before'
  }
  status() {
    return 'status'
  }
  session_used() {
    return `user ${this.session.get('user')}`
  }
  not_found() {
    return new Response('gone', { status: 404 })
  }
  cookie() {
    this.response.setCookie('a', '1')
    return 'cookie'
  }
  private() {
    this.response.cacheControl = 'private, max-age=5'
    return 'private'
  }
  varied() {
    this.response.headers.set('Vary', '*')
    return 'varied'
  }
  *streamed() {
    yield 'streamed'
  }
  mounted() {
    return () => []
  }
  keyed() {
    return 'keyed'
  }
  post() {
    return 'post'
  }

  static {
    decorate(this, {
      fine: [minute],
      before: [minute],
      status: [minute],
      session_used: [minute],
      not_found: [minute],
      cookie: [minute],
      private: [minute],
      varied: [minute],
      streamed: [minute],
      mounted: [minute],
      keyed: [cached({ expires: 60, key: () => undefined })],
      post: [minute],
    })
  }
}

function pages(debug: boolean): { readonly app: TestApp; readonly logged: string[] } {
  const logged: string[] = []
  const app = new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    debug,
    session: { secret: 'a secret of more than thirty-two characters' },
    logger: { info: (message) => void logged.push(message), warn() {}, error() {} },
  })
  return { app: new TestApp(app), logged }
}

describe('cached in debug mode', () => {
  const rows: [action: string, reason: string, headers?: Record<string, string>][] = [
    ['before', 'the session was used before the action, for instance by __before__'],
    ['status', 'this.response has the status 202'],
    ['session_used', 'the request used its session'],
    ['not_found', 'its status is 404'],
    ['cookie', 'it sets a cookie'],
    ['private', 'its Cache-Control is "private, max-age=5"'],
    ['varied', 'its Vary is *'],
    ['streamed', 'its body is a stream'],
    ['mounted', 'the action returned an application or an HTTP exception'],
    ['keyed', 'the option key returned undefined'],
    ['fine', 'the request has Authorization', { Authorization: 'Basic eDp5' }],
  ]
  for (const [action, reason, headers = {}] of rows) {
    it(`says once that ${reason}`, async () => {
      const { app, logged } = pages(true)
      await app.get(`/${action}`, { headers }).catch(() => undefined)
      await app.get(`/${action}`, { headers }).catch(() => undefined)
      assert.deepEqual(logged, [`cached: PagesController.${action}() was not cached, because ${reason}.`])
    })
  }

  it('says nothing about a response that it stores', async () => {
    const { app, logged } = pages(true)
    await app.get('/fine')
    assert.deepEqual(logged, [])
  })

  it('says nothing about a POST', async () => {
    const { app, logged } = pages(true)
    await app.post('/post')
    assert.deepEqual(logged, [])
  })
})

describe('cached outside debug mode', () => {
  it('says nothing', async () => {
    const { app, logged } = pages(false)
    await app.get('/before')
    assert.deepEqual(logged, [])
  })
})
