import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Session, WSGIController } from 'propylon'
import { authenticateForm, authenticationToken, decorate } from 'propylon/decorators'
import type { HeaderPair } from 'propylon/wsgi'
import { appWith, type SendOptions } from './sending.ts'

class TransferController extends WSGIController {
  form() {
    return authenticationToken(this.session)
  }
  async send(id = 'nobody') {
    return `sent to ${id}: ${(await this.request.form()).get('sum')}`
  }
  login() {
    this.session.regenerate().set('user', 'ann')
    return authenticationToken(this.session)
  }

  static {
    decorate(this, { send: [authenticateForm] })
  }
}

const { send, logged } = appWith(TransferController)

/** Returns the cookie and the token of a new visitor. */
async function visit(): Promise<{ cookie: string; token: string }> {
  const received = await send('/form')
  return { cookie: received.header('set-cookie')?.split(';')[0] ?? '', token: received.text }
}

const mine = await visit()
const others = await visit()

describe('authenticateForm', () => {
  const passing: [label: string, options: SendOptions][] = [
    ['a form with the token of the session', { form: `sum=5&_authentication_token=${mine.token}` }],
    ['the token in a header', { form: 'sum=5', headers: [['X-CSRF-Token', mine.token]] }],
    ['PUT with the token', { method: 'PUT', form: `sum=5&_authentication_token=${mine.token}` }],
  ]
  for (const [label, options] of passing) {
    it(`accepts ${label}`, async () => {
      const headers = [...(options.headers ?? []), ['Cookie', mine.cookie] as [string, string]]
      const received = await send('/send/joe', { ...options, headers })
      assert.deepEqual([received.status, received.text], ['200 OK', 'sent to joe: 5'])
    })
  }

  for (const method of ['GET', 'HEAD']) {
    it(`refuses ${method} without a token, and logs how to show a form`, async () => {
      const received = await send('/send', { method, headers: [['Cookie', mine.cookie]] })
      assert.equal(received.status, '403 Forbidden')
      assert.match(logged.at(-1) ?? '', /show the form from an action without authenticateForm$/)
    })

    it(`accepts ${method} with the token in a header`, async () => {
      const headers: HeaderPair[] = [
        ['Cookie', mine.cookie],
        ['X-CSRF-Token', mine.token],
      ]
      assert.equal((await send('/send', { method, headers })).status, '200 OK')
    })
  }

  it('accepts every token of the session', async () => {
    const other = await send('/form', { headers: [['Cookie', mine.cookie]] })
    assert.notEqual(other.text, mine.token)
    const form = `sum=5&_authentication_token=${other.text}`
    assert.equal((await send('/send', { form, headers: [['Cookie', mine.cookie]] })).status, '200 OK')
  })

  it('refuses tokens from before the login', async () => {
    const login = await send('/login', { headers: [['Cookie', mine.cookie]] })
    const cookie = login.header('set-cookie')?.split(';')[0] ?? ''
    const refused = await send('/send', {
      form: `_authentication_token=${mine.token}`,
      headers: [['Cookie', cookie]],
    })
    assert.equal(refused.status, '403 Forbidden')
    const form = `sum=5&_authentication_token=${login.text}`
    assert.equal((await send('/send', { form, headers: [['Cookie', cookie]] })).status, '200 OK')
  })

  const refused: [label: string, path: string, options: SendOptions, reason: RegExp][] = [
    ['a form without a token', '/send', { form: 'sum=5' }, /no authentication token/],
    ['an empty token', '/send', { form: '_authentication_token=' }, /no authentication token/],
    [
      "another visitor's token",
      '/send',
      { form: `_authentication_token=${others.token}` },
      /does not belong to the session/,
    ],
    [
      'a part of the token',
      '/send',
      { form: `_authentication_token=${mine.token.slice(0, -1)}` },
      /does not belong to/,
    ],
    ['a longer token', '/send', { form: `_authentication_token=${mine.token}0` }, /does not belong to the session/],
    ['the token in the query', `/send?_authentication_token=${mine.token}`, { form: 'sum=5' }, /has no auth/],
    [
      'a wrong header, whatever the form has',
      '/send',
      { form: `_authentication_token=${mine.token}`, headers: [['X-CSRF-Token', others.token]] },
      /does not belong to the session/,
    ],
    ['a body that is not a form', '/send', { method: 'POST' }, /no authentication token/],
    ['DELETE without a token', '/send', { method: 'DELETE' }, /no authentication token/],
    ['an unknown method', '/send', { method: 'FROB' }, /no authentication token/],
  ]
  for (const [label, path, options, reason] of refused) {
    it(`refuses ${label} with the reason`, async () => {
      const before = logged.length
      const headers = [...(options.headers ?? []), ['Cookie', mine.cookie] as [string, string]]
      const received = await send(path, { ...options, headers })
      assert.equal(received.status, '403 Forbidden')
      assert.match(received.text, reason)
      assert.equal(logged.length, before + 1)
      assert.match(logged.at(-1) ?? '', /\/test\/send was refused by authenticateForm: /)
    })
  }

  it('refuses every token if the session has none', async () => {
    const received = await send('/send', { form: `_authentication_token=${mine.token}` })
    assert.equal(received.status, '403 Forbidden')
    assert.match(received.text, /the session has no authentication token/)
  })

  it('does not log tokens', () => {
    assert.ok(!logged.some((line) => line.includes(mine.token) || line.includes(others.token)))
  })

  it('does not log line breaks of a path', async () => {
    await send('/send/a%0Ab', { form: '' })
    assert.ok(!(logged.at(-1) ?? '').includes('\n'))
  })

  it('throws if the application has no sessions', async () => {
    const { send } = appWith(TransferController, { sessions: false })
    await assert.rejects(send('/send', { form: 'sum=5' }), /The application has no sessions/)
  })
})

describe('authenticationToken', () => {
  it('returns 128 hexadecimal digits', () => {
    assert.match(authenticationToken(new Session()), /^[0-9a-f]{128}$/)
  })

  it('is different for each call, in every part', () => {
    const session = new Session()
    const [one, two] = [authenticationToken(session), authenticationToken(session)]
    assert.notEqual(one.slice(0, 64), two.slice(0, 64))
    assert.notEqual(one.slice(64), two.slice(64))
  })

  it('does not contain the secret that the session keeps', () => {
    const session = new Session()
    const token = authenticationToken(session)
    assert.ok(!token.includes(String(session.get('_authentication_token'))))
  })

  it('changes the session only once', () => {
    const values = { _authentication_token: '0'.repeat(64) }
    const session = new Session(values)
    authenticationToken(session)
    assert.equal(session.changed, false)
    assert.deepEqual(session.toJSON(), values)
  })

  it('has a new secret after regenerate(), which keeps the other values', () => {
    const session = new Session({ user: 'ann' })
    authenticationToken(session)
    const before = session.get('_authentication_token')
    authenticationToken(session.regenerate())
    assert.notEqual(session.get('_authentication_token'), before)
    assert.equal(session.get('user'), 'ann')
  })
})
