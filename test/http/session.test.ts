import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, type Session, type SessionOptions, WSGIController } from 'propylon'
import { TestApp, type TestResponse } from 'propylon/testing'

const secret = 'a secret of more than thirty-two characters'

interface Visit<T> {
  readonly response: TestResponse
  readonly result: T
}

interface Visitor {
  /** Sends a request whose action passes its session to `use`. A `cookie` replaces the visitor's own. */
  visit<T>(use: (session: Session) => T, cookie?: string): Promise<Visit<T>>
}

/** A browser and an application with one action. */
function visitor(options: Partial<SessionOptions> = {}): Visitor {
  let step: (session: Session) => unknown = () => undefined
  class VisitController extends WSGIController {
    index() {
      step(this.session)
      return ''
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/', { controller: 'visit', action: 'index' }),
    controllers: { visit: VisitController },
    session: { secret, ...options },
  })
  const browser = new TestApp(app)
  return {
    async visit<T>(use: (session: Session) => T, cookie?: string) {
      const results: T[] = []
      step = (session) => results.push(use(session))
      const response = await browser.get('/', { headers: { cookie } })
      return { response, result: results[0] as T }
    },
  }
}

/** The session cookie that a response sets, as a browser sends it back; `''` if there is none. */
function cookieOf({ response }: Visit<unknown>): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

