import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { database } from '../../config/database.ts'
import { createToken } from '../../model/tokens.ts'
import { skip } from '../database.ts'
import { browser, nextMail, signedIn, someone } from '../users.ts'

/** A new password. */
const password = 'another horse'

function rowOf(name: string) {
  return database.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
}

/** Asks for a link and returns its token. */
async function tokenFor(email: string): Promise<string> {
  const mail = nextMail()
  await browser().post('/password/forgot', { email })
  return /token=([\w-]+)/.exec((await mail).text)?.[1] ?? ''
}

describe('register', { skip }, () => {
  test('creates a user, who is signed in, and stores no password', async () => {
    const [client, user] = [browser(), someone()]
    const form = (await client.get('/register')).form()
    await form.fill(user).submit(undefined, { status: 303 })
    assert.ok((await client.get('/account')).text.includes(user.email))
    assert.match((await rowOf(user.name)).password, /^\$scrypt\$/)
  })

  for (const [field, value, message] of [
    ['name', '1st', /begin with a letter/],
    ['email', 'nobody', /e-mail/],
    ['password', 'short', /8 to 1,024/],
  ] as const) {
    test(`shows the error beside ${field}`, async () => {
      const page = await browser().post('/register', { ...someone(), [field]: value }, { status: 400 })
      assert.match(page.html.find(`#${field}-error`)?.text ?? '', message)
    })
  }

  for (const field of ['name', 'email'] as const) {
    test(`refuses a taken ${field} in any case`, async () => {
      const { user } = await signedIn()
      const fields = { ...someone(), [field]: user[field].toUpperCase() }
      const page = await browser().post('/register', fields, { status: 409 })
      assert.equal(page.html.find(`#${field}-error`)?.text.trim(), 'is taken')
      assert.equal(page.form().get('name'), fields.name)
    })
  }

  test('creates one user of two requests at the same time', async () => {
    const user = someone()
    const responses = await Promise.all([user, user].map((fields) => browser().post('/register', fields)))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 409])
  })
})

describe('the address', { skip }, () => {
  const confirmed = async (name: string) => (await rowOf(name)).confirmed

  test('is confirmed by the link of the mail, once', async () => {
    const mail = nextMail()
    const { user } = await signedIn()
    const { to, text } = await mail
    assert.equal(to, user.email)
    const path = /\/register\/confirm\?token=[\w-]+/.exec(text)?.[0] ?? ''
    const form = (await browser().get(path)).form('/register/confirm')
    assert.equal(await confirmed(user.name), 0)
    await form.submit(undefined, { status: 303 })
    assert.equal(await confirmed(user.name), 1)
    await form.submit(undefined, { status: 400 })
  })

  test('is asked for again on the page of the account', async () => {
    const { client } = await signedIn()
    const mail = nextMail()
    await (await client.get('/account')).form('/account/confirm').submit(undefined, { status: 303 })
    assert.match((await mail).text, /confirm\?token=/)
    await browser().post('/account/confirm', {}, { status: 303 })
  })

  test('is not confirmed by a wrong token, or one for a password', async () => {
    const { user } = await signedIn()
    const reset = await createToken('reset', user)
    for (const token of ['', 'x', reset?.token ?? ''])
      await browser().post('/register/confirm', { token }, { status: 400 })
    assert.equal(await confirmed(user.name), 0)
  })
})

