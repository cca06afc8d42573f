import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { encodeResponse, XMLRPCClient, XMLRPCTransportError } from 'propylon/xmlrpc'
import { listenRaw, socketPath } from './servers.ts'

const document = encodeResponse('x')
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: ${document.length}\r\n\r\n${document}`
/** The reaction of a server to a request. */
type Reaction = (socket: Socket) => void
const answers: Reaction = (socket) => socket.write(ANSWER)
const closes: Reaction = (socket) => socket.end()
/** Unix sockets cannot be reset; they are closed at once instead. */
const resets: Reaction = (socket) =>
  socket.remotePort === undefined ? socket.destroy() : socket.resetAndDestroy()
const answersInPart: Reaction = (socket) => socket.end(ANSWER.slice(0, 20))

interface Reacting {
  readonly url: string
  /** Number of requests so far. */
  requests(): number
  /** Number of requests so far on connections that had been used. */
  reuses(): number
}

/** Starts a server that does `first` with the first request of a connection and `later` with the others. */
async function react(
  context: TestContext,
  kind: string,
  first: Reaction,
  later: Reaction = first,
): Promise<Reacting> {
  let requests = 0
  let reuses = 0
  const connected = (socket: Socket) => {
    let received = ''
    let isFirst = true
    socket.on('data', (chunk) => {
      received += chunk
      if (!received.includes('</methodCall>')) return
      received = ''
      requests++
      if (isFirst) first(socket)
      else {
        reuses++
        later(socket)
      }
      isFirst = false
    })
  }
  const path = kind === 'unix' ? socketPath(context) : undefined
  const port = await listenRaw(context, connected, path)
  const url = path === undefined ? `http://127.0.0.1:${port}/` : `unix:${path}`
  return { url, requests: () => requests, reuses: () => reuses }
}

/** Calls until a connection is reused, which the platform decides. Returns the number of calls. */
async function callUntilReuse(server: Reacting): Promise<number> {
  const client = new XMLRPCClient(server.url)
  for (let calls = 1; ; calls++) {
    assert.equal(await client.call('a'), 'x')
    if (server.reuses() > 0) return calls
    await setImmediate()
  }
}

for (const kind of ['tcp', 'unix']) {
  describe(`a connection that the server closes (${kind})`, () => {
    for (const [name, close] of Object.entries({ closes, resets })) {
      it(`is replaced if it had been used and the server ${name} it without a byte`, async (context) => {
        const server = await react(context, kind, answers, close)
        const calls = await callUntilReuse(server)
        assert.equal(server.requests(), calls + 1)
      })

      it(`fails the call if it is a new one and the server ${name} it`, async (context) => {
        const server = await react(context, kind, close)
        await assert.rejects(
          new XMLRPCClient(server.url).call('a'),
          /closed the connection \((UND_ERR_SOCKET|ECONNRESET)\)/,
        )
        assert.equal(server.requests(), 1)
      })
    }

    it('fails the call if part of the response has been received', async (context) => {
      const server = await react(context, kind, answers, answersInPart)
      await assert.rejects(callUntilReuse(server), XMLRPCTransportError)
      assert.equal(server.reuses(), 1)
    })

    it('fails the call if the new one is closed too', async (context) => {
      let isOver = false
      const server = await react(
        context,
        kind,
        (socket) => (isOver ? closes(socket) : answers(socket)),
        (socket) => {
          isOver = true
          closes(socket)
        },
      )
      await assert.rejects(callUntilReuse(server), XMLRPCTransportError)
      assert.equal(server.reuses(), 1)
    })
  })
}

function failing(code: string, message: string, fields: object = {}): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, ...fields }) })
}

describe('the error of a failed connection names its cause:', () => {
  for (const [cause, message] of [
    [
      failing('ECONNREFUSED', 'x', { address: '::1', port: 80 }),
      'the connection was refused ([::1]:80, ECONNREFUSED)',
    ],
    [failing('ENOTFOUND', 'x', { hostname: 'nowhere' }), 'the host nowhere is unknown (ENOTFOUND)'],
    [failing('ECONNRESET', 'x'), 'the server closed the connection (ECONNRESET)'],
    [failing('UND_ERR_CONNECT_TIMEOUT', 'x'), 'connecting timed out (UND_ERR_CONNECT_TIMEOUT)'],
    [failing('CERT_HAS_EXPIRED', 'x'), 'the certificate has expired (CERT_HAS_EXPIRED)'],
    [
      failing('SELF_SIGNED_CERT_IN_CHAIN', 'x'),
      'the certificate is signed by an unknown authority. Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it before Node starts, if you trust it. (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
    [
      failing('ERR_TLS_CERT_ALTNAME_INVALID', 'altnames'),
      'the certificate is for another host: altnames (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
    [
      failing('ERR_SSL_WRONG_VERSION_NUMBER', 'x'),
      'the server does not use TLS on this port, so use http: (ERR_SSL_WRONG_VERSION_NUMBER)',
    ],
    [failing('HPE_INVALID_HEADER_TOKEN', 'Bad header'), 'Bad header (HPE_INVALID_HEADER_TOKEN)'],
    [new TypeError('fetch failed', { cause: new Error('bad port') }), 'fetch refuses this port ("bad port")'],
    [
      new TypeError('Fetch failed: Requests to port 6000 are blocked'),
      'fetch refuses this port ("bad port")',
    ],
    [new TypeError('fetch failed', { cause: new Error('deep') }), 'deep'],
    [
      new TypeError('fetch failed', {
        cause: new AggregateError([
          Object.assign(new Error('a'), { code: 'ECONNREFUSED', address: '::1', port: 9 }),
          Object.assign(new Error('b'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 9 }),
        ]),
      }),
      'the connection was refused ([::1]:9, ECONNREFUSED), the connection was refused (127.0.0.1:9, ECONNREFUSED)',
    ],
  ] as const) {
    it(message, async () => {
      const client = new XMLRPCClient('http://server.test/', { fetch: () => Promise.reject(cause) })
      await assert.rejects(client.call('a'), {
        name: 'XMLRPCTransportError',
        message: `http://server.test/: the connection failed: ${message}`,
        cause,
      })
    })
  }

  it('does not take the error of an invalid header for one of the connection', async () => {
    const client = new XMLRPCClient('http://server.test/', { headers: { 'x-a': 'a\nb' } })
    await assert.rejects(client.call('a'), TypeError)
  })

  it('survives an error that is its own cause', async () => {
    const cause: Error & { cause?: unknown } = new Error('loop')
    cause.cause = cause
    const client = new XMLRPCClient('http://server.test/', { fetch: () => Promise.reject(cause) })
    await assert.rejects(client.call('a'), /the connection failed: loop/)
  })

  it('names a socket that does not exist', async (context) => {
    const path = socketPath(context)
    await assert.rejects(new XMLRPCClient(`unix:${path}`).call('a'), {
      message: `unix:${path}: the connection failed: there is no socket (${path}, ENOENT)`,
    })
  })
})
