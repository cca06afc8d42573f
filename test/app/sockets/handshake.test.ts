import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import type { Message, Peer } from 'crossws'
import {
  abort,
  FrameworkApp,
  type FrameworkAppOptions,
  Mapper,
  type SocketHooks,
  type SocketPeer,
  type SocketRecord,
  WSGIController,
} from 'propylon'
import { type RequestLogEntry, requestLog } from 'propylon/middleware'
import type { ServeOptions } from 'propylon/node'
import { serve, toListener } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import { Connection, exchange, serving } from '../../wsgi/node/raw.ts'

class PagesController extends WSGIController {
  index() {
    return 'a page'
  }

  save() {
    return 'saved'
  }

  sign_in() {
    this.session.set('user', 'ada')
    return 'signed in'
  }
}

class EchoSocket {
  message() {}
}

function application(options: Partial<FrameworkAppOptions> = {}) {
  const map = new Mapper()
    .connect('/page', { controller: 'pages', action: 'index' })
    .connect('/page/save', { controller: 'pages', action: 'save' })
    .connect('/in', { controller: 'pages', action: 'sign_in' })
  return new FrameworkApp({
    map,
    controllers: { pages: PagesController },
    logger: { info() {}, warn() {}, error() {} },
    sockets: { '/chat/{room}': EchoSocket, '/page': EchoSocket },
    ...options,
  })
}

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='

/** The head of a handshake, with fields replaced by those of the same name, or left out if they end with a colon. */
function handshake(path: string, fields: readonly string[] = [], line = `GET ${path} HTTP/1.1`): string {
  const all = new Map<string, string>()
  const standard = [
    'Host: localhost',
    'Connection: Upgrade, close',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    KEY,
  ]
  for (const field of [...standard, ...fields]) all.set(field.slice(0, field.indexOf(':')), field)
  const sent = [...all.values()].filter((field) => !field.endsWith(':'))
  return `${[line, ...sent].join('\r\n')}\r\n\r\n`
}

/** A masked frame that closes the connection. */
const CLOSE = '\x88\x80\x00\x00\x00\x00'

/** Returns the status and the head of the response to a handshake. */
async function answer(app: FrameworkApp, bytes: string, options: ServeOptions = {}) {
  let head = ''
  await serving(
    app,
    async ({ port }) => {
      head = (await exchange(port, bytes + CLOSE)).split('\r\n\r\n')[0] ?? ''
    },
    options,
  )
  return { status: Number(head.split(' ')[1]), head }
}

