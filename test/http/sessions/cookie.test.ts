import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, type SessionOptions } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { KINDS, secret, visitor } from './visiting.ts'

const other = 'another secret of more than thirty-two characters'

/** Creates an application with options whose types may be wrong. */
function appWith(session: object): FrameworkApp {
  const options: SessionOptions = { secret }
  return new FrameworkApp({ map: new Mapper(), controllers: {}, session: Object.assign(options, session) })
}

for (const [kind, options] of KINDS) {
  describe(`the cookie of a session ${kind}`, () => {
    const rows: [label: string, cookie: SessionOptions['cookie'], url: string, scriptName: string, expected: RegExp][] =
      [
        ['by default', undefined, '/', '', /^session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/],
        [
          'over https',
          undefined,
          'https://localhost/',
          '',
          /^session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ],
        ['under a mount point', undefined, '/wiki/', '/wiki', /; Path=\/wiki;/],
        ['of a mount point that is encoded', undefined, '/w%C3%BC/', '/wü', /; Path=\/w%C3%BC;/],
        ['of a mount point with a semicolon', undefined, '/a;b/', '/a;b', /; Path=\/;/],
        ['of a controller with path_info', undefined, '/wiki/below/x', '/wiki', /; Path=\/wiki;/],
        ['with a name', { name: 'sid' }, '/', '', /^sid=/],
        ['with a path', { path: '/all' }, '/wiki/', '/wiki', /; Path=\/all;/],
        ['with a domain', { domain: 'example.org' }, '/', '', /; Domain=example\.org;/],
        ['with sameSite', { sameSite: 'strict' }, '/', '', /; SameSite=Strict$/],
        ['that is never secure', { secure: false }, 'https://localhost/', '', /HttpOnly; SameSite=Lax$/],
        ['that is always secure', { secure: true }, '/', '', /HttpOnly; Secure; SameSite=Lax$/],
        ['with undefined attributes', Object({ secure: undefined }), 'https://localhost/', '', /; Secure;/],
        ['of other sites', { sameSite: 'none' }, '/', '', /; Secure; SameSite=None$/],
        ['with __Host-', { name: '__Host-sid' }, '/wiki/', '/wiki', /^__Host-sid=[\w.-]+; Path=\/; HttpOnly; Secure; /],
        ['with __Secure-', { name: '__Secure-sid' }, '/', '', /^__Secure-sid=[\w.-]+; Path=\/; HttpOnly; Secure; /],
        ['that is partitioned', { partitioned: true }, '/', '', /; Secure; Partitioned;/],
      ]
    for (const [label, cookie, url, scriptName, expected] of rows) {
      it(`has the attributes ${label}`, async () => {
        const { visit } = visitor({ ...options(), ...(cookie === undefined ? {} : { cookie }) })
        const { setCookie } = await visit((session) => void session.set('a', 1), { url, scriptName })
        assert.match(setCookie ?? '', expected)
      })
    }

    it('is deleted with the attributes with which it was set', async () => {
      const cookie = { name: 'sid', domain: 'example.org' }
      const { visit } = visitor({ ...options(), cookie })
      const place = { url: 'https://localhost/wiki/', scriptName: '/wiki' }
      await visit((session) => void session.set('a', 1), place)
      const { setCookie } = await visit((session) => session.destroy(), place)
      assert.match(
        setCookie ?? '',
        /^sid=; Max-Age=0; Domain=example\.org; Path=\/wiki; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      )
    })

    it('survives the replacement of its secret, and is then signed anew', async () => {
      const shared = options()
      const before = visitor({ ...shared, secret: other })
      await before.visit((session) => void session.set('user', 'ann'))
      const during = visitor({ ...shared, secret: [secret, other] })
      const { setCookie } = await during.visit((session) => String(session.get('user')), {
        cookie: before.cookie,
      })
      assert.match(setCookie ?? '', /^session=/)
      const after = visitor({ ...shared, secret })
      assert.equal(await after.ask((session) => session.get('user'), { cookie: during.cookie }), 'ann')
      assert.equal(await after.ask((session) => session.get('user'), { cookie: before.cookie }), undefined)
    })

    const forged: [label: string, forge: (cookie: string) => string][] = [
      ['a changed beginning', (cookie) => cookie.replace('=', '=x')],
      ['a changed end', (cookie) => cookie.slice(0, -2) + (cookie.endsWith('AA') ? 'BB' : 'AA')],
      ['no end', (cookie) => cookie.slice(0, -44)],
      ['no signature', (cookie) => cookie.slice(0, cookie.lastIndexOf('.') + 1)],
      ['a malformed value', () => 'session=%%%.%%%'],
      ['an empty value', () => 'session='],
      ['one dot', () => 'session=.'],
    ]
    for (const [label, forge] of forged) {
      it(`is not accepted with ${label}`, async () => {
        const browser = visitor(options())
        await browser.visit((session) => void session.set('user', 'ann'))
        const cookie = forge(browser.cookie)
        assert.equal(await browser.ask((session) => session.empty, { cookie }), true)
      })
    }

    it('compares the whole signature, wherever it differs', async (context) => {
      const browser = visitor(options())
      await browser.visit((session) => void session.set('user', 'ann'))
      const at = browser.cookie.lastIndexOf('.') + 1
      // An encrypted cookie has no signature of this code: Web Crypto authenticates it.
      if (browser.cookie.length - at !== 43) return
      const counts: number[] = []
      for (const changed of [at, browser.cookie.length - 2]) {
        const other = browser.cookie[changed] === 'A' ? 'B' : 'A'
        const cookie = browser.cookie.slice(0, changed) + other + browser.cookie.slice(changed + 1)
        const { mock } = context.mock.method(String.prototype, 'charCodeAt')
        assert.equal(await browser.ask((session) => session.empty, { cookie }), true)
        counts.push(mock.callCount())
        mock.restore()
      }
      assert.equal(counts[0], counts[1])
      assert.ok((counts[0] ?? 0) >= browser.cookie.length - at)
    })

    it("is not accepted with another cookie's value", async () => {
      const shared = options()
      const eve = visitor({ ...shared, cookie: { name: 'other' } })
      await eve.visit((session) => void session.set('user', 'eve'))
      const cookie = eve.cookie.replace('other=', 'session=')
      assert.equal(await visitor(shared).ask((session) => session.empty, { cookie }), true)
    })

    it('is not accepted with a value that was made with another secret', async () => {
      const shared = options()
      const eve = visitor({ ...shared, secret: other })
      await eve.visit((session) => void session.set('user', 'eve'))
      assert.equal(await visitor(shared).ask((session) => session.empty, { cookie: eve.cookie }), true)
    })
  })
}

