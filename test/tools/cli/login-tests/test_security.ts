// Tests that are copied into a created project with a login: races, hashes, guesses, and what a response gives away.
import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { TestApp } from 'propylon/testing'
import { database } from '../../config/database.ts'
import { createToken, resetPassword } from '../../model/tokens.ts'
import { setRole } from '../../model/users.ts'
import { skip } from '../database.ts'
import { browser, nextMail, signedIn, someone } from '../users.ts'

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

/** Signs in and creates a token by the form. */
async function withToken() {
  const { user, client } = await signedIn()
  const page = await client.post('/account/tokens', { name: 'my script' }, { status: 200 })
  assert.equal(page.headers.get('cache-control'), 'no-store')
  return { user, client, token: page.html.find('#token')?.text ?? '' }
}

function bearer(token: string, status: number) {
  return { headers: { accept: 'application/json', authorization: `Bearer ${token}` }, status }
}

describe('register', { skip }, () => {
  test('stores no password', async () => {
    const { user } = await signedIn()
    assert.match((await rowOf(user.name)).password, /^\$scrypt\$/)
  })

  test('shows a taken name again, with the reason', async () => {
    const { user } = await signedIn()
    const page = await browser().post('/register', { ...someone(), name: user.name }, { status: 409 })
    assert.equal(page.html.find('#name-error')?.text.trim(), 'is taken')
    assert.equal(page.form().get('name'), user.name)
  })

  test('creates one user of two requests at the same time', async () => {
    const user = someone()
    const responses = await Promise.all([user, user].map((fields) => browser().post('/register', fields)))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 409])
  })
})

describe('the address', { skip }, () => {
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
      await browser().post(`/register/confirm?token=${token}`, {}, { status: 400 })
    assert.equal((await rowOf(user.name)).confirmed, 0)
  })

  test('is confirmed by no GET', async () => {
    const { user } = await signedIn()
    const { token } = (await createToken('confirm', user)) ?? {}
    await browser().get(`/register/confirm?token=${token}`, { status: 200 })
    await browser().get(`/login/accept?token=${token}`, { status: 405 })
    assert.equal((await rowOf(user.name)).confirmed, 0)
  })
})

describe('login', { skip }, () => {
  test('answers a wrong name and a wrong password with the same page', async () => {
    const { user } = await signedIn()
    const pageFor = async (name: string) => {
      const page = await browser().post('/login', { name, password: 'wrong' }, { status: 401 })
      return page.mustContain('Wrong name or password').mustNotContain('value="wrong"').text.replaceAll(name, '')
    }
    assert.equal(await pageFor(user.name), await pageFor('nobody'))
  })

  test('refuses an address after ten failures, whatever the case of the name', async () => {
    const { user } = await signedIn()
    const client = browser()
    for (let n = 0; n < 10; n++) await client.post('/login', { ...user, password: 'x' }, { status: 401 })
    const refused = await client.post('/login', { ...user, name: user.name.toUpperCase() }, { status: 429 })
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  })

  test('refuses an address after thirty forms', async () => {
    const { user } = await signedIn()
    const client = browser()
    for (let n = 0; n < 30; n++) await client.post('/login', user, { status: 303 })
    await client.post('/login', user, { status: 429 })
    await client.post('/password/forgot', { email: user.email }, { status: 429 })
  })

  test('replaces a hash that costs too little to guess', async () => {
    const { user } = await signedIn()
    const hash = scryptSync(user.password, 'salt', 32, { N: 2, r: 8, p: 1 }).toString('base64')
    const weak = `$scrypt$ln=1,r=8,p=1$c2FsdA$${hash.replaceAll('=', '')}`
    await database.updateTable('users').set({ password: weak }).where('name', '=', user.name).execute()
    await browser().post('/login', { ...user, password: 'wrong' }, { status: 401 })
    assert.equal((await rowOf(user.name)).password, weak)
    await browser().post('/login', user, { status: 303 })
    assert.match((await rowOf(user.name)).password, /^\$scrypt\$ln=4,/)
    await browser().post('/login', user, { status: 303 })
  })

  test('gives a visitor who signs out without being signed in no session', async () => {
    assert.equal((await browser().post('/logout', {}, { status: 303 })).headers.get('set-cookie'), null)
  })

  test('does not lead to another site', async () => {
    const { user } = await signedIn()
    const { headers } = await browser().post('/login?next=//evil.example/', user, { status: 303 })
    assert.equal(new URL(headers.get('location') ?? '', 'http://localhost').href, 'http://localhost/')
  })

  test('ends the session with the browser unless the user stays signed in', async () => {
    const { user } = await signedIn()
    const cookieFor = async (remember: string) =>
      (await browser().post('/login', { ...user, remember })).headers.get('set-cookie') ?? ''
    assert.match(await cookieFor('on'), /max-age=2592000/i)
    assert.doesNotMatch(await cookieFor(''), /^$|max-age/i)
  })
})

