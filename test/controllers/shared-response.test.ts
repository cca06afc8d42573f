import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, Response, WSGIController } from 'propylon'
import { TestApp, type TestResponse } from 'propylon/testing'

type Step = (controller: WSGIController) => unknown

/** Sends a request to an action, with an `__after__` hook if there is one. */
function get(action: Step, after?: Step): Promise<TestResponse> {
  class PageController extends WSGIController {
    index() {
      return action(this)
    }
  }
  class HookedController extends PageController {
    __after__() {
      return after?.(this)
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/', { controller: 'page', action: 'index' }),
    controllers: { page: after === undefined ? PageController : HookedController },
    session: { secret: 'a secret of more than thirty-two characters' },
  })
  return new TestApp(app).get('/')
}

const logIn: Step = ({ session }) => session.set('user', 'ann')

const addCookie: Step = ({ response }) => {
  response.setCookie('seen', 'yes')
  response.headers.addToken('Vary', 'Accept-Language')
}

describe('a Response that an action returns for many requests', () => {
  const rows: [label: string, send: (page: Response) => Promise<TestResponse>, cookie: string][] = [
    [
      'does not receive the cookie of a session',
      (page) =>
        get((controller) => {
          logIn(controller)
          return page
        }),
      'session',
    ],
    [
      'does not receive the cookie of a session as this.response',
      (page) =>
        get((controller) => {
          logIn(controller)
          controller.response = page
        }),
      'session',
    ],
    ['does not receive the cookie of a session that __after__ changes', (page) => get(() => page, logIn), 'session'],
    ['does not receive the headers that __after__ sets', (page) => get(() => page, addCookie), 'seen'],
    [
      'does not receive the headers that __after__ sets after the action read this.response',
      (page) => get(({ response }) => (response.status === 200 ? page : null), addCookie),
      'seen',
    ],
    [
      'does not receive the headers that the action sets on this.response',
      (page) =>
        get((controller) => {
          addCookie(controller)
          return page
        }),
      'seen',
    ],
  ]
  for (const [label, send, cookie] of rows) {
    it(label, async () => {
      const page = new Response('page', { headers: { 'X-Page': '1' } })
      const sent = await send(page)
      assert.deepEqual([sent.text, sent.headers.get('x-page')], ['page', '1'])
      assert.match(sent.headers.get('set-cookie') ?? '', new RegExp(`^${cookie}=`))
      assert.match(sent.headers.get('vary') ?? '', /Cookie|Accept-Language/)
      assert.deepEqual([...page.headers], [['X-Page', '1']])
    })
  }
})

describe('the headers of a session', () => {
  it('extend Vary and keep the Cache-Control of the response', async () => {
    const { headers } = await get((controller) => {
      logIn(controller)
      return new Response('', { headers: { Vary: 'Accept', 'Cache-Control': 'no-store' } })
    })
    assert.deepEqual([headers.get('vary'), headers.get('cache-control')], ['Accept, Cookie', 'no-store'])
  })

  it('are added to the response of an application', async () => {
    const { headers } = await get(({ session }) => {
      session.get('user')
      return new Response('', { headers: { Vary: 'Accept' } }).wsgi
    })
    assert.deepEqual([headers.get('vary'), headers.get('cache-control')], ['Accept, Cookie', 'private'])
  })
})

describe('the headers of this.response', () => {
  it('that describe its body are not added to the response of an application', async () => {
    const { headers } = await get(({ response }) => {
      response.etag = 'v1'
      response.headers.set('Content-Language', 'de')
      response.headers.set('X-Page', '1')
      return new Response('forwarded').wsgi
    })
    assert.deepEqual(
      ['etag', 'content-language', 'x-page'].map((name) => headers.get(name)),
      [null, null, '1'],
    )
  })
})
