import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { ADMIN_PASSWORD, BROWSER, Client, describeWiki } from './wiki.ts'

const PASSWORD = 'correct horse'

describeWiki('users of the wiki', (wiki) => {
  const browser = () => new Client(wiki(), { accept: BROWSER })
  const program = (basic: string, address?: string) =>
    new Client(wiki(), { accept: 'application/json', basic, ...(address && { address }) })

  before(async () => {
    await Client.user(wiki(), 'ann')
  })

  describe('POST /register', () => {
    for (const [name, password, status, field] of [
      ['Ab', '12345678', 303, undefined],
      [`a${'b'.repeat(31)}`, 'x'.repeat(1024), 303, undefined],
      ['a', PASSWORD, 400, 'name'],
      [`a${'b'.repeat(32)}`, PASSWORD, 400, 'name'],
      ['1a', PASSWORD, 400, 'name'],
      ['a.b', PASSWORD, 400, 'name'],
      ['ab\n', PASSWORD, 400, 'name'],
      ['ok-1', '1234567', 400, 'password'],
      ['ok-2', 'x'.repeat(1025), 400, 'password'],
      ['ann', PASSWORD, 409, 'name'],
      ['ANN', PASSWORD, 409, 'name'],
    ] as const) {
      it(`answers ${status} to ${name.slice(0, 8)} with ${password.length} characters`, async () => {
        const { status: actual, json } = await new Client(wiki(), { accept: 'application/json' }).post('/register', {
          name,
          password,
        })
        assert.equal(actual, status)
        if (field !== undefined) assert.equal(json.errors[0].name, field)
      })
    }

    it('signs in, and gives a browser its form back', async () => {
      const visitor = browser()
      const refused = await visitor.post('/register', { name: 'x', password: 'secret word' })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /value="x"/)
      assert.doesNotMatch(refused.text, /secret word/)
      assert.equal((await visitor.post('/register', { name: 'carl', password: PASSWORD })).status, 303)
      assert.match((await visitor.get('/page')).text, /Sign out carl/)
    })
  })

  describe('POST /login', () => {
    it('answers wrong names and passwords with the same page', async () => {
      const [wrongName, wrongPassword] = await Promise.all(
        ['nobody', 'ann'].map((name) => browser().post('/login', { name, password: 'wrong' })),
      )
      assert.deepEqual([wrongName?.status, wrongPassword?.status], [401, 401])
      assert.match(wrongName?.text ?? '', /role="alert">Wrong name or password/)
      assert.equal(wrongName?.text.replaceAll('nobody', 'ann'), wrongPassword?.text)
    })

    for (const [next, location] of [
      ['/page/%C3%BC?x=1', '/page/%C3%BC?x=1'],
      ['', '/'],
      ['page', '/'],
      ['https://evil.example/', '/'],
      ['//evil.example/', '/'],
      ['/\\evil.example/', '/'],
      ['/\t/evil.example/', '/'],
      ['/./\\/evil.example/', '/'],
      ['javascript:alert(1)', '/'],
    ] as const) {
      it(`leads to ${location} for next=${JSON.stringify(next)}`, async () => {
        const { status, headers } = await browser().post('/login', { name: 'Ann', password: PASSWORD, next })
        assert.deepEqual([status, headers.get('location')], [303, location])
      })
    }

    it('keeps the cookie for 30 days if the box is checked, and otherwise until the browser is closed', async () => {
      const fields = { name: 'ann', password: PASSWORD }
      const cookieOf = async (body: object, headers = {}) =>
        (await browser().post('/login', body, headers)).headers.get('set-cookie') ?? ''
      assert.doesNotMatch(await cookieOf(fields), /Max-Age|Expires/i)
      assert.match(await cookieOf({ ...fields, remember: 'on' }), /Max-Age=2592000/i)
      assert.match(await cookieOf(fields), /HttpOnly/i)
      assert.match(await cookieOf(fields), /SameSite=Lax/i)
      assert.doesNotMatch(await cookieOf(fields), /Secure/i)
      assert.match(await cookieOf(fields, { 'x-forwarded-proto': 'https' }), /Secure/i)
    })

    it('gives the session a new id', async () => {
      const visitor = await Client.signedIn(wiki(), 'ann', PASSWORD)
      const old = new Map(visitor.cookies)
      await visitor.post('/login', { name: 'ann', password: PASSWORD })
      assert.notDeepEqual(visitor.cookies, old)
      const thief = browser()
      for (const [name, value] of old) thief.cookies.set(name, value)
      assert.match((await thief.get('/page')).text, /Sign in/)
    })
  })

  it('POST /logout ends the session on the server', async () => {
    const visitor = await Client.signedIn(wiki(), 'ann', PASSWORD)
    const thief = browser()
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
    assert.match((await thief.get('/page')).text, /Sign out ann/)
    const { status, headers } = await visitor.post('/logout', {})
    assert.deepEqual([status, headers.get('location')], [303, '/'])
    assert.match((await thief.get('/page')).text, /Sign in/)
  })

  it('POST /logout without a session makes none', async () => {
    const { status, headers } = await browser().post('/logout', {})
    assert.deepEqual([status, headers.get('set-cookie')], [303, null])
  })

  it('a program that has signed in is still asked for the right password, and for an account', async () => {
    await Client.user(wiki(), 'basic')
    for (const [basic, status] of [
      [`basic:${PASSWORD}`, 200],
      [`basic:${PASSWORD}`, 200],
      ['basic:another horse', 401],
      [`nobody:${PASSWORD}`, 401],
      [`basic:${PASSWORD}`, 200],
    ] as const) {
      assert.equal((await program(basic).get('/page')).status, status)
    }
    const admin = await Client.signedIn(wiki())
    await admin.delete('/admin/users/basic')
    assert.equal((await program(`basic:${PASSWORD}`).get('/page')).status, 401)
  })

  describe('after ten failures', () => {
    it('every attempt for the name is 429, by form and by Basic', async () => {
      // Redis keeps the counts of earlier runs.
      const name = `locked${randomInt(1e9)}`
      await Client.user(wiki(), name)
      for (let failure = 0; failure < 10; failure++) {
        const { status } = await browser().post('/login', { name: name.toUpperCase(), password: 'wrong' })
        assert.equal(status, 401)
      }
      const { status, headers } = await browser().post('/login', { name, password: PASSWORD })
      assert.equal(status, 429)
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d?$/)
      assert.equal((await program(`${name.toUpperCase()}:${PASSWORD}`).get('/page')).status, 429)
      assert.equal((await program(`ann:${PASSWORD}`).get('/page')).status, 200)
    })

    it('every attempt from the address is 429', async () => {
      const address = `198.18.${randomInt(256)}.${randomInt(256)}`
      for (let failure = 0; failure < 10; failure++) {
        assert.equal((await program(`nobody${failure}:wrong`, address).get('/page')).status, 401)
      }
      const own = new Client(wiki(), { accept: BROWSER, address })
      assert.equal((await own.post('/login', { name: 'ann', password: PASSWORD })).status, 429)
      assert.equal((await program(`ann:${PASSWORD}`, address).get('/page')).status, 429)
      assert.equal((await own.get('/page')).status, 200)
    })

    it('successes do not count', async () => {
      const client = program(`ann:${PASSWORD}`, '192.0.2.8')
      for (let success = 0; success < 11; success++) assert.equal((await client.get('/page')).status, 200)
    })
  })

  describe('/admin/users', () => {
    it('is for admins', async () => {
      assert.equal((await program(`ann:${PASSWORD}`).get('/admin/users')).status, 403)
      const { users } = (await program(`admin:${ADMIN_PASSWORD}`).get('/admin/users')).json
      assert.ok(users.some(({ name, role }: Record<string, string>) => name === 'admin' && role === 'admin'))
      assert.doesNotMatch(JSON.stringify(users), /scrypt/)
    })

    it('DELETE removes a user and ends the sessions', async () => {
      const visitor = await Client.user(wiki(), 'leaving')
      const admin = program(`admin:${ADMIN_PASSWORD}`)
      assert.equal((await program(`ann:${PASSWORD}`).delete('/admin/users/leaving')).status, 403)
      assert.equal((await admin.delete('/admin/users/Leaving')).status, 204)
      assert.equal((await visitor.post('/page', { title: 'x', content: '' })).status, 401)
      assert.equal((await admin.delete('/admin/users/leaving')).status, 404)
      await Client.user(wiki(), 'leaving')
      assert.equal((await visitor.post('/page', { title: 'x', content: '' })).status, 401)
    })

    it('leads a browser back to the users', async () => {
      await Client.user(wiki(), 'removed')
      const admin = await Client.signedIn(wiki())
      const { status, headers } = await admin.post('/admin/users/removed', { _method: 'DELETE' })
      assert.deepEqual([status, headers.get('location')], [303, '/admin/users'])
    })
  })

  describe('a request from another site', () => {
    for (const [headers, status] of [
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 303],
      [{}, 303],
    ] as const) {
      it(`is ${status} with ${JSON.stringify(headers)}`, async () => {
        assert.equal((await browser().post('/logout', {}, headers)).status, status)
      })
    }
  })
})