describe('reset', { skip }, () => {
  test('sends the link to the stored address, however it is typed', async () => {
    const user = { ...someone(), email: `k-${someone().email}` }
    await browser().post('/register', user, { status: 303 })
    // The Kelvin sign is k in lower case: its mailbox can be another person's.
    for (const email of [user.email.toUpperCase(), user.email.replace('k', '\u212a')]) {
      const mail = nextMail()
      await browser().post('/password/forgot', { email })
      assert.equal((await mail).to, user.email)
    }
  })

  test('sends a user at most three links, of concurrent requests too', async () => {
    const { email } = (await signedIn()).user
    const tokens = await Promise.all(Array.from({ length: 20 }, () => createToken('reset', { email })))
    assert.equal(tokens.filter((token) => token !== undefined).length, 3)
  })

  test('answers the same whether the address is known or not', async () => {
    const { email } = (await signedIn()).user
    const mail = nextMail()
    const addresses = [email, 'nobody@example.com']
    const responses = addresses.map((each) => browser().post('/password/forgot', { email: each }, { status: 303 }))
    const [known, unknown] = (await Promise.all(responses)).map(({ headers }) => headers.get('location'))
    assert.equal(known, unknown)
    // The response does not wait for it, and the next test would take it for its own.
    assert.equal((await mail).to, email)
  })

  test('refuses a token whose time has passed, and stores no token', async () => {
    const { email } = (await signedIn()).user
    const token = await tokenFor(email)
    const rows = await database.selectFrom('tokens').select('hash').execute()
    assert.ok(rows.length > 0 && rows.every(({ hash }) => !hash.includes(token)))
    await database.updateTable('tokens').set({ expires: 1 }).where('kind', '=', 'reset').execute()
    const page = await browser().post(`/password/reset?token=${token}`, { password }, { status: 400 })
    assert.match(page.text, /too old/)
  })

  test('succeeds for one of two requests with the same token', async () => {
    const { email } = (await signedIn()).user
    const token = await tokenFor(email)
    const done = await Promise.all([resetPassword(token, password), resetPassword(token, 'third horse')])
    assert.deepEqual(done.sort(), [false, true])
  })
})

