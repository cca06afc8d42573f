import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { TestApp } from 'propylon/testing'
import { database } from '../../config/database.ts'
import { type Mail, mailer } from '../../lib/mail.ts'
import { createToken } from '../../model/tokens.ts'
import { skip } from '../database.ts'
import { browser, PAGE, registered, someone } from '../users.ts'

function rowOf(name: string) {
  return database.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
}

async function isSignedIn(client: TestApp): Promise<boolean> {
  return (await client.get('/account', PAGE)).status === 200
}

/** Resolves to the next mail. */
function nextMail(): Promise<Mail> {
  return new Promise((resolve) => {
    mailer.send = async (mail) => resolve(mail)
  })
}

/** Asks for a link and returns its token. */
async function tokenFor(email: string): Promise<string> {
  const mail = nextMail()
  await browser().post('/password/forgot', { email })
  return /token=([\w-]+)/.exec((await mail).text)?.[1] ?? ''
}

describe('register', { skip }, () => {
  test('creates a user, who is signed in', async () => {
    const client = browser()
    const form = (await client.get('/register', PAGE)).form()
    const user = someone()
    const response = await form.fill(user).submit()
    assert.equal(response.status, 303)
    assert.ok((await client.get('/account', PAGE)).text.includes(user.email))
  })

  const wrong: [field: string, value: string, message: RegExp][] = [
    ['name', '1st', /begin with a letter/],
    ['email', 'nobody', /e-mail/],
    ['password', 'short', /8 to 1,024/],
  ]
  for (const [field, value, message] of wrong) {
    test(`shows the error beside ${field}`, async () => {
      const response = await browser().post('/register', { ...someone(), [field]: value }, PAGE)
      assert.equal(response.status, 400)
      assert.match(response.html.find(`#${field}-error`)?.text ?? '', message)
    })
  }

  test('refuses a name and an address that are taken, in any case', async () => {
    const user = await registered()
    const sameName = { ...someone(), name: user.name.toUpperCase() }
    const sameEmail = { ...someone(), email: user.email.toUpperCase() }
    for (const [field, fields] of Object.entries({ name: sameName, email: sameEmail })) {
      const response = await browser().post('/register', fields, PAGE)
      assert.equal(response.status, 409)
      assert.equal(response.html.find(`#${field}-error`)?.text.trim(), 'is taken')
      assert.equal(response.form().get('name'), fields.name)
    }
  })

  test('creates one user of two requests at the same time', async () => {
    const user = someone()
    const responses = await Promise.all([
      browser().post('/register', user),
      browser().post('/register', user),
    ])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 409])
  })

  test('stores no password', async () => {
    const { name } = await registered()
    assert.match((await rowOf(name)).password, /^\$scrypt\$/)
  })
})

describe('the address', { skip }, () => {
  const confirmed = async (name: string) => (await rowOf(name)).confirmed

  test('is confirmed by the link of the mail, once', async () => {
    const [mail, user, client] = [nextMail(), someone(), browser()]
    await client.post('/register', user)
    assert.equal(await confirmed(user.name), 0)
    const { to, text } = await mail
    assert.equal(to, user.email)
    const path = /\/register\/confirm\?token=[\w-]+/.exec(text)?.[0] ?? ''
    const form = (await browser().get(path, PAGE)).form('/register/confirm')
    assert.equal(await confirmed(user.name), 0)
    assert.equal((await form.submit()).status, 303)
    assert.equal(await confirmed(user.name), 1)
    assert.equal((await form.submit()).status, 400)
  })

  test('is asked for again on the page of the account', async () => {
    const client = browser()
    const first = nextMail()
    await client.post('/register', someone())
    await first
    const mail = nextMail()
    const form = (await client.get('/account', PAGE)).form('/account/confirm')
    assert.equal((await form.submit()).status, 303)
    assert.match((await mail).text, /confirm\?token=/)
    assert.equal((await browser().post('/account/confirm', {})).status, 303)
  })

  test('is not confirmed by a wrong token, or one for a password', async () => {
    const user = await registered()
    const reset = await createToken('reset', user)
    for (const token of ['', 'x', reset?.token ?? ''])
      assert.equal((await browser().post('/register/confirm', { token })).status, 400)
    assert.equal(await confirmed(user.name), 0)
  })
})

