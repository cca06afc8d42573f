import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { abort, FrameworkApp, Mapper, type SessionOptions, WSGIController } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'

class HomeController extends WSGIController {
  __before__() {
    if (!this.session.has('user')) abort(401)
  }

  index() {
    return this.session.toJSON()
  }

  delete() {
    this.session.destroy()
  }
}

const secret = 'a secret of more than thirty-two characters'
const appWith = (session: Partial<SessionOptions>) =>
  new FrameworkApp({
    map: new Mapper()
      .connect('/{action}', { controller: 'home' })
      .connect('/', { controller: 'home', action: 'index' }),
    controllers: { home: HomeController },
    session: { secret, ...session },
  })

for (const [kind, options] of [
  ['in a signed cookie', {}],
  ['in an encrypted cookie', { encrypt: true }],
  ['in a store', { store: memoryStore() }],
] as const) {
  describe(`signIn() with sessions ${kind}`, () => {
    test('puts values into the session of this client only', async () => {
      const app = appWith(options)
      const client = new TestApp(app)
      await client.signIn({ user: 'ann', roles: ['admin'] })
      assert.deepEqual((await client.get('/')).json(), { user: 'ann', roles: ['admin'] })
      assert.equal((await new TestApp(app).get('/')).status, 401)
    })

    test('adds values to a session, replaces them, and leaves the rest', async () => {
      const client = new TestApp(appWith(options))
      await client.signIn({ user: 'ann', theme: 'dark' })
      await client.signIn({ user: 'joe' })
      assert.deepEqual((await client.get('/')).json(), { user: 'joe', theme: 'dark' })
    })

    test('begins a new session after a sign-out', async () => {
      const client = new TestApp(appWith(options))
      await client.signIn({ user: 'ann' })
      await client.get('/delete')
      assert.equal((await client.get('/')).status, 401)
      await client.signIn({ user: 'ann' })
      assert.equal((await client.get('/')).status, 200)
    })
  })
}

describe('signIn()', () => {
  test('works over https, where cookies are secure', async () => {
    const client = new TestApp(appWith({}), { baseUrl: 'https://example.org' })
    await client.signIn({ user: 'ann' })
    assert.equal((await client.get('/')).status, 200)
  })

  test('refuses an application without sessions', async () => {
    const app = new FrameworkApp({ map: new Mapper(), controllers: { home: HomeController } })
    await assert.rejects(new TestApp(app).signIn({ user: 'ann' }), /has no sessions/)
    await assert.rejects(new TestApp(app.wsgi).signIn({ user: 'ann' }), /requires the sessions of a FrameworkApp/)
  })
})
