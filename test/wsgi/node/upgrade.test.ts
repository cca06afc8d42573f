import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import type { ServerHooks, SocketConnection, WSGIApplication } from 'propylon/wsgi'
import { lint } from 'propylon/wsgi'
import { serving } from './raw.ts'

/** Sends messages back in capitals. */
function shouting(closed: (code: number | undefined) => void): SocketConnection {
  return {
    maxMessage: 100,
    namespace: '/shout',
    context: {},
    opened: (peer) => void peer.send('opened'),
    received: (peer, message) => void peer.send(message.text().toUpperCase()),
    closed: (_peer, { code }) => closed(code),
  }
}

const switching: WSGIApplication = (_environ, start_response) => {
  start_response('101 Switching Protocols', [['X-Kind', 'shouting']])
  return []
}

/** An application object that servers make the offer of an upgrade. */
function upgradable(app: WSGIApplication): ServerHooks {
  return { wsgi: lint(app), acceptsUpgrades: true }
}

describe('an upgrade', () => {
  it('is accepted by a WSGI application with the status 101', async () => {
    const closed = Promise.withResolvers<number | undefined>()
    const app = upgradable((environ, start_response) => {
      const { 'propylon.upgrade': upgrade } = environ
      assert.ok(upgrade)
      upgrade.connection = shouting(closed.resolve)
      return switching(environ, start_response)
    })
    await serving(app, async ({ url }) => {
      const socket = new WebSocket(url.replace('http', 'ws'))
      assert.equal((await once(socket, 'message'))[0].data, 'opened')
      socket.send('hello')
      assert.equal((await once(socket, 'message'))[0].data, 'HELLO')
      socket.close(4001)
      assert.equal(await closed.promise, 4001)
    })
  })

  it('that was not accepted makes 101 an error', async () => {
    await serving(upgradable(switching), async ({ url }, log) => {
      const socket = new WebSocket(url.replace('http', 'ws'))
      await once(socket, 'error')
      assert.match(log.text, /status 101 was sent without an upgrade\. Set the connection/)
    })
  })

  for (const [name, app] of [
    ['to a request that does not ask for it', upgradable(switching)],
    ['without acceptsUpgrades', { wsgi: lint(switching) }],
  ] as const) {
    it(`is not offered ${name}`, async () => {
      await serving(app, async ({ url }, log) => {
        assert.equal((await fetch(url)).status, 500)
        assert.match(log.text, /status 101 was sent without an upgrade/)
      })
    })
  }
})