describe('login', { skip }, () => {
  test('signs in with a new session, and out', async () => {
    const { user } = await signedIn()
    const client = browser()
    await client.post('/login', user, { status: 303 })
    await client.get('/account', { status: 200 })
    const cookie = `session=${client.cookies.get('session')}`
    await client.post('/logout', {}, { status: 303 })
    await client.get('/account', { status: 303 })
    // A copy of the old cookie is worth nothing.
    await browser().get('/account', { headers: { cookie }, status: 303 })
  })

  test('takes the e-mail address in place of the name', async () => {
    const { user } = await signedIn()
    await browser().post('/login', { ...user, name: user.email.toUpperCase() }, { status: 303 })
  })

  test('answers a wrong name and a wrong password with the same page', async () => {
    const { user } = await signedIn()
    const pages = []
    for (const name of [user.name, 'nobody']) {
      const page = await browser().post('/login', { name, password: 'wrong' }, { status: 401 })
      pages.push(page.text.replaceAll(name, ''))
    }
    assert.equal(pages[0], pages[1])
    assert.match(pages[0] ?? '', /Wrong name or password/)
    assert.doesNotMatch(pages[0] ?? '', /value="wrong"/)
  })

  test('refuses an address after ten failures, and never the right password from another one', async () => {
    const { user } = await signedIn()
    const client = browser()
    for (let n = 0; n < 10; n++) await client.post('/login', { ...user, password: 'x' }, { status: 401 })
    const refused = await client.post('/login', { ...user, name: user.name.toUpperCase() }, { status: 429 })
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    await browser().post('/login', user, { status: 303 })
  })

  test('replaces a hash that costs too little to guess', async () => {
    const { user } = await signedIn()
    const hash = scryptSync(user.password, 'salt', 32, { N: 2, r: 8, p: 1 }).toString('base64')
    const weak = `$scrypt$ln=1,r=8,p=1$c2FsdA$${hash.replaceAll('=', '')}`
    await database.updateTable('users').set({ password: weak }).where('name', '=', user.name).execute()
    await browser().post('/login', { ...user, password: 'wrong' }, { status: 401 })
    assert.equal((await rowOf(user.name)).password, weak)
    await browser().post('/login', user, { status: 303 })
    const strong = (await rowOf(user.name)).password
    assert.match(strong, /^\$scrypt\$ln=4,/)
    await browser().post('/login', user, { status: 303 })
    assert.equal((await rowOf(user.name)).password, strong)
  })

  test('gives a visitor who signs out without being signed in no session', async () => {
    assert.equal((await browser().post('/logout', {}, { status: 303 })).headers.get('set-cookie'), null)
  })

  test('returns to the page that required a user, but not to another site', async () => {
    const [{ user }, client] = [await signedIn(), browser()]
    const page = await (await client.get('/account?tab=1', { status: 303 })).follow()
    const response = await page.form().fill({ name: user.name, password: user.password }).submit()
    assert.match(response.headers.get('location') ?? '', /\/account\?tab=1$/)
    const { headers } = await browser().post('/login', { ...user, next: '//evil.example/' })
    assert.equal(new URL(headers.get('location') ?? '', 'http://localhost').href, 'http://localhost/')
  })

  for (const [remember, cookie] of [
    ['', /^(?!.*max-age)/i],
    ['on', /max-age=2592000/i],
  ] as const) {
    test(`keeps a session with remember=${remember}`, async () => {
      const { user } = await signedIn()
      const { headers } = await browser().post('/login', { ...user, remember }, { status: 303 })
      assert.match(headers.get('set-cookie') ?? '', cookie)
    })
  }
})

describe('reset', { skip }, () => {
  test('sets a password once, and ends the sessions of the user', async () => {
    const { user, client } = await signedIn()
    const token = await tokenFor(user.email)
    const form = (await browser().get(`/password/reset?token=${token}`)).form()
    await form.set('password', password).submit(undefined, { status: 303 })
    await client.get('/account', { status: 303 })
    await browser().post('/login', user, { status: 401 })
    await browser().post('/login', { ...user, password }, { status: 303 })
    await browser().post('/password/reset', { token, password: 'third horse' }, { status: 400 })
  })

  for (const [title, spell] of [
    ['in capitals', (email: string) => email.toUpperCase()],
    // The Kelvin sign, which is k in lower case: its mailbox can be another person's.
    ['with another k', (email: string) => email.replace('k', '\u212a')],
  ] as const) {
    test(`sends the link to the stored address if it is typed ${title}`, async () => {
      const user = { ...someone(), email: `k-${someone().email}` }
      await browser().post('/register', user, { status: 303 })
      const mail = nextMail()
      await browser().post('/password/forgot', { email: spell(user.email) })
      assert.equal((await mail).to, user.email)
    })
  }

  test('sends a user at most three links, of concurrent requests too', async () => {
    const { email } = (await signedIn()).user
    const tokens = await Promise.all(Array.from({ length: 20 }, () => createToken('reset', { email })))
    assert.equal(tokens.filter((token) => token !== undefined).length, 3)
  })

  test('answers the same whether the address is known or not', async () => {
    const { email } = (await signedIn()).user
    const mail = nextMail()
    const locations = []
    for (const address of [email, 'nobody@example.com']) {
      const { headers } = await browser().post('/password/forgot', { email: address }, { status: 303 })
      locations.push(headers.get('location'))
    }
    assert.equal(locations[0], locations[1])
    // The response does not wait for it, and the next test would take it for its own.
    assert.equal((await mail).to, email)
  })

  test('refuses a token whose time has passed, and stores no token', async () => {
    const { email } = (await signedIn()).user
    const token = await tokenFor(email)
    const rows = await database.selectFrom('tokens').select('hash').execute()
    assert.ok(rows.length > 0 && rows.every(({ hash }) => !hash.includes(token)))
    await database.updateTable('tokens').set({ expires: 1 }).where('kind', '=', 'reset').execute()
    const page = await browser().post('/password/reset', { token, password }, { status: 400 })
    assert.match(page.text, /too old/)
  })
})