describe('login', { skip }, () => {
  test('signs in with a new session, and out', async () => {
    const user = await registered()
    const client = browser()
    await client.post('/login', { name: 'nobody', password: 'wrong' })
    const response = await client.post('/login', user)
    assert.equal(response.status, 303)
    assert.equal(await isSignedIn(client), true)
    const cookie = client.cookies.get('session')
    assert.equal((await client.post('/logout')).status, 303)
    assert.equal(await isSignedIn(client), false)
    // A copy of the old cookie is worth nothing.
    const thief = browser()
    const stolen = await thief.get('/account', {
      headers: { accept: 'text/html', cookie: `session=${cookie}` },
    })
    assert.equal(stolen.status, 303)
  })

  test('takes the e-mail address in place of the name', async () => {
    const { email, password } = await registered()
    const client = browser()
    assert.equal((await client.post('/login', { name: email.toUpperCase(), password })).status, 303)
    assert.equal(await isSignedIn(client), true)
  })

  test('answers a wrong name and a wrong password with the same page', async () => {
    const { name } = await registered()
    const pages = []
    for (const typed of [name, 'nobody']) {
      const response = await browser().post('/login', { name: typed, password: 'wrong' }, PAGE)
      assert.equal(response.status, 401)
      pages.push(response.text.replaceAll(typed, ''))
    }
    assert.equal(pages[0], pages[1])
    assert.match(pages[0] ?? '', /Wrong name or password/)
    assert.doesNotMatch(pages[0] ?? '', /value="wrong"/)
  })

  test('refuses an address after ten failures, and never the right password from another one', async () => {
    const user = await registered()
    const client = browser()
    for (let attempt = 0; attempt < 10; attempt++)
      assert.equal((await client.post('/login', { ...user, password: 'x' })).status, 401)
    const response = await client.post('/login', { ...user, name: user.name.toUpperCase() })
    assert.equal(response.status, 429)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
    assert.equal((await browser().post('/login', user)).status, 303)
  })

  test('replaces a hash that costs too little to guess', async () => {
    const user = await registered()
    const { password } = await rowOf(user.name)
    assert.equal((await browser().post('/login', user)).status, 303)
    assert.equal((await rowOf(user.name)).password, password)
    const hash = scryptSync(user.password, 'salt', 32, { N: 2, r: 8, p: 1 })
    const weak = `$scrypt$ln=1,r=8,p=1$c2FsdA$${hash.toString('base64').replaceAll('=', '')}`
    await database.updateTable('users').set({ password: weak }).where('name', '=', user.name).execute()
    assert.equal((await browser().post('/login', { ...user, password: 'wrong' })).status, 401)
    assert.equal((await rowOf(user.name)).password, weak)
    assert.equal((await browser().post('/login', user)).status, 303)
    assert.match((await rowOf(user.name)).password, /^\$scrypt\$ln=4,/)
    assert.equal((await browser().post('/login', user)).status, 303)
  })

  test('gives a visitor who signs out without being signed in no session', async () => {
    const response = await browser().post('/logout')
    assert.deepEqual([response.status, response.headers.get('set-cookie')], [303, null])
  })

  test('returns to the page that required a user', async () => {
    const user = await registered()
    const client = browser()
    const refused = await client.get('/account?tab=1', PAGE)
    assert.equal(refused.status, 303)
    const form = (await refused.follow()).form()
    const response = await form.fill({ name: user.name, password: user.password }).submit()
    assert.match(response.headers.get('location') ?? '', /\/account\?tab=1$/)
  })

  test('is remembered only on request', async () => {
    const user = await registered()
    const cookieOf = async (fields: object) =>
      (await browser().post('/login', { ...user, ...fields })).headers.get('set-cookie') ?? ''
    assert.doesNotMatch(await cookieOf({}), /max-age|expires/i)
    assert.match(await cookieOf({ remember: 'on' }), /max-age=2592000|expires/i)
  })

  test('a program without a user receives 401', async () => {
    const response = await browser().get('/account', { headers: { accept: 'application/json' } })
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
  })
})

describe('reset', { skip }, () => {
  test('sets a password once, and ends the sessions of the user', async () => {
    const user = await registered()
    const client = browser()
    await client.post('/login', user)
    const token = await tokenFor(user.email)
    const form = (await browser().get(`/password/reset?token=${token}`, PAGE)).form()
    assert.equal((await form.set('password', 'another horse').submit()).status, 303)
    assert.equal(await isSignedIn(client), false)
    assert.equal((await browser().post('/login', user)).status, 401)
    assert.equal((await browser().post('/login', { ...user, password: 'another horse' })).status, 303)
    const again = await browser().post('/password/reset', { token, password: 'third horse' })
    assert.equal(again.status, 400)
  })

  for (const [title, spell] of [
    ['in capitals', (email: string) => email.toUpperCase()],
    // The Kelvin sign, which is k in lower case: its mailbox can be another person's.
    ['with another k', (email: string) => email.replace('k', '\u212a')],
  ] as const) {
    test(`sends the link to the stored address if it is typed ${title}`, async () => {
      const user = { ...someone(), email: `k-${someone().email}` }
      await browser().post('/register', user)
      const mail = nextMail()
      await browser().post('/password/forgot', { email: spell(user.email) })
      assert.equal((await mail).to, user.email)
    })
  }

  test('sends a user at most three links', async () => {
    const { email } = await registered()
    const tokens = new Set<string>()
    for (let link = 0; link < 3; link++) tokens.add(await tokenFor(email))
    assert.equal(tokens.size, 3)
    assert.equal(await createToken('reset', { email }), undefined)
  })

  test('sends a user at most three links of concurrent requests', async () => {
    const { email } = await registered()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => createToken('reset', { email })))
    assert.equal(tokens.filter((token) => token !== undefined).length, 3)
  })

  test('answers the same whether the address is known or not', async () => {
    const { email } = await registered()
    const mail = nextMail()
    const locations = []
    for (const address of [email, 'nobody@example.com']) {
      const response = await browser().post('/password/forgot', { email: address })
      assert.equal(response.status, 303)
      locations.push(response.headers.get('location'))
    }
    assert.equal(locations[0], locations[1])
    // The response does not wait for it, and the next test would take it for its own.
    assert.equal((await mail).to, email)
  })

  test('refuses a token whose time has passed, and stores no token', async () => {
    const { name, email } = await registered()
    const token = await tokenFor(email)
    const rows = await database.selectFrom('tokens').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.ok(rows.every(({ hash }) => !hash.includes(token)))
    const { id } = await rowOf(name)
    await database.updateTable('tokens').set({ expires: 1 }).where('user_id', '=', id).execute()
    const response = await browser().post('/password/reset', { token, password: 'another horse' }, PAGE)
    assert.equal(response.status, 400)
    assert.match(response.text, /too old/)
  })
})

describe('the path after signing in', () => {
  test('is not one of another site', { skip }, async () => {
    const response = await browser().post('/login', { ...(await registered()), next: '//evil.example/' })
    assert.equal(
      new URL(response.headers.get('location') ?? '', 'http://localhost').href,
      'http://localhost/',
    )
  })
})