describe('a WebSocket handshake', () => {
  it('is accepted on the path of a socket', async () => {
    const { status, head } = await answer(application(), handshake('/chat/a'))
    assert.equal(status, 101)
    assert.match(head, /^Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=$/m)
  })

  const cases: readonly [name: string, fields: readonly string[], status: number, line?: string][] = [
    ['without a key', ['Sec-WebSocket-Key:'], 400],
    ['with a key that is too short', ['Sec-WebSocket-Key: c2hvcnQ='], 400],
    ['without a version', ['Sec-WebSocket-Version:'], 426],
    ['of another version', ['Sec-WebSocket-Version: 8'], 426],
    ['of HTTP/1.0', [], 400, 'GET /chat/a HTTP/1.0'],
    ['without Connection: Upgrade', ['Connection: close'], 400],
    ['for a list of protocols', ['Upgrade: websocket, h2c'], 400],
    ['with a body', ['Content-Length: 6'], 501],
    ['of another method', ['Content-Length: 0'], 404, 'POST /chat/a HTTP/1.1'],
    ['for another protocol', ['Upgrade: h2c'], 404],
    ['with two Host fields', ['Host: a\r\nHost: b'], 400],
    ['with an undecodable path', [], 400, 'GET /chat/%FF HTTP/1.1'],
    ['of a page of another site', ['Origin: https://evil.example'], 403],
    ['of a page of another port', ['Origin: http://localhost:81'], 403],
    ['of a sandboxed page', ['Origin: null'], 403],
    ['that is cross-site by Fetch Metadata', ['Sec-Fetch-Site: cross-site'], 403],
    ['of a page of this site', ['Origin: http://localhost'], 101],
    ['of a page behind a proxy', ['Origin: https://public.example', 'Sec-Fetch-Site: same-origin'], 101],
    ['of a program with a token', ['Origin: https://evil.example', 'Authorization: Bearer abc'], 101],
    ['with a token and cookies', ['Origin: https://evil.example', 'Authorization: Bearer abc', 'Cookie: a=b'], 403],
  ]
  for (const [name, fields, status, line] of cases) {
    it(`${name} receives ${status}`, async () => {
      const answered = await answer(application(), handshake('/chat/a', fields, line))
      assert.equal(answered.status, status, answered.head)
      if (status === 426) assert.match(answered.head, /^Sec-WebSocket-Version: 13$/im)
    })
  }

  for (const [path, status] of [
    ['/nowhere', 404],
    ['/chat', 404],
    ['/chat/a/b', 404],
    ['/in', 200],
  ] as const) {
    it(`for ${path}, which is not the path of a socket, is routed as a request and receives ${status}`, async () => {
      const options = { session: { secret: 'x'.repeat(32) } }
      assert.equal((await answer(application(options), handshake(path))).status, status)
    })
  }

  it('is refused with Connection: close, because the connection ends', async () => {
    const { status, head } = await answer(application(), handshake('/chat', ['Connection: Upgrade']))
    assert.equal(status, 404)
    assert.match(head, /^Connection: close$/im)
  })

  it('is refused for hosts that are not served', async () => {
    const { status } = await answer(application({ hosts: ['example.com'] }), handshake('/chat/a'))
    assert.equal(status, 400)
  })

  it('is accepted from the origins that crossSite lists', async () => {
    const app = application({ crossSite: ['https://app.example'] })
    assert.equal((await answer(app, handshake('/chat/a', ['Origin: https://app.example']))).status, 101)
    assert.equal((await answer(app, handshake('/chat/a', ['Origin: https://evil.example']))).status, 403)
  })

  it('passes the middleware, which sees its status and may add fields', async () => {
    const entries: RequestLogEntry[] = []
    const middleware = [requestLog({ write: (line) => void entries.push(JSON.parse(line)) })]
    const { head } = await answer(application({ middleware }), handshake('/chat/a'))
    assert.match(head, /^X-Request-Id: /im)
    assert.deepEqual(
      entries.map(({ status, route }) => [status, route]),
      [[101, '/chat/{room}']],
    )
  })

  it('uses the forwarding headers of trusted proxies and the mount point', async () => {
    const seen: unknown[] = []
    const sockets: Record<string, SocketHooks> = {
      '/chat/{room}': {
        authorize({ url, remoteAddr, scriptName }) {
          seen.push(url, remoteAddr, scriptName)
        },
        message() {},
      },
    }
    const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: public.example', 'X-Forwarded-For: 192.0.2.1']
    const origin = 'Origin: https://public.example'
    const { status } = await answer(application({ sockets }), handshake('/app/chat/a', [...forwarded, origin]), {
      trustProxy: ['127.0.0.1'],
      scriptName: '/app',
    })
    assert.equal(status, 101)
    assert.deepEqual(seen, ['https://public.example/app/chat/a', '192.0.2.1', '/app'])
    assert.equal((await answer(application(), handshake('/chat/a', [...forwarded, origin]))).status, 403)
  })

  it('leaves other requests for the path to the routes', async () => {
    await serving(application(), async ({ url }) => {
      assert.equal(await (await fetch(`${url}/page`)).text(), 'a page')
      assert.equal((await fetch(`${url}/chat/a`)).status, 404)
    })
  })

  it('does not affect a POST that offers HTTP/2, as curl --http2 sends it', async () => {
    await serving(application(), async ({ port }) => {
      const fields = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n'
      const heard = await exchange(port, `POST /page/save HTTP/1.1\r\n${fields}Content-Length: 3\r\n\r\na=b`)
      assert.match(heard, /^HTTP\/1\.1 200 [\s\S]*saved$/)
    })
  })

  it('behind a request that is in progress is not accepted', async () => {
    const started = Promise.withResolvers<void>()
    const slow = application({
      sockets: { '/chat/{room}': EchoSocket },
      middleware: [
        (app) => async (environ, start_response) => {
          if (environ.PATH_INFO === '/page') await started.promise
          return app(environ, start_response)
        },
      ],
    })
    await serving(slow, async ({ port }) => {
      const heard = exchange(port, `GET /page HTTP/1.1\r\nHost: x\r\n\r\n${handshake('/chat/a')}`)
      started.resolve()
      assert.deepEqual((await heard).match(/HTTP\/1\.1 \d+/g)?.slice(0, 2), ['HTTP/1.1 200', 'HTTP/1.1 501'])
    })
  })

  for (const [name, returned, status] of [
    ['true', true, 101],
    ['nothing', undefined, 101],
    ['false', false, 403],
    ['another value', 'ada', 500],
  ] as const) {
    it(`is ${status} if authorize() returns ${name}`, async () => {
      const authorize = Function('value', 'return () => value')(returned)
      const { status: answered } = await answer(
        application({ sockets: { '/chat/{room}': { authorize, message() {} } } }),
        handshake('/chat/a'),
      )
      assert.equal(answered, status)
    })
  }

  for (const [name, error, status] of [
    ['an HTTP exception', () => abort(401), 401],
    ['an error', () => Promise.reject(new Error('no database')), 500],
  ] as const) {
    it(`is ${status} if authorize() throws ${name}`, async () => {
      const sockets = { '/chat/{room}': { authorize: error, message() {} } }
      assert.equal((await answer(application({ sockets }), handshake('/chat/a'))).status, status)
    })
  }

  it('ends with 503 after requestTimeout', async () => {
    const sockets = {
      '/chat/{room}': { authorize: () => new Promise<boolean>(() => undefined), message() {} },
    }
    const { status } = await answer(application({ sockets, requestTimeout: 20 }), handshake('/chat/a'))
    assert.equal(status, 503)
  })

  it('reads the session, and sends the cookie of a change', async () => {
    const users: unknown[] = []
    const sockets: Record<string, SocketHooks> = {
      '/chat/{room}': {
        authorize({ session }) {
          users.push(session.get('user'))
          session.set('seen', true)
        },
        message() {},
      },
    }
    const app = application({ sockets, session: { secret: 'x'.repeat(32) } })
    await serving(app, async ({ url, port }) => {
      const [cookie] = (await fetch(`${url}/in`)).headers.getSetCookie()
      const heard = await exchange(port, handshake('/chat/a', [`Cookie: ${cookie?.split(';')[0]}`]) + CLOSE)
      assert.match(heard, /^HTTP\/1\.1 101 [\s\S]*\r\nset-cookie: session=/i)
    })
    assert.deepEqual(users, ['ada'])
  })

  // The limit is below the time-out of the shutdown.
  it('leaves a connection that does not delay a shutdown, though its client does not close it', {
    timeout: 20_000,
  }, async () => {
    const server = await serve(application(), { drainTimeout: 60_000 })
    const client = new Connection(server.port)
    client.say(handshake('/chat/a'))
    await client.hears('Sec-WebSocket-Accept')
    await server.close()
    await client.ends()
  })

  it('is 501 where the server cannot switch protocols', async () => {
    const server = createServer(toListener(application())).listen(0)
    await once(server, 'listening')
    const address = server.address() as AddressInfo
    const heard = await exchange(address.port, handshake('/chat/a'))
    assert.match(heard, /^HTTP\/1\.1 501 /)
    server.close()
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': KEY.slice(19),
    }
    assert.equal((await new TestApp(application()).get('/chat/a', { headers, status: 501 })).status, 501)
  })
})

