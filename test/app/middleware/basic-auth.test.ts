import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BasicAuthOptions, type BasicIdentity, basicAuth, safeEqual } from 'propylon/middleware'
import type { WSGIApplication } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'

const whoami: WSGIApplication = (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [`${environ.REMOTE_USER ?? 'nobody'} ${environ.AUTH_TYPE ?? 'none'}`]
}

function check(user: string, password: string): BasicIdentity {
  if (user === 'ann' && password === 'sécret:x') return true
  if (user === 'bob' && password === '') return 'user-7'
  return user === 'null' ? null : false
}

const basic = (credentials: string | Uint8Array) => `Basic ${Buffer.from(credentials).toString('base64')}`

const rows: [what: string, authorization: string | undefined, text: string | undefined][] = [
  ['right credentials', basic('ann:sécret:x'), 'ann Basic'],
  ['a scheme in lower case', basic('ann:sécret:x').replace('Basic', 'basic'), 'ann Basic'],
  ['an identity of its own, and an empty password', basic('bob:'), 'user-7 Basic'],
  ['wrong credentials', basic('ann:secret'), undefined],
  ['a user that the check does not know', basic('null:x'), undefined],
  ['no credentials', undefined, undefined],
  ['an empty header', '', undefined],
  ['another scheme', 'Bearer abc', undefined],
  ['no colon', basic('ann'), undefined],
  ['malformed base64', 'Basic a$b', undefined],
  ['base64 of a wrong length', 'Basic abcde', undefined],
  ['bytes that are not UTF-8', basic(Uint8Array.of(0x61, 0x3a, 0xff)), undefined],
  ['control characters', basic('ann:sécret:x\n'), undefined],
  ['no token', 'Basic', undefined],
]

for (const transport of transports) {
  describe(`basicAuth, ${transport.name}`, () => {
    const send = (authorization: string | undefined, options?: BasicAuthOptions) =>
      transport.request(basicAuth(check, options)(whoami), {
        headers: authorization === undefined ? [] : [['Authorization', authorization]],
      })

    for (const [what, authorization, text] of rows) {
      it(`${text === undefined ? 'refuses' : 'accepts'} ${what}`, async () => {
        const answer = await send(authorization)
        const challenge = answer.header('www-authenticate')
        if (text === undefined) {
          assert.deepEqual([answer.status, challenge], [401, 'Basic realm="application", charset="UTF-8"'])
        } else assert.deepEqual([answer.status, answer.text, challenge], [200, text, undefined])
      })
    }

    it('lets requests without Basic credentials pass, if they are optional', async () => {
      const optional = { optional: true }
      assert.equal((await send(undefined, optional)).text, 'nobody none')
      assert.equal((await send('Bearer abc', optional)).text, 'nobody none')
      assert.equal((await send(basic('ann:sécret:x'), optional)).text, 'ann Basic')
      assert.equal((await send(basic('ann:wrong'), optional)).status, 401)
      assert.equal((await send('Basic $', optional)).status, 401)
    })

    it('waits for an asynchronous check', async () => {
      const later = async (user: string) => {
        await null
        return user === 'ann'
      }
      const app = basicAuth(later)(whoami)
      const status = async (user: string) =>
        (await transport.request(app, { headers: [['Authorization', basic(`${user}:x`)]] })).status
      assert.deepEqual([await status('ann'), await status('bob')], [200, 401])
    })

    it('fails with the error of the check, or if it returns something else', async () => {
      const broken = () => {
        throw new Error('no database')
      }
      const wrong: unknown = () => ({ id: 7 })
      for (const one of [broken, wrong]) {
        const app: WSGIApplication = (...call) => Reflect.apply(basicAuth, undefined, [one])(whoami)(...call)
        const answer = await transport.request(app, { headers: [['Authorization', basic('a:b')]] })
        assert.equal(answer.status, 500)
      }
    })

    it('names its realm', async () => {
      const answer = await send(undefined, { realm: 'The "wiki"' })
      assert.equal(answer.header('www-authenticate'), 'Basic realm="The \\"wiki\\"", charset="UTF-8"')
    })
  })
}

describe('basicAuth', () => {
  it('refuses wrong arguments', () => {
    const create = (...args: unknown[]) => Reflect.apply(basicAuth, undefined, args)
    assert.throws(() => create(), /requires a function \(user, password\)/)
    assert.throws(() => create(check, { relm: '' }), /no option "relm". Did you mean realm\?/)
    assert.throws(() => create(check, { realm: 'a\r\nb' }), /realm is "a\\r\\nb". Pass printable ASCII/)
  })
})

describe('safeEqual', () => {
  const pairs: [string, string, boolean][] = [
    ['', '', true],
    ['secret', 'secret', true],
    ['sécret', 'sécret', true],
    ['secret', 'secres', false],
    ['secret', 'secret1', false],
    ['', 'a', false],
  ]
  for (const [one, other, isEqual] of pairs) {
    it(`returns ${isEqual} for "${one}" and "${other}"`, () => assert.equal(safeEqual(one, other), isEqual))
  }

  it('hashes the whole of both texts, so that its duration does not depend on where they differ', (context) => {
    const secret = 'a'.repeat(50)
    for (const sent of [secret, `b${secret.slice(1)}`, `${secret.slice(1)}b`, '']) {
      const { mock } = context.mock.method(TextEncoder.prototype, 'encode')
      safeEqual(sent, secret)
      const hashed = mock.calls.map(({ arguments: [text] }) => text)
      mock.restore()
      assert.deepEqual(hashed, [sent, secret])
    }
  })
})
