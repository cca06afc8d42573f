import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Request } from '../../src/http/request.ts'
import { Response } from '../../src/http/response.ts'
import { Session, SessionCookies, type SessionOptions } from '../../src/http/session.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'

const secret = 'a secret of more than thirty-two characters'

/** Saves a session and gives the cookie as the browser would send it back. */
function cookieOf(session: Session, options: Partial<SessionOptions> = {}): string {
  const response = new Response()
  new SessionCookies({ secret, ...options }).save(session, response)
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

function open(cookie: string, options: Partial<SessionOptions> = {}): Session {
  const request = new Request(createEnviron({ headers: cookie === '' ? [] : [['Cookie', cookie]] }))
  return new SessionCookies({ secret, ...options }).open(request)
}

describe('a session', () => {
  it('comes back with what was set', () => {
    const cookie = cookieOf(new Session().set('user', 'ann').set('list', [1, null, { a: true }]))
    assert.deepEqual(open(cookie).toJSON(), { user: 'ann', list: [1, null, { a: true }] })
  })

  it('is empty without a cookie', () => {
    assert.equal(open('').empty, true)
  })

  it('sends no cookie when nothing has changed', () => {
    assert.equal(cookieOf(open(cookieOf(new Session().set('a', 1)))), '')
  })

  describe('that is read', () => {
    const start = 1_000_000_000_000
    const maxAge = 1000
    const saved = (session: Session): string => cookieOf(session, { maxAge })
    const rows: [label: string, seconds: number, sent: boolean, use: (session: Session) => unknown][] = [
      ['is not sent again at once', 0, false, (session) => session.get('a')],
      ['is not sent again before 1 % of its lifetime has passed', 9, false, (session) => session.get('a')],
      ['is sent again after 1 % of its lifetime', 10, true, (session) => session.get('a')],
      ['is sent again in its last second', 1000, true, (session) => session.get('a')],
      ['is not sent again unless it is read', 999, false, (session) => session.changed],
    ]
    for (const [label, seconds, sent, use] of rows) {
      it(label, (context) => {
        context.mock.timers.enable({ apis: ['Date'], now: start })
        const cookie = saved(new Session().set('a', 1))
        context.mock.timers.tick(seconds * 1000)
        const session = open(cookie, { maxAge })
        use(session)
        assert.equal(saved(session) !== '', sent)
      })
    }

    it('lives for its whole lifetime from then on', (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: start })
      let cookie = saved(new Session().set('a', 1))
      for (let round = 0; round < 3; round += 1) {
        context.mock.timers.tick(maxAge * 1000)
        const session = open(cookie, { maxAge })
        assert.equal(session.get('a'), 1)
        cookie = saved(session)
      }
      context.mock.timers.tick(maxAge * 1000 + 1000)
      assert.equal(open(cookie, { maxAge }).get('a'), undefined)
    })
  })

  it('makes the browser forget the cookie once it is cleared', () => {
    const session = open(cookieOf(new Session().set('a', 1)))
    session.clear()
    const response = new Response()
    new SessionCookies({ secret }).save(session, response)
    assert.match(response.headers.get('set-cookie') ?? '', /^session=; .*Max-Age=0/)
  })

  const forged: [label: string, forge: (cookie: string) => string][] = [
    ['a changed value', (cookie) => cookie.replace('=', '=x')],
    ['a changed signature', (cookie) => `${cookie.slice(0, -2)}AA`],
    ['no signature', (cookie) => cookie.slice(0, cookie.lastIndexOf('.'))],
    ['an empty signature', (cookie) => cookie.slice(0, cookie.lastIndexOf('.') + 1)],
    ['nonsense', () => 'session=%%%.%%%'],
    [
      "another cookie's value",
      () => cookieOf(new Session().set('user', 'eve'), { name: 'other' }).replace('other=', 'session='),
    ],
    [
      'a value signed with another secret',
      () => cookieOf(new Session().set('user', 'eve'), { secret: secret.toUpperCase() }),
    ],
  ]
  for (const [label, forge] of forged) {
    it(`is empty for ${label}`, () => {
      assert.equal(open(forge(cookieOf(new Session().set('user', 'ann')))).empty, true)
    })
  }

  it('is empty once it has expired', () => {
    assert.equal(open(cookieOf(new Session().set('a', 1), { maxAge: -1 })).empty, true)
  })

  it('survives the replacement of its secret', () => {
    const cookie = cookieOf(new Session().set('user', 'ann'))
    assert.equal(
      open(cookie, { secret: ['a new secret of more than thirty-two characters', secret] }).get('user'),
      'ann',
    )
  })

  it('takes __proto__ for a name like any other', () => {
    const session = new Session(JSON.parse('{"__proto__": {"polluted": true}}'))
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    assert.deepEqual(session.get('__proto__'), { polluted: true })
  })

  it('refuses to grow larger than a cookie', () => {
    assert.throws(() => cookieOf(new Session().set('a', 'x'.repeat(5000))), RangeError)
  })

  it('keeps what is flashed for the next request alone', () => {
    const next = open(cookieOf(new Session().flash('notice', 'saved').flash('more', 1)))
    assert.deepEqual([next.flashed('notice'), next.flashed('more')], ['saved', 1])
    assert.equal(next.changed, true)
    next.set('kept', 1)
    assert.equal(open(cookieOf(next)).flashed('notice'), undefined)
  })

  it('refuses a short secret', () => {
    assert.throws(() => new SessionCookies({ secret: 'short' }), /at least 32/)
  })
})

describe('whether a session was used', () => {
  const rows: [label: string, used: boolean, use: (session: Session) => unknown][] = [
    ['opening it is no use', false, () => undefined],
    ['asking whether it has changed is none', false, (session) => session.changed],
    ['reading is', true, (session) => session.get('a')],
    ['asking for a name is', true, (session) => session.has('a')],
    ['setting is', true, (session) => session.set('a', 1)],
    ['deleting is', true, (session) => session.delete('a')],
    ['clearing is', true, (session) => session.clear()],
    ['reading a message is', true, (session) => session.flashed('a')],
    ['leaving a message is', true, (session) => session.flash('a', 1)],
    ['asking whether it is empty is', true, (session) => session.empty],
    ['writing it out is', true, (session) => JSON.stringify(session)],
  ]
  for (const [label, used, use] of rows) {
    it(label, () => {
      const session = new Session({ a: 1 })
      use(session)
      assert.equal(session.used, used)
    })
  }
})
