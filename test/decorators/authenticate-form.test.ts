import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import { authenticateForm, authenticationToken, decorate } from '../../src/decorators/index.ts'
import { Session } from '../../src/http/session.ts'
import type { HeaderPair } from '../../src/wsgi/types.ts'
import { appWith, type Question } from './asking.ts'

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

const { ask, logged } = appWith(TransferController)

/** A visitor's cookie, and the token that belongs to it. */
async function visit(): Promise<{ cookie: string; token: string }> {
  const asked = await ask('/form')
  return { cookie: asked.header('set-cookie')?.split(';')[0] ?? '', token: asked.text }
}

const mine = await visit()
const others = await visit()

describe('authenticateForm', () => {
  const passing: [label: string, question: Question][] = [
    ['a form with the token of the session', { form: `sum=5&_authentication_token=${mine.token}` }],
    ['the token in a header', { form: 'sum=5', headers: [['X-CSRF-Token', mine.token]] }],
    ['PUT with the token', { method: 'PUT', form: `sum=5&_authentication_token=${mine.token}` }],
  ]
  for (const [label, question] of passing) {
    it(`lets ${label} pass`, async () => {
      const headers = [...(question.headers ?? []), ['Cookie', mine.cookie] as [string, string]]
      const asked = await ask('/send/joe', { ...question, headers })
      assert.deepEqual([asked.status, asked.text], ['200 OK', 'sent to joe: 5'])
    })
  }

  for (const method of ['GET', 'HEAD', 'TRACE']) {
    it(`refuses ${method} without a token, and logs how to show a form`, async () => {
      const asked = await ask('/send', { method, headers: [['Cookie', mine.cookie]] })
      assert.equal(asked.status, '403 Forbidden')
      assert.match(logged.at(-1) ?? '', /show the form from an action without authenticateForm$/)
    })

    it(`lets ${method} pass with the token in a header`, async () => {
      const headers: HeaderPair[] = [
        ['Cookie', mine.cookie],
        ['X-CSRF-Token', mine.token],
      ]
      assert.equal((await ask('/send', { method, headers })).status, '200 OK')
    })
  }

  it('accepts every token of the session', async () => {
    const other = await ask('/form', { headers: [['Cookie', mine.cookie]] })
    assert.notEqual(other.text, mine.token)
    const form = `sum=5&_authentication_token=${other.text}`
    assert.equal((await ask('/send', { form, headers: [['Cookie', mine.cookie]] })).status, '200 OK')
  })

  it('refuses tokens from before the login', async () => {
    const login = await ask('/login', { headers: [['Cookie', mine.cookie]] })
    const cookie = login.header('set-cookie')?.split(';')[0] ?? ''
    const refused = await ask('/send', {
      form: `_authentication_token=${mine.token}`,
      headers: [['Cookie', cookie]],
    })
    assert.equal(refused.status, '403 Forbidden')
    const form = `sum=5&_authentication_token=${login.text}`
    assert.equal((await ask('/send', { form, headers: [['Cookie', cookie]] })).status, '200 OK')
  })

  const refused: [label: string, path: string, question: Question, reason: RegExp][] = [
    ['a form without a token', '/send', { form: 'sum=5' }, /no authentication token/],
    ['an empty token', '/send', { form: '_authentication_token=' }, /no authentication token/],
    [
      "another visitor's token",
      '/send',
      { form: `_authentication_token=${others.token}` },
      /not that of the session/,
    ],
    [
      'a part of the token',
      '/send',
      { form: `_authentication_token=${mine.token.slice(0, -1)}` },
      /not that of/,
    ],
    ['a longer token', '/send', { form: `_authentication_token=${mine.token}0` }, /not that of the session/],
    ['the token in the query', `/send?_authentication_token=${mine.token}`, { form: 'sum=5' }, /has no auth/],
    [
      'a wrong header, whatever the form has',
      '/send',
      { form: `_authentication_token=${mine.token}`, headers: [['X-CSRF-Token', others.token]] },
      /not that of the session/,
    ],
    ['a body that is no form', '/send', { method: 'POST' }, /no authentication token/],
    ['DELETE without a token', '/send', { method: 'DELETE' }, /no authentication token/],
    ['a method nobody knows', '/send', { method: 'FROB' }, /no authentication token/],
  ]
  for (const [label, path, question, reason] of refused) {
    it(`refuses ${label}, and says why`, async () => {
      const before = logged.length
      const headers = [...(question.headers ?? []), ['Cookie', mine.cookie] as [string, string]]
      const asked = await ask(path, { ...question, headers })
      assert.equal(asked.status, '403 Forbidden')
      assert.match(asked.text, reason)
      assert.equal(logged.length, before + 1)
      assert.match(logged.at(-1) ?? '', /\/test\/send was refused by authenticateForm: /)
    })
  }

  it('refuses every token where the session has none', async () => {
    const asked = await ask('/send', { form: `_authentication_token=${mine.token}` })
    assert.equal(asked.status, '403 Forbidden')
    assert.match(asked.text, /the session has no authentication token/)
  })

  it('writes no tokens into the log', () => {
    assert.ok(!logged.some((line) => line.includes(mine.token) || line.includes(others.token)))
  })

  it('keeps line breaks in a path out of the log', async () => {
    await ask('/send/a%0Ab', { form: '' })
    assert.ok(!(logged.at(-1) ?? '').includes('\n'))
  })

  it('says what is missing where the application keeps no sessions', async () => {
    const { ask } = appWith(TransferController, { sessions: false })
    await assert.rejects(ask('/send', { form: 'sum=5' }), /Sessions need a secret/)
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

  it('is made of a new secret after regenerate(), which keeps the other values', () => {
    const session = new Session({ user: 'ann' })
    authenticationToken(session)
    const before = session.get('_authentication_token')
    authenticationToken(session.regenerate())
    assert.notEqual(session.get('_authentication_token'), before)
    assert.equal(session.get('user'), 'ann')
  })
})
