import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createToken } from '../../model/tokens.ts'
import { setRole } from '../../model/users.ts'
import { skip } from '../database.ts'
import { browser, nextMail, signedIn, someone } from '../users.ts'

const password = 'another horse'
const linkOf = (text: string) => /\/(register|password)\/\w+\?token=[\w-]+/.exec(text)?.[0] ?? ''

/** Headers of a program with a token, and the status of the response to it. */
function program(token: string, status: number) {
  return { headers: { accept: 'application/json', authorization: `Bearer ${token}` }, status }
}

/** Pages with a form, the fields to send, and the field that has an error. */
const WRONG: [path: string, sent: Record<string, string>, field: string][] = [
  ['/register', { ...someone(), name: '1st' }, 'name'],
  ['/register', { ...someone(), email: 'nobody' }, 'email'],
  ['/register', { ...someone(), password: 'short' }, 'password'],
  ['/password/forgot', { email: 'nobody' }, 'email'],
  ['/account/password', { current: someone().password, password: 'short' }, 'password'],
  ['/account/password', { current: 'wrong', password }, 'current'],
  ['/account/tokens', { name: ' ' }, 'name'],
]

describe('users', { skip }, () => {
  test('register, sign out, sign in by name or address, and return to the page that required it', async () => {
    const [user, client] = [someone(), browser()]
    await (await client.get('/register')).form().fill(user).submit(undefined, { status: 303 })
    const cookie = `session=${client.cookies.get('session')}`
    await client.post('/logout', {}, { status: 303 })
    await browser().get('/account', { headers: { cookie }, status: 303 })
    for (const name of [user.name, user.email.toUpperCase()]) {
      const page = await (await client.get('/account?tab=1', { status: 303 })).follow()
      const response = await page.form().fill({ name, password: user.password }).submit(undefined, { status: 303 })
      assert.match(response.headers.get('location') ?? '', /\/account\?tab=1$/)
      ;(await client.get('/account', { status: 200 })).mustContain(user.email)
      await client.post('/logout', {}, { status: 303 })
    }
  })

  for (const [path, sent, field] of WRONG) {
    test(`see the error of ${field} at ${path}`, async () => {
      const page = await (await signedIn()).client.post(path, sent, { status: 400 })
      assert.ok(page.html.find(`#${field}-error`))
    })
  }

  test('have a name and an address that no other has, in any case', async () => {
    const { name, email } = (await signedIn()).user
    await browser().post('/register', { ...someone(), name: name.toUpperCase() }, { status: 409 })
    await browser().post('/register', { ...someone(), email: email.toUpperCase() }, { status: 409 })
  })

  test('confirm the address by the link in a mail, once', async () => {
    const mail = nextMail()
    const { user, client } = await signedIn()
    const { to, text } = await mail
    assert.equal(to, user.email)
    ;(await client.get('/account')).mustContain('not confirmed')
    const form = (await browser().get(linkOf(text))).form()
    await form.submit(undefined, { status: 303 })
    ;(await client.get('/account')).mustNotContain('not confirmed')
    await form.submit(undefined, { status: 400 })
  })

  test('set a forgotten password by the link in a mail, once, which ends their sessions', async () => {
    const { user, client } = await signedIn()
    const mail = nextMail()
    await browser().post('/password/forgot', { email: user.email }, { status: 303 })
    const form = (await browser().get(linkOf((await mail).text))).form().fill({ password })
    await form.submit(undefined, { status: 303 })
    await client.get('/account', { status: 303 })
    await browser().post('/login', user, { status: 401 })
    await browser().post('/login', { ...user, password }, { status: 303 })
    await form.submit(undefined, { status: 400 })
  })

  test('change the password, which ends their other sessions and all tokens', async () => {
    const { user, client } = await signedIn()
    const other = browser()
    await other.post('/login', user, { status: 303 })
    const token = (await createToken('api', user, 'my script'))?.token ?? ''
    await browser().get('/account', program(token, 200))
    await client.post('/account/password', { current: user.password, password }, { status: 303 })
    await client.get('/account', { status: 200 })
    await other.get('/account', { status: 303 })
    await browser().get('/account', program(token, 401))
  })

  test('have passwords that cannot be guessed: ten failures are the limit of an address', async () => {
    const [{ user }, client] = [await signedIn(), browser()]
    for (let n = 0; n < 10; n++) await client.post('/login', { ...user, password: 'x' }, { status: 401 })
    await client.post('/login', user, { status: 429 })
    await browser().post('/login', user, { status: 303 })
  })

  test('have tokens for programs, which are shown once, and may not create others', async () => {
    const { client } = await signedIn()
    const token = (await client.post('/account/tokens', { name: 'my script' })).html.find('#token')?.text ?? ''
    const page = (await client.get('/account')).mustContain('my script').mustNotContain(token)
    await browser().get('/account', program(token, 200))
    await browser().post('/account/tokens', { name: 'another' }, program(token, 403))
    await page.form(2).submit(undefined, { status: 303 })
    await browser().get('/account', program(token, 401))
  })

  test('have roles, which administrators give to others', async () => {
    const [root, ada] = [await signedIn(), await signedIn()]
    await setRole(root.user.name, 'admin')
    await ada.client.post(`/admin/users/${ada.user.name}/role`, { role: 'admin' }, { status: 403 })
    await root.client.post(`/admin/users/${ada.user.name}/role`, { role: 'admin' }, { status: 303 })
    await root.client.post(`/admin/users/${root.user.name}/role`, { role: 'member' }, { status: 400 })
    await ada.client.get('/admin/users', { status: 200 })
  })
})