describe('the option sockets', () => {
  for (const [value, message] of [
    [{ onMessage() {} }, /sockets\["\/chat"\] has no option "onMessage"\. Did you mean message\?/],
    [{ authorize: () => true }, /has no method open, message or close/],
    [class {}, /has no method open, message or close/],
    ['chat.ts', /sockets\["\/chat"\] is "chat\.ts"\. Pass a class or an object with authorize, open, message, close/],
    [null, /is null/],
    [{ open: 5 }, /sockets\["\/chat"\]\.open is 5\. Pass a function/],
    [{ message() {}, maxMessage: 0 }, /maxMessage is 0\. Pass a number of bytes from 1/],
    [{ message() {}, maxMessage: '1 MiB' }, /maxMessage is "1 MiB"/],
  ] as const) {
    it(`refuses ${typeof value === 'function' ? 'an empty class' : JSON.stringify(value)}`, () => {
      const options = {}
      Object.assign(options, { sockets: { '/chat': value } })
      assert.throws(() => application(options), message)
    })
  }

  for (const sockets of [false, [], 'chat']) {
    it(`refuses ${JSON.stringify(sockets)} as the record`, () => {
      const options = {}
      Object.assign(options, { sockets })
      assert.throws(() => application(options), /FrameworkApp: sockets is .*Pass an object such as/)
    })
  }

  it('has types that refuse other classes and objects', () => {
    const wrong: SocketRecord[] = [
      {
        // @ts-expect-error -- a class without hooks
        '/chat': class {
          receive() {}
        },
      },
      {
        // @ts-expect-error -- message() receives a peer first
        '/chat': class {
          message(text: string) {
            return text
          }
        },
      },
      {
        // @ts-expect-error -- a message is not text
        '/chat': { message: (_peer: SocketPeer, message: string) => message },
      },
      {
        // @ts-expect-error -- authorize() returns a boolean
        '/chat': { authorize: () => 'ada', message() {} },
      },
    ]
    assert.equal(wrong.length, 4)
  })

  it('has types that accept a class with the types of crossws', async () => {
    class CrosswsSocket {
      open(peer: Peer) {
        peer.send('open')
      }
      message(peer: Peer, message: Message) {
        peer.send(message.text())
      }
    }
    const response = await new TestApp(application({ sockets: { '/chat': CrosswsSocket } })).get('/chat')
    assert.equal(response.status, 404)
  })

  it('refuses malformed paths', () => {
    assert.throws(() => application({ sockets: { '/chat/{room': EchoSocket } }), /RouteDefinitionError|brace/)
  })
})
