import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from 'propylon/testing'
import { database } from '../../config/database.ts'
import { createToken, resetPassword } from '../../model/tokens.ts'
import { setRole } from '../../model/users.ts'
import { skip } from '../database.ts'
import { browser, signedIn } from '../users.ts'

/** A new password. */
const password = 'another horse'

/** Signs in and creates a token by the form. */
async function withToken() {
  const { user, client } = await signedIn()
  const form = (await client.get('/account/tokens')).form('/account/tokens')
  const page = await form.fill({ name: 'my script' }).submit(undefined, { status: 201 })
  assert.equal(page.headers.get('cache-control'), 'no-store')
  return { user, client, token: page.html.find('#token')?.text ?? '' }
}

function bearer(token: string, status: number) {
  return { headers: { accept: 'application/json', authorization: `Bearer ${token}` }, status }
}

describe('the password', { skip }, () => {
  test('is changed by who knows it, who stays signed in while other sessions and tokens end', async () => {
    const { user, client, token } = await withToken()
    const other = browser()
    await other.post('/login', user, { status: 303 })
    const form = (await client.get('/account/password')).form('/account/password')
    const response = await form.fill({ current: user.password, password }).submit(undefined, { status: 303 })
    assert.match((await response.follow()).text, /Your password has changed/)
    await client.get('/account', { status: 200 })
    await other.get('/account', { status: 303 })
    await browser().get('/account', bearer(token, 401))
    await browser().post('/login', user, { status: 401 })
    await browser().post('/login', { ...user, password }, { status: 303 })
  })

  for (const [field, sent] of [
    ['current', { current: 'wrong', password }],
    ['password', { current: 'correct horse', password: 'short' }],
  ] as const) {
    test(`is not changed with a wrong ${field}`, async () => {
      const { user, client } = await signedIn()
      const page = await client.post('/account/password', sent, { status: 400 })
      assert.ok(page.html.find(`#${field}-error`))
      await browser().post('/login', user, { status: 303 })
    })
  }

  test('cannot be guessed: ten failures are the limit', async () => {
    const { user, client } = await signedIn()
    const sent = { current: 'wrong', password }
    for (let n = 0; n < 10; n++) await client.post('/account/password', sent, { status: 400 })
    await client.post('/account/password', { ...sent, current: user.password }, { status: 429 })
  })
})

describe('API tokens', { skip }, () => {
  test('act for their user, and are shown once', async () => {
    const { user, client, token } = await withToken()
    const response = await browser().get('/account', bearer(token, 200))
    assert.ok(response.text.includes(user.email))
    assert.equal(response.headers.get('set-cookie'), null)
    const list = (await client.get('/account/tokens')).text
    assert.match(list, /my script/)
    const rows = await database.selectFrom('tokens').selectAll().execute()
    assert.ok(!`${list}${JSON.stringify(rows)}`.includes(token))
  })

  test('are revoked, by their own user only', async () => {
    const { client, token } = await withToken()
    const form = (await client.get('/account/tokens')).form(1)
    const stranger = (await signedIn()).client
    await stranger.delete(new URL(form.action, 'http://localhost').pathname, { status: 404 })
    await browser().get('/account', bearer(token, 200))
    await form.submit(undefined, { status: 303 })
    await browser().get('/account', bearer(token, 401))
  })

  test('may neither change the password nor list and create tokens', async () => {
    const { user, client, token } = await withToken()
    for (const each of [browser(), client]) {
      const passwords = { current: user.password, password }
      await each.post('/account/password', passwords, bearer(token, 403))
      await each.get('/account/tokens', bearer(token, 403))
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

  for (const name of ['', ' ', 'x'.repeat(65), 'a\nb']) {
    test(`have no name like ${JSON.stringify(name.slice(0, 10))}`, async () => {
      const { client } = await signedIn()
      const page = await client.post('/account/tokens', { name }, { status: 400 })
      assert.ok(page.html.find('#name-error'))
    })
  }

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

describe('the pages of an account', { skip }, () => {
  for (const path of ['/account', '/account/password', '/account/tokens', '/admin/users']) {
    test(`${path} is for who has signed in`, async () => {
      await browser().get(path, { status: 303 })
      const { headers } = await browser().get(path, { headers: { accept: 'application/json' }, status: 401 })
      assert.equal(headers.get('www-authenticate'), 'Bearer')
    })
  }
})

describe('roles', { skip }, () => {
  const change = (client: TestApp, name: string, role: string, status: number) =>
    client.post(`/admin/users/${name}/role`, { role }, { status })

  test('are given by administrators, and count at once', async () => {
    const [root, ada] = [await signedIn(), await signedIn()]
    await ada.client.get('/admin/users', { status: 403 })
    assert.equal(await setRole(root.user.name, 'admin'), true)
    await change(ada.client, ada.user.name, 'admin', 403)
    await change(root.client, ada.user.name, 'admin', 303)
    await ada.client.get('/admin/users', { status: 200 })
    await change(ada.client, root.user.name, 'member', 303)
    await root.client.get('/admin/users', { status: 403 })
  })

  test('exist, as do their users, who do not change their own', async () => {
    const { user, client } = await signedIn()
    await setRole(user.name, 'admin')
    await change(client, user.name.toUpperCase(), 'member', 400)
    await change(client, 'nobody', 'admin', 404)
    await change(client, 'nobody', 'king', 400)
  })

  test('leave an administrator, if two take the role from each other at the same time', async () => {
    const members = [(await signedIn()).user, (await signedIn()).user]
    await database.updateTable('users').set({ role: 'member' }).execute()
    for (const { name } of members) await setRole(name, 'admin')
    const changes = await Promise.all(members.map(({ name }) => setRole(name, 'member')))
    assert.deepEqual(changes.sort(), [false, true])
  })
})
