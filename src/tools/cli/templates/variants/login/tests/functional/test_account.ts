import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestApp } from 'propylon/testing'
import { database } from '../../config/database.ts'
import { createToken, resetPassword } from '../../model/tokens.ts'
import { setRole } from '../../model/users.ts'
import { skip } from '../database.ts'
import { browser, PAGE, registered, signedIn } from '../users.ts'

/** Creates a token by the form. */
async function tokenOf(client: TestApp, name = 'my script'): Promise<string> {
  const form = (await client.get('/account/tokens', PAGE)).form('/account/tokens')
  const response = await form.fill({ name }).submit()
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return response.html.find('#token')?.text ?? ''
}

function bearer(token: string) {
  return { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }
}

describe('the password', { skip }, () => {
  test('is changed by who knows it, who stays signed in while other sessions end', async () => {
    const { user, client } = await signedIn()
    const other = browser()
    await other.post('/login', user)
    const form = (await client.get('/account/password', PAGE)).form('/account/password')
    const response = await form.fill({ current: user.password, password: 'another horse' }).submit()
    assert.equal(response.status, 303)
    assert.match((await response.follow()).text, /Your password has changed/)
    assert.equal((await client.get('/account', PAGE)).status, 200)
    assert.equal((await other.get('/account', PAGE)).status, 303)
    assert.equal((await browser().post('/login', user)).status, 401)
    assert.equal((await browser().post('/login', { ...user, password: 'another horse' })).status, 303)
  })

  test('is not changed with a wrong or a short one', async () => {
    const { user, client } = await signedIn()
    for (const [sent, field] of [
      [{ current: 'wrong', password: 'another horse' }, 'current'],
      [{ current: user.password, password: 'short' }, 'password'],
    ] as const) {
      const response = await client.post('/account/password', sent, PAGE)
      assert.equal(response.status, 400)
      assert.ok(response.html.find(`#${field}-error`))
    }
    assert.equal((await browser().post('/login', user)).status, 303)
  })

  test('cannot be guessed: ten failures are the limit', async () => {
    const { user, client } = await signedIn()
    const sent = { current: 'wrong', password: 'another horse' }
    for (let n = 0; n < 10; n++) assert.equal((await client.post('/account/password', sent)).status, 400)
    const right = { ...sent, current: user.password }
    assert.equal((await client.post('/account/password', right)).status, 429)
  })

  test('of nobody is asked for', async () => {
    assert.equal((await browser().get('/account/password', PAGE)).status, 303)
    assert.equal((await browser().post('/account/password', {}, bearer('x'))).status, 401)
  })
})

