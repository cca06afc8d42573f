import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Fetch, type Struct, XMLRPCClient } from 'propylon/xmlrpc'
import { Agent, fetch as undiciFetch } from 'undici'
import { listen, listenRaw, mirror, socketPath } from './servers.ts'

type Mirror = { mirror(value: unknown): Struct }

/** Returns a function that sends requests to a unix socket. */
function fetchBy(context: TestContext, socket: string): Fetch {
  const dispatcher = new Agent({ connect: { socketPath: socket } })
  context.after(() => dispatcher.close())
  return (url, init) => undiciFetch(url, { ...init, dispatcher })
}

describe('a server at a unix socket', () => {
  it('is reached by an own fetch', async (context) => {
    const socket = socketPath(context)
    await listen(context, mirror, socket)
    const options = { fetch: fetchBy(context, socket), headers: { 'x-trace': '7' } }
    const client = new XMLRPCClient<Mirror>('http://me:secret@localhost/RPC2', options)
    const { param, path, host, trace, authorization } = await client.mirror('grüße')
    assert.deepEqual([param, path, host, trace], ['grüße', '/RPC2', 'localhost', '7'])
    assert.equal(authorization, `Basic ${btoa('me:secret')}`)
    assert.equal(client.url, 'http://localhost/RPC2')
  })

  it('is named with its path if it does not exist', async (context) => {
    const socket = socketPath(context)
    const client = new XMLRPCClient('http://localhost/', { fetch: fetchBy(context, socket) })
    await assert.rejects(client.call('a'), {
      message: `http://localhost/: the connection failed: connect ENOENT ${socket}`,
    })
  })
})

describe('an invalid URL', () => {
  for (const url of ['unix:/run/app.sock', 'http+unix://%2Frun%2Fapp.sock/', 'scgi://127.0.0.1:5000/', 'ftp://x/']) {
    it(`is refused: ${url}`, () => {
      const { protocol } = new URL(url)
      assert.throws(() => new XMLRPCClient(url, { fetch }), {
        name: 'TypeError',
        message: `The URL has the scheme ${protocol} Use http: or https:. The option fetch can send the requests elsewhere.`,
      })
    })
  }
})

it('a port that fetch refuses is named as the cause', async () => {
  await assert.rejects(new XMLRPCClient('http://127.0.0.1:6666/').call('a'), {
    message: 'http://127.0.0.1:6666/: the connection failed: bad port',
  })
})

describe('a server that never responds', () => {
  it('fails the call after the time limit', async (context) => {
    const port = await listenRaw(context, () => {})
    const client = new XMLRPCClient(`http://127.0.0.1:${port}/`, { timeout: 1 })
    await assert.rejects(client.call('a'), /XMLRPCTransportError: .*no response within 1 ms/)
  })

  it('fails the call with the reason of the signal', async (context) => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const port = await listenRaw(context, () => controller.abort(reason))
    const client = new XMLRPCClient(`http://127.0.0.1:${port}/`, { signal: controller.signal })
    await assert.rejects(client.call('a'), reason)
    await assert.rejects(client.call('a'), reason)
  })
})