describe('a session', () => {
  it('returns the values of the last request', async () => {
    const { visit } = visitor()
    await visit((session) => session.set('user', 'ann').set('list', [1, null, { a: true }]))
    const { result } = await visit((session) => session.toJSON())
    assert.deepEqual(result, { user: 'ann', list: [1, null, { a: true }] })
  })

  it('is empty without a cookie', async () => {
    assert.equal((await visitor().visit((session) => session.empty)).result, true)
  })

  it('sends no cookie when nothing has changed', async () => {
    const { visit } = visitor()
    await visit((session) => session.set('a', 1))
    assert.equal(cookieOf(await visit(() => undefined)), '')
  })

  describe('that is read', () => {
    const now = 1_000_000_000_000
    const maxAge = 1000
    const rows: [label: string, seconds: number, sent: boolean, use: (session: Session) => unknown][] = [
      ['is not sent again at once', 0, false, (session) => session.get('a')],
      ['is not sent again before 1 % of its lifetime has passed', 9, false, (session) => session.get('a')],
      ['is sent again after 1 % of its lifetime', 10, true, (session) => session.get('a')],
      ['is sent again in its last second', 999, true, (session) => session.get('a')],
      ['is not sent again unless a value is read', 999, false, (session) => session.changed],
    ]
    for (const [label, seconds, sent, use] of rows) {
      it(label, async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit } = visitor({ maxAge })
        await visit((session) => session.set('a', 1))
        context.mock.timers.tick(seconds * 1000)
        assert.equal(cookieOf(await visit(use)) !== '', sent)
      })
    }

    it('lives for its whole lifetime from then on', async (context) => {
      context.mock.timers.enable({ apis: ['Date'], now })
      const { visit } = visitor({ maxAge })
      let cookie = cookieOf(await visit((session) => session.set('a', 1)))
      for (let round = 0; round < 3; round += 1) {
        context.mock.timers.tick(maxAge * 1000)
        const next = await visit((session) => session.get('a'), cookie)
        assert.equal(next.result, 1)
        cookie = cookieOf(next)
      }
      context.mock.timers.tick(maxAge * 1000 + 1000)
      assert.equal((await visit((session) => session.get('a'), cookie)).result, undefined)
    })
  })

  it('deletes the cookie once it is cleared', async () => {
    const { visit } = visitor()
    await visit((session) => session.set('a', 1))
    const { response } = await visit((session) => session.clear())
    assert.match(response.headers.get('set-cookie') ?? '', /^session=; .*Max-Age=0/)
  })

  const forged: [label: string, forge: (cookie: string) => string | Promise<string>][] = [
    ['a changed value', (cookie) => cookie.replace('=', '=x')],
    ['a changed signature', (cookie) => `${cookie.slice(0, -2)}AA`],
    ['no signature', (cookie) => cookie.slice(0, cookie.lastIndexOf('.'))],
    ['an empty signature', (cookie) => cookie.slice(0, cookie.lastIndexOf('.') + 1)],
    ['a malformed cookie', () => 'session=%%%.%%%'],
    [
      "another cookie's value",
      async () => (await cookieOfEve({ name: 'other' })).replace('other=', 'session='),
    ],
    ['a value signed with another secret', () => cookieOfEve({ secret: secret.toUpperCase() })],
  ]
  async function cookieOfEve(options: Partial<SessionOptions>): Promise<string> {
    return cookieOf(await visitor(options).visit((session) => session.set('user', 'eve')))
  }
  for (const [label, forge] of forged) {
    it(`is empty for ${label}`, async () => {
      const { visit } = visitor()
      const cookie = await forge(cookieOf(await visit((session) => session.set('user', 'ann'))))
      assert.equal((await visit((session) => session.empty, cookie)).result, true)
    })
  }

  it('is empty once it has expired', async () => {
    const { visit } = visitor({ maxAge: -1 })
    const cookie = cookieOf(await visit((session) => session.set('a', 1)))
    assert.equal((await visit((session) => session.empty, cookie)).result, true)
  })

  it('survives the replacement of its secret', async () => {
    const cookie = cookieOf(await visitor().visit((session) => session.set('user', 'ann')))
    const { visit } = visitor({ secret: ['a new secret of more than thirty-two characters', secret] })
    assert.equal((await visit((session) => session.get('user'), cookie)).result, 'ann')
  })

  it('accepts the name __proto__', async () => {
    const { visit } = visitor()
    await visit((session) => session.set('__proto__', { polluted: true }))
    const { result } = await visit((session) => session.get('__proto__'))
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    assert.deepEqual(result, { polluted: true })
  })

  it('throws if it exceeds the size of a cookie', async () => {
    await assert.rejects(
      visitor().visit((session) => session.set('a', 'x'.repeat(5000))),
      RangeError,
    )
  })

  it('keeps flashed values for the next request only', async () => {
    const { visit } = visitor()
    await visit((session) => session.flash('notice', 'saved').flash('more', 1))
    const { result } = await visit((session) => [session.flashed('notice'), session.flashed('more')])
    assert.deepEqual(result, ['saved', 1])
    assert.equal((await visit((session) => session.flashed('notice'))).result, undefined)
  })

  it('drops flashed values in the next request even if they are not read', async () => {
    const { visit } = visitor()
    await visit((session) => session.set('kept', 1).flash('notice', 'saved'))
    await visit(() => undefined)
    const { result } = await visit((session) => [session.get('kept'), session.flashed('notice')])
    assert.deepEqual(result, [1, undefined])
  })

  it('refuses a short secret', () => {
    assert.throws(() => visitor({ secret: 'short' }), /at least 32/)
  })
})

describe('the caching headers of a response', () => {
  const rows: [label: string, varies: boolean, use: (session: Session) => unknown][] = [
    ['do not change if the session is opened only', false, () => undefined],
    ['do not change if `changed` is read', false, (session) => session.changed],
    ['name Cookie if a value is read', true, (session) => session.get('a')],
    ['name Cookie if a name is looked up', true, (session) => session.has('a')],
    ['name Cookie if a value is set', true, (session) => session.set('a', 1)],
    ['name Cookie if a value is deleted', true, (session) => session.delete('a')],
    ['name Cookie if the session is cleared', true, (session) => session.clear()],
    ['name Cookie if a flashed value is read', true, (session) => session.flashed('a')],
    ['name Cookie if a value is flashed', true, (session) => session.flash('a', 1)],
    ['name Cookie if `empty` is read', true, (session) => session.empty],
    ['name Cookie if the session is serialized', true, (session) => JSON.stringify(session)],
  ]
  for (const [label, varies, use] of rows) {
    it(label, async () => {
      const { visit } = visitor()
      await visit((session) => session.set('a', 1))
      const { headers } = (await visit(use)).response
      assert.deepEqual(
        [headers.get('vary'), headers.get('cache-control')],
        varies ? ['Cookie', 'private'] : [null, null],
      )
    })
  }
})