describe('the values in a cookie', () => {
  it('are accepted until their time ends, although the session was destroyed', async () => {
    const browser = visitor()
    await browser.visit((session) => void session.set('user', 'ann'))
    const { cookie } = browser
    await browser.visit((session) => session.destroy())
    assert.equal(await browser.ask((session) => session.get('user')), undefined)
    assert.equal(await browser.ask((session) => session.get('user'), { cookie }), 'ann')
  })

  it('can be read by the visitor', async () => {
    const { visit } = visitor()
    const { setCookie } = await visit((session) => void session.set('user', 'ann'))
    assert.match(atob(/^session=([\w-]+)\./.exec(setCookie ?? '')?.[1] ?? ''), /"user":"ann"/)
  })

  it('cannot be read by the visitor if they are encrypted', async () => {
    const { visit } = visitor({ encrypt: true })
    const { setCookie = '' } = await visit((session) => void session.set('user', 'ann'))
    const [, value = ''] = /^session=([\w-]+);/.exec(setCookie) ?? []
    assert.ok(value.length > 60)
    assert.doesNotMatch(Buffer.from(value, 'base64url').toString('latin1'), /user|ann/)
  })

  it('are encrypted differently each time', async () => {
    const { visit } = visitor({ encrypt: true })
    const cookies = [1, 2].map(() => visit((session) => void session.set('a', 1), { cookie: null }))
    const [one, two] = await Promise.all(cookies)
    assert.notEqual(one?.setCookie, two?.setCookie)
  })

  for (const encrypt of [false, true]) {
    it(`are refused if they exceed the size of a cookie (encrypt: ${encrypt})`, async () => {
      await assert.rejects(
        visitor({ encrypt }).visit((session) => void session.set('a', 'x'.repeat(5000))),
        { name: 'RangeError', message: /a cookie holds 4096 at most\. Keep the values in a store/ },
      )
    })
  }

  const now = 1_000_000_000_000
  const rows: [label: string, seconds: number, sent: boolean, read: boolean][] = [
    ['are not sent again at once', 0, false, true],
    ['are not sent again before 1 % of the idle time has passed', 9, false, true],
    ['are sent again after 1 % of the idle time', 10, true, true],
    ['are sent again in the last second', 999, true, true],
    ['are not sent again unless they are read', 999, false, false],
  ]
  for (const [label, seconds, sent, read] of rows) {
    it(label, async (context) => {
      context.mock.timers.enable({ apis: ['Date'], now })
      const { visit } = visitor({ idle: 1000 })
      await visit((session) => void session.set('a', 1))
      context.mock.timers.tick(seconds * 1000)
      const { setCookie } = await visit((session) => void (read && session.get('a')))
      assert.equal(setCookie !== undefined, sent)
    })
  }
})

