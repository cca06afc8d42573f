import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeResponse, XMLRPCClient } from 'propylon/xmlrpc'
import { listen, listenRaw } from './servers.ts'

describe('a connection that the server closes', () => {
  for (const close of ['end', 'resetAndDestroy'] as const) {
    it(`fails the call, which is not sent again: ${close}`, async (context) => {
      let connections = 0
      const port = await listenRaw(context, (socket) => {
        connections++
        socket.once('data', () => socket[close]())
      })
      const client = new XMLRPCClient(`http://127.0.0.1:${port}/`)
      await assert.rejects(client.call('a'), /closed the connection \((UND_ERR_SOCKET|ECONNRESET)\)/)
      assert.equal(connections, 1)
    })
  }

  it('fails the call if part of the response has been received', async (context) => {
    const { url } = await listen(context, (_request, response) => {
      response.setHeader('content-length', 100)
      response.write('<', () => response.destroy())
    })
    await assert.rejects(
      new XMLRPCClient(url).call('a'),
      /the connection failed: the server closed the connection/,
    )
  })
})

it('without the option cookies no cookies of a response are read, because older browsers cannot', async () => {
  const response = new Response(encodeResponse(1))
  Object.defineProperty(response.headers, 'getSetCookie', { value: undefined })
  const client = new XMLRPCClient('http://localhost/', { fetch: async () => response })
  assert.equal(await client.call('a'), 1)
})

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
})