describe('API tokens', { skip }, () => {
  test('act for their user, and are shown once', async () => {
    const { user, client } = await signedIn()
    const token = await tokenOf(client)
    const response = await browser().get('/account', bearer(token))
    assert.equal(response.status, 200)
    assert.ok(response.text.includes(user.email))
    assert.equal(response.headers.get('set-cookie'), null)
    const list = (await client.get('/account/tokens', PAGE)).text
    assert.match(list, /my script/)
    assert.doesNotMatch(list, new RegExp(token))
    const rows = await database.selectFrom('tokens').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(token))
  })

  test('are revoked, by their own user only', async () => {
    const { client } = await signedIn()
    const token = await tokenOf(client)
    const form = (await client.get('/account/tokens', PAGE)).form(1)
    const stranger = (await signedIn()).client
    const path = new URL(form.action, 'http://localhost').pathname
    assert.equal((await stranger.delete(path)).status, 404)
    assert.equal((await browser().get('/account', bearer(token))).status, 200)
    assert.equal((await form.submit()).status, 303)
    assert.equal((await browser().get('/account', bearer(token))).status, 401)
  })

  test('may neither change the password nor list and create tokens', async () => {
    const { user, client } = await signedIn()
    const token = await tokenOf(client)
    const passwords = { current: user.password, password: 'another horse' }
    const program = browser()
    assert.equal((await program.post('/account/password', passwords, bearer(token))).status, 403)
    assert.equal((await program.get('/account/tokens', bearer(token))).status, 403)
    assert.equal((await program.post('/account/tokens', { name: 'another' }, bearer(token))).status, 403)
    assert.equal((await client.post('/account/tokens', { name: 'another' }, bearer(token))).status, 403)
  })

  test('that are wrong are 401, and 429 after ten', async () => {
    const { client } = await signedIn()
    const token = await tokenOf(client)
    const program = browser()
    for (let n = 0; n < 10; n++) {
      const response = await program.get('/account', bearer(`${token}${n}`))
      assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'])
    }
    assert.equal((await program.get('/account', bearer(token))).status, 429)
    assert.equal((await browser().get('/account', bearer(token))).status, 200)
  })

  test('are not replaced by the session of a browser', async () => {
    const { client } = await signedIn()
    assert.equal((await client.get('/account', bearer('wrong'))).status, 401)
    assert.equal((await client.get('/account', PAGE)).status, 200)
  })

  for (const name of ['', ' ', 'x'.repeat(65), 'a\nb']) {
    test(`have no name like ${JSON.stringify(name.slice(0, 10))}`, async () => {
      const { client } = await signedIn()
      const response = await client.post('/account/tokens', { name }, PAGE)
      assert.equal(response.status, 400)
      assert.ok(response.html.find('#name-error'))
    })
  }

  test('end when a user resets the password', async () => {
    const { user, client } = await signedIn()
    const token = await tokenOf(client)
    const reset = await createToken('reset', user)
    assert.ok(reset)
    assert.equal(await resetPassword(reset.token, 'another horse'), true)
    assert.equal((await browser().get('/account', bearer(token))).status, 401)
  })

  test('end when a user changes the password', async () => {
    const { user, client } = await signedIn()
    const token = await tokenOf(client)
    const sent = { current: user.password, password: 'another horse' }
    assert.equal((await client.post('/account/password', sent)).status, 303)
    assert.equal((await browser().get('/account', bearer(token))).status, 401)
  })

  test('of a user are fifty at most, of concurrent requests too', async () => {
    const { user } = await signedIn()
    const { id } = await database
      .selectFrom('users')
      .select('id')
      .where('email', '=', user.email)
      .executeTakeFirstOrThrow()
    const tokens = await Promise.all(Array.from({ length: 60 }, () => createToken('api', { id }, 'script')))
    assert.equal(tokens.filter((token) => token !== undefined).length, 50)
  })
})

describe('roles', { skip }, () => {
  test('are given by administrators, and count at once', async () => {
    const [root, ada] = [await signedIn(), await signedIn()]
    assert.equal((await ada.client.get('/admin/users', PAGE)).status, 403)
    assert.equal(await setRole(root.user.name, 'admin'), true)
    const path = `/admin/users/${ada.user.name}/role`
    assert.equal((await ada.client.post(path, { role: 'admin' })).status, 403)
    assert.equal((await root.client.post(path, { role: 'admin' })).status, 303)
    assert.equal((await ada.client.get('/admin/users', PAGE)).status, 200)
    assert.equal(
      (await ada.client.post(`/admin/users/${root.user.name}/role`, { role: 'member' })).status,
      303,
    )
    assert.equal((await root.client.get('/admin/users', PAGE)).status, 403)
  })

  test('exist, as do their users, who do not change their own', async () => {
    const { user, client } = await signedIn()
    await setRole(user.name, 'admin')
    for (const [name, role, status] of [
      [user.name.toUpperCase(), 'member', 400],
      ['nobody', 'admin', 404],
      ['nobody', 'king', 400],
    ] as const) {
      assert.equal((await client.post(`/admin/users/${name}/role`, { role })).status, status)
    }
  })

  test('leave an administrator, if two take the role from each other at the same time', async () => {
    const members = await Promise.all([registered(), registered()])
    await database.updateTable('users').set({ role: 'member' }).execute()
    for (const { name } of members) await setRole(name, 'admin')
    const changes = await Promise.all(members.map(({ name }) => setRole(name, 'member')))
    assert.deepEqual(changes.sort(), [false, true])
  })

  test('of nobody are none', async () => {
    assert.equal((await browser().get('/admin/users', PAGE)).status, 303)
    assert.equal(await setRole('nobody', 'admin'), false)
  })
})