describe('the options of sessions', () => {
  const refused: [label: string, options: object, message: RegExp][] = [
    ['a short secret', { secret: 'short' }, /at least 32 characters\. Generate one/],
    ['a short secret in a list', { secret: [secret, 'short'] }, /at least 32/],
    ['no secret', { secret: undefined }, /at least 32/],
    ['an empty list of secrets', { secret: [] }, /at least 32/],
    ['maxAge', { maxAge: 60 }, /session\.maxAge is not an option\. Use idle: seconds/],
    ['name', { name: 'sid' }, /session\.name is not an option\. Use cookie: \{ name: 'session' \}/],
    ['a name instead of cookie', { cookie: 'sid' }, /session\.cookie is "sid"\. Give .*cookie: \{ name: 'sid' \}/],
    ['null as cookie', { cookie: null }, /session\.cookie is null/],
    ['a misspelt option', { lifetme: 60 }, /session\.lifetme is not an option\. Use lifetime\./],
    ['an unknown option', { redis: 'x' }, /Options are secret, store, idle, lifetime/],
    ['idle of 0', { idle: 0 }, /session\.idle is 0\. Give a number above 0/],
    ['idle as text', { idle: '30m' }, /session\.idle is "30m"/],
    ['a negative lifetime', { lifetime: -1 }, /session\.lifetime is -1/],
    ['maxBytes of NaN', { store: memoryStore(), maxBytes: Number.NaN }, /session\.maxBytes is NaN/],
    ['a store that lacks one', { store: { get() {}, set() {} } }, /session\.store has no delete/],
    ['encrypt with a store', { store: memoryStore(), encrypt: true }, /session\.encrypt is for values in the cookie/],
    ['cookie.maxAge', { cookie: { maxAge: 60 } }, /session\.cookie\.maxAge is not an option\. Use session\.remember/],
    [
      'a misspelt attribute',
      { cookie: { samesite: 'lax' } },
      /session\.cookie\.samesite is not an option\. Use sameSite/,
    ],
    ['a malformed name', { cookie: { name: 'a b' } }, /session\.cookie cannot be sent: .*name is invalid/],
    ['a malformed domain', { cookie: { domain: 'a;b' } }, /session\.cookie cannot be sent: .*domain is invalid/],
    ['a malformed path', { cookie: { path: '/;x' } }, /session\.cookie cannot be sent: .*path is invalid/],
    ['a malformed sameSite', { cookie: { sameSite: 'lux' } }, /session\.cookie cannot be sent: .*sameSite/],
    ['__Host- with a domain', { cookie: { name: '__Host-s', domain: 'a.org' } }, /must not have a Domain/],
    ['__Host- with a path', { cookie: { name: '__Host-s', path: '/a' } }, /must have Path=\//],
    ['__Host- without secure', { cookie: { name: '__Host-s', secure: false } }, /browsers require Secure/],
    ['__Secure- without secure', { cookie: { name: '__Secure-s', secure: false } }, /browsers require Secure/],
    ['SameSite=None without secure', { cookie: { sameSite: 'none', secure: false } }, /browsers require Secure/],
  ]
  for (const [label, options, message] of refused) {
    it(`may not have ${label}`, () => assert.throws(() => appWith(options), message))
  }
})
