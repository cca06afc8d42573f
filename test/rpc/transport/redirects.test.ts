import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeResponse, type Struct, XMLRPCClient } from 'propylon/xmlrpc'
import { listen, mirror } from './servers.ts'

type Mirror = { mirror(value: unknown): Struct }

describe('a redirect', () => {
  for (const [status, location] of [
    [301, '/end'],
    [302, '/end'],
    [303, '/end'],
    [307, '/end'],
    [308, 'http://127.0.0.1:1/end'],
    [307, 'file:///etc/passwd'],
    [307, 'http://[malformed'],
  ] as const) {
    it(`with status ${status} to ${location} is an error that names the target, and is not followed`, async (context) => {
      let requests = 0
      const { url } = await listen(context, (_request, response) => {
        requests++
        response.writeHead(status, { location }).end(encodeResponse(1))
      })
      await assert.rejects(new XMLRPCClient(url).call('a'), {
        name: 'XMLRPCTransportError',
        status,
        message: `${url}: the HTTP status is ${status}, a redirect to ${location}`,
      })
      assert.equal(requests, 1)
    })
  }

  it('is an error in a browser, which hides it', async () => {
    const client = new XMLRPCClient('http://server.test/', { fetch: async () => Response.error() })
    await assert.rejects(client.call('a'), /the HTTP status is 0, a redirect$/)
  })
})

describe('with', () => {
  it('returns a client of the same type with other headers', async (context) => {
    const { url } = await listen(context, mirror)
    const client = new XMLRPCClient<Mirror>(url, { headers: { 'x-trace': '1', cookie: 'a=b' } })
    const other = client.with({ headers: { 'X-Trace': '2' } })
    assert.deepEqual([(await other.mirror(1)).trace, (await other.mirror(1)).cookie], ['2', 'a=b'])
    assert.equal((await client.mirror(1)).trace, '1')
    assert.ok(other instanceof XMLRPCClient)
    // @ts-expect-error there is no such method
    await other.nothing(1)
  })

  it('replaces the time limit', async (context) => {
    const { url } = await listen(context, () => {})
    await assert.rejects(new XMLRPCClient(url).with({ timeout: 1 }).call('a'), /no response within 1 ms/)
  })

  it('adds a signal', async (context) => {
    const controllers = [new AbortController(), new AbortController()] as const
    const { url } = await listen(context, () => controllers[1].abort(new Error('second')))
    const client = new XMLRPCClient(url, { signal: controllers[0].signal })
    await assert.rejects(client.with({ signal: controllers[1].signal }).call('a'), new Error('second'))
    controllers[0].abort(new Error('first'))
    await assert.rejects(client.with({ timeout: 60_000 }).call('a'), new Error('first'))
  })

  it('does not hide a method of the server from call', async (context) => {
    const { url } = await listen(context, (_request, response) => response.end(encodeResponse('called')))
    assert.equal(await new XMLRPCClient(url).call('with'), 'called')
  })
})
