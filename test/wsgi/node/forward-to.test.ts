import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttps } from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { forwardTo, serve } from 'propylon/node'
import { createEnviron, type EnvironInit, run, type WSGIApplication } from 'propylon/wsgi'
import { CERTIFICATE, KEY } from '../../tools/cli/certificate.ts'
import { Connection, serving } from './raw.ts'

/** Describes the target and the fields of a request. */
const echo: WSGIApplication = (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [`${environ.REQUEST_METHOD} ${environ.REQUEST_URI} ${environ.HTTP_HOST} ${environ.HTTP_X_FORWARDED_PREFIX}`]
}

/** Counts the bytes of the body. */
const count: WSGIApplication = async (environ, start_response) => {
  const { length } = await environ['wsgi.input'].read()
  start_response('200 OK', [])
  return [String(length)]
}

/** The other server's lines on `wsgi.errors`. */
function call(app: WSGIApplication, init: EnvironInit = {}) {
  let logged = ''
  const write = (text: string): void => {
    logged += text
  }
  const errors = { write, flush: () => {} }
  return run(app, createEnviron({ errors, ...init })).then(async (result) => ({
    status: result.status,
    headers: result.headers,
    text: await result.text(),
    logged,
  }))
}

/** Runs a server that answers each connection with the same bytes, and keeps what it has received. */
async function answering(
  bytes: string | undefined,
  use: (url: string, received: string[]) => Promise<void>,
): Promise<void> {
  const received: string[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    const index = received.push('') - 1
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received[index] += data.toString('latin1')
      if (bytes !== undefined && received[index]?.includes('\r\n\r\n')) socket.end(bytes, 'latin1')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    // A server that listens on a port has this address.
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, received)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

describe('forwardTo', () => {
  for (const target of ['', 'example.com', 'ftp://x/', 'http://x/?a', 'http://x/#a', 'http://u:p@x/', '/path']) {
    test(`refuses the URL "${target}"`, () =>
      assert.throws(() => forwardTo(target), { name: 'TypeError', message: /http:\/\/127/ }))
  }
  for (const timeout of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
    test(`refuses the timeout ${timeout}`, () => assert.throws(() => forwardTo('http://x', { timeout }), RangeError))
  }

  test('takes an application', async () => {
    assert.equal((await call(forwardTo(echo), { url: '/x' })).text, 'GET /x localhost undefined')
  })

  test('removes the mount point and adds the path of the URL', () =>
    serving(echo, async ({ url }) => {
      const app = forwardTo(`${url}/old/`)
      const { text } = await call(app, {
        url: 'http://shop.example/sh%C3%B6p/a%2Fb?x=1',
        scriptName: '/shöp',
      })
      assert.equal(text, 'GET /old/a%2Fb?x=1 shop.example /sh%C3%B6p')
      assert.equal((await call(app, { url: '/shop', scriptName: '/shop' })).text, 'GET /old localhost /shop')
      assert.equal((await call(forwardTo(url), { url: '/shop', scriptName: '/shop' })).text, 'GET / localhost /shop')
    }))

  test('reaches a server on IPv6', () =>
    serving(echo, async ({ url }) => assert.match((await call(forwardTo(url))).text, /^GET/), {
      host: '::1',
    }))

  test('reaches a server by https, and expects the certificate of its URL', async () => {
    const server = createHttps({ key: KEY, cert: CERTIFICATE }, (req, res) => res.end(`${req.url} ${req.headers.host}`))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const known = getCACertificates('default')
    try {
      // A server that listens on a port has this address.
      const url = `https://localhost:${(server.address() as AddressInfo).port}`
      const refused = await call(forwardTo(url), { url: 'https://shop.example/x' })
      assert.equal(refused.status, '502 Bad Gateway')
      assert.match(refused.logged, /certificate/)
      setDefaultCACertificates([...known, CERTIFICATE])
      assert.equal((await call(forwardTo(url), { url: 'https://shop.example/x' })).text, '/x shop.example')
    } finally {
      setDefaultCACertificates(known)
      server.close()
    }
  })

  test('answers 502 and logs the reason if the server cannot be reached', async () => {
    const { status, text, logged } = await call(forwardTo('http://127.0.0.1:1/'), { url: '/x%0Ay?secret' })
    assert.equal(status, '502 Bad Gateway')
    assert.equal(text, '502 Bad Gateway\n')
    assert.match(logged, /^forwardTo: GET \/x%0Ay: 502 Bad Gateway: http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/)
  })

  for (const [what, bytes] of [
    ['no HTTP', 'SSH-2.0\r\n\r\n'],
    ['nothing', ''],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    ['both kinds of framing', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n'],
    ['an unknown transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx'],
    ['a status beyond the range', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['a malformed chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n'],
    ['a body that ends before it begins', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
    ['a malformed field', 'HTTP/1.1 200 OK\r\nA b: c\r\n\r\n'],
    ['a NUL in a field', 'HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n'],
    ['a header that is too long', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`],
  ] as const) {
    test(`answers 502 to ${what}`, () =>
      answering(bytes, async (url) => {
        assert.equal((await call(forwardTo(url))).status, '502 Bad Gateway')
      }))
  }

  test('takes a response without reason, and drops fields of the connection', () =>
    answering(
      'HTTP/1.1 404 \r\nConnection: close, X-Own\r\nX-Own: 1\r\nKeep-Alive: 5\r\nServer: old\r\nX-Latin: \xe9\r\nContent-Length: 2\r\n\r\nno',
      async (url) => {
        const { status, headers, text } = await call(forwardTo(url))
        assert.deepEqual([status, text], ['404 Not Found', 'no'])
        assert.deepEqual(headers, [
          ['Server', 'old'],
          ['X-Latin', '\xe9'],
          ['Content-Length', '2'],
        ])
      },
    ))

  test('takes a response that ends with the connection', () =>
    answering('HTTP/1.0 200 OK\r\n\r\nall', async (url) => assert.equal((await call(forwardTo(url))).text, 'all')))

  test('passes informational responses over, and sends early hints', () =>
    answering(
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      async (url) =>
        serving(forwardTo(url), async (server) => {
          const client = new Connection(server.port ?? 0)
          client.say('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
          await client.ends()
          assert.match(
            client.heard,
            /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK/i,
          )
        }),
    ))

  test('answers 504 if nothing happens', () =>
    answering(undefined, async (url, received) => {
      const { status, logged } = await call(forwardTo(url, { timeout: 50 }))
      assert.equal(status, '504 Gateway Timeout')
      assert.match(logged, /504 Gateway Timeout: .*50 ms/)
      assert.equal(received.length, 1)
    }))

  test('does not count the time in which the client sends', (t) =>
    serving(count, async ({ url }) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      async function* slowly() {
        for (let piece = 0; piece < 4; piece += 1) {
          t.mock.timers.tick(1000)
          yield new Uint8Array(1)
        }
      }
      const headers = [['Content-Length', '4']] as const
      const { text } = await call(forwardTo(url, { timeout: 100 }), {
        method: 'POST',
        headers,
        body: slowly(),
      })
      assert.equal(text, '4')
    }))

  test('answers 508 if the server forwards to itself', async () => {
    let requests = 0
    const app: WSGIApplication = (environ, start_response) => {
      requests += 1
      return forwarded(environ, start_response)
    }
    const errors = { write() {}, flush() {} }
    const server = await serve(app, { port: 0, errors })
    const forwarded = forwardTo(server.url)
    try {
      assert.equal((await fetch(server.url)).status, 508)
      assert.equal(requests, 2)
    } finally {
      await server.close()
    }
  })

  test('gives each request a connection of its own', () =>
    answering(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
      async (url, received) => {
        const app = forwardTo(url)
        assert.equal((await call(app)).text, 'ok')
        assert.equal((await call(app)).text, 'ok')
        assert.equal(received.length, 2)
        for (const request of received) assert.match(request, /\r\nconnection: close\r\n/)
      },
    ))

  test('sends no framing for a GET, and a length for a POST', () =>
    answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', async (url, received) => {
      for (const method of ['GET', 'DELETE', 'POST', 'PROPFIND']) await call(forwardTo(url), { method })
      assert.deepEqual(
        received.map((request) => /content-length: .*|transfer-encoding/.exec(request)?.[0]),
        [undefined, undefined, 'content-length: 0', 'content-length: 0'],
      )
    }))

  test('aborts a request whose client has left before the response', () =>
    answering(undefined, async (url, received) =>
      serving(forwardTo(url), async (server) => {
        const client = new Connection(server.port ?? 0)
        client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
        while (!received[0]?.includes('\r\n\r\n')) await new Promise(setImmediate)
        client.socket.destroy()
      }),
    ))

  test('does not send a body that is shorter than its length', () =>
    answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', async (url) => {
      const headers = [['Content-Length', '9']] as const
      assert.notEqual((await call(forwardTo(url), { method: 'POST', headers, body: 'short' })).status, '200 OK')
    }))
})
