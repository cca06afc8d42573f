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
      await assert.rejects(client.call('a'), /the connection failed: .*(?:UND_ERR_SOCKET|ECONNRESET)/)
      assert.equal(connections, 1)
    })
  }

  it('fails the call if part of the response has been received', async (context) => {
    const { url } = await listen(context, (_request, response) => {
      response.setHeader('content-length', 100)
      response.write('<', () => response.destroy())
    })
    await assert.rejects(new XMLRPCClient(url).call('a'), /the connection failed: /)
  })
})

it('without the option cookies no cookies of a response are read, because older browsers cannot', async () => {
  const response = new Response(encodeResponse(1))
  Object.defineProperty(response.headers, 'getSetCookie', { value: undefined })
  const client = new XMLRPCClient('http://localhost/', { fetch: async () => response })
  assert.equal(await client.call('a'), 1)
})

function failing(code: string, message: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}

describe('the error of a failed connection names its cause:', () => {
  for (const [cause, message] of [
    [failing('ECONNREFUSED', 'connect ECONNREFUSED ::1:80'), 'connect ECONNREFUSED ::1:80'],
    [failing('CERT_HAS_EXPIRED', 'certificate has expired'), 'certificate has expired (CERT_HAS_EXPIRED)'],
    [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port'],
    [
      new TypeError('fetch failed', {
        cause: new AggregateError([
          Object.assign(new Error('connect ECONNREFUSED ::1:9'), { code: 'ECONNREFUSED' }),
          Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
        ]),
      }),
      'connect ECONNREFUSED ::1:9, connect ECONNREFUSED 127.0.0.1:9',
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