describe('API tokens', { skip }, () => {
  test('act for their user without a session, and are not stored', async () => {
    const { user, token } = await withToken()
    const response = await browser().get('/account', bearer(token, 200))
    assert.deepEqual(JSON.parse(response.text), { name: user.name, email: user.email, role: 'member' })
    assert.equal(response.headers.get('set-cookie'), null)
    const rows = await database.selectFrom('tokens').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('are revoked by their own user only', async () => {
    const { client, token } = await withToken()
    const form = (await client.get('/account')).form(2)
    const stranger = (await signedIn()).client
    await stranger.post(new URL(form.action, 'http://localhost').pathname, {}, { status: 404 })
    await browser().get('/account', bearer(token, 200))
    await form.submit(undefined, { status: 303 })
    await browser().get('/account', bearer(token, 401))
  })

  test('may neither change the password nor create tokens', async () => {
    const { user, client, token } = await withToken()
    for (const each of [browser(), client]) {
      const passwords = { current: user.password, password }
      await each.post('/account/password', passwords, bearer(token, 403))
      await each.post('/account/tokens', { name: 'another' }, bearer(token, 403))
    }
  })

  test('that are wrong are 401, and 429 after ten', async () => {
    const { token } = await withToken()
    const program = browser()
    for (let n = 0; n < 10; n++) {
      const { headers } = await program.get('/account', bearer(`${token}${n}`, 401))
      assert.equal(headers.get('www-authenticate'), 'Bearer')
    }
    await program.get('/account', bearer(token, 429))
    await browser().get('/account', bearer(token, 200))
  })

  test('are not replaced by the session of a browser', async () => {
    const { client } = await signedIn()
    await client.get('/account', bearer('wrong', 401))
    await client.get('/account', { status: 200 })
  })

  test('have names of 1 to 64 characters', async () => {
    const { client } = await signedIn()
    for (const name of ['', ' ', 'x'.repeat(65), 'a\nb']) {
      const page = await client.post('/account/tokens', { name }, { status: 400 })
      assert.ok(page.html.find('#name-error'))
    }
  })

  test('end when a user resets the password', async () => {
    const { user, token } = await withToken()
    const reset = await createToken('reset', user)
    assert.equal(await resetPassword(reset?.token ?? '', password), true)
    await browser().get('/account', bearer(token, 401))
  })

  test('of a user are fifty at most, of concurrent requests too', async () => {
    const { email } = (await signedIn()).user
    const tokens = await Promise.all(Array.from({ length: 60 }, () => createToken('api', { email }, 'x')))
    assert.equal(tokens.filter((token) => token !== undefined).length, 50)
  })
})

test('the pages of an account require a user', { skip }, async () => {
  for (const path of ['/account', '/account/password', '/admin/users']) {
    await browser().get(path, { status: 303 })
    const { headers } = await browser().get(path, { headers: { accept: 'application/json' }, status: 401 })
    assert.equal(headers.get('www-authenticate'), 'Bearer')
  }
})

describe('the password', { skip }, () => {
  test('is not guessed on the page of the account: ten failures are the limit', async () => {
    const { user, client } = await signedIn()
    const sent = { current: 'wrong', password }
    for (let n = 0; n < 10; n++) await client.post('/account/password', sent, { status: 400 })
    await client.post('/account/password', { ...sent, current: user.password }, { status: 429 })
  })
})

describe('roles', { skip }, () => {
  const change = (client: TestApp, name: string, role: string, status: number) =>
    client.post(`/admin/users/${name}/role`, { role }, { status })

  test('exist, as do their users, who do not change their own', async () => {
    const { user, client } = await signedIn()
    await setRole(user.name, 'admin')
    await change(client, user.name.toUpperCase(), 'member', 400)
    await change(client, 'nobody', 'admin', 404)
    await change(client, 'nobody', 'king', 400)
  })

  test('are taken at once', async () => {
    const [root, ada] = [await signedIn(), await signedIn()]
    for (const { user } of [root, ada]) await setRole(user.name, 'admin')
    await change(ada.client, root.user.name, 'member', 303)
    await root.client.get('/admin/users', { status: 403 })
  })

  test('leave an administrator, if two take the role from each other at the same time', async () => {
    const members = [(await signedIn()).user, (await signedIn()).user]
    await database.updateTable('users').set({ role: 'member' }).execute()
    for (const { name } of members) await setRole(name, 'admin')
    const changes = await Promise.all(members.map(({ name }) => setRole(name, 'member')))
    assert.deepEqual(changes.sort(), [false, true])
  })
})
