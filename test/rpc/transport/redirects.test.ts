import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeResponse, type Struct, XMLRPCClient } from 'propylon/xmlrpc'
import { CookieJar } from 'tough-cookie'
import { listen, mirror, socketPath } from './servers.ts'

type Mirror = { mirror(value: unknown): Struct }

describe('a redirect', () => {
  for (const status of [307, 308]) {
    it(`with status ${status} is followed with method, body and headers`, async (context) => {
      const { url } = await listen(context, (request, response) => {
        if (request.url === '/end') mirror(request, response)
        else response.writeHead(status, { location: '/end' }).end()
      })
      const client = new XMLRPCClient<Mirror>(url.replace('//', '//me:pw@'), { headers: { 'x-trace': '7' } })
      const seen = await client.mirror('grüße')
      assert.deepEqual([seen.param, seen.path, seen.trace], ['grüße', '/end', '7'])
      assert.equal(seen.authorization, `Basic ${btoa('me:pw')}`)
    })
  }

  for (const status of [307, 308]) {
    it(`with status ${status} to another origin does not repeat the parameters there`, async (context) => {
      let received = 0
      const { url: target } = await listen(context, (request, response) => {
        received++
        mirror(request, response)
      })
      const { url } = await listen(context, (_request, response) => {
        response.writeHead(status, { location: target }).end()
      })
      await assert.rejects(new XMLRPCClient(url).call('mirror', 'secret'), {
        name: 'XMLRPCTransportError',
        message: new RegExp(
          `a redirect to another origin, ${new URL(target).origin}\\. .* crossOriginRedirects: true`,
        ),
      })
      assert.equal(received, 0)
    })
  }

  for (const [from, to, isFollowed] of [
    ['http://server.test/', 'https://server.test/rpc', true],
    ['http://server.test:8080/', 'https://server.test/', false],
    ['http://server.test/', 'https://server.test:8443/', false],
    ['http://server.test/', 'https://other.test/', false],
  ] as const) {
    it(`from ${from} to ${to} is ${isFollowed ? '' : 'not '}followed`, async () => {
      const sent: string[] = []
      const client = new XMLRPCClient(from, {
        fetch: async (url) => {
          sent.push(url)
          if (sent.length > 1) return new Response(encodeResponse('there'))
          return new Response(null, { status: 308, headers: { location: to } })
        },
      })
      if (isFollowed) assert.equal(await client.call('a'), 'there')
      else await assert.rejects(client.call('a'), /a redirect to another origin/)
      assert.deepEqual(sent, isFollowed ? [from, to] : [from])
    })
  }

  it('to another origin is followed without headers that can be credentials, if the client allows it', async (context) => {
    const { url: target } = await listen(context, mirror)
    const { url } = await listen(context, (_request, response) => {
      response.writeHead(307, { location: target.replace('//', '//you:pw@') }).end()
    })
    const options = { headers: { cookie: 'a=b', 'x-trace': '7' }, crossOriginRedirects: true }
    const seen = await new XMLRPCClient<Mirror>(url.replace('//', '//me:pw@'), options).mirror(1)
    assert.deepEqual([seen.authorization, seen.cookie, seen.trace], ['', '', ''])
    assert.equal(`http://${seen.host}/`, target)
  })

  it('is an error that names the target after five of them', async (context) => {
    let requests = 0
    const { url } = await listen(context, (_request, response) => {
      requests++
      response.writeHead(307, { location: '/again' }).end()
    })
    await assert.rejects(new XMLRPCClient(url).call('a'), /the HTTP status is 307, a redirect to \/again$/)
    assert.equal(requests, 6)
  })

  for (const [status, location] of [
    [301, '/end'],
    [302, '/end'],
    [303, '/end'],
    [307, 'file:///etc/passwd'],
    [307, 'http://[malformed'],
  ] as const) {
    it(`with status ${status} to ${location} is an error that names the target`, async (context) => {
      const { url } = await listen(context, (_request, response) => {
        response.writeHead(status, { location }).end(encodeResponse(1))
      })
      await assert.rejects(new XMLRPCClient(url).call('a'), {
        name: 'XMLRPCTransportError',
        message: `${url}: the HTTP status is ${status}, a redirect to ${location}`,
      })
    })
  }

  it('from https to http is an error', async () => {
    const sent: string[] = []
    const client = new XMLRPCClient('https://server.test/', {
      fetch: async (url) => {
        sent.push(url)
        return new Response(null, { status: 307, headers: { location: 'http://server.test/' } })
      },
    })
    await assert.rejects(client.call('a'), /a redirect to http:\/\/server\.test\/$/)
    assert.deepEqual(sent, ['https://server.test/'])
  })
})

describe('cookies', () => {
  const setting: Parameters<typeof listen>[1] = (request, response) => {
    response.setHeader('set-cookie', ['session=1; Path=/', 'foreign=2; Domain=example.com', '='])
    mirror(request, response)
  }

  for (const kind of ['tcp', 'unix']) {
    it(`are sent back to their server (${kind})`, async (context) => {
      const { url } = await listen(context, setting, kind === 'unix' ? socketPath(context) : 0)
      const client = new XMLRPCClient<Mirror>(url, { cookies: true })
      assert.equal((await client.mirror(1)).cookie, '')
      assert.equal((await client.mirror(1)).cookie, 'session=1')
      assert.equal((await client.with({ timeout: 60_000 }).mirror(1)).cookie, 'session=1')
    })
  }

  it('are not kept by default', async (context) => {
    const { url } = await listen(context, setting)
    const client = new XMLRPCClient<Mirror>(url)
    await client.mirror(1)
    assert.equal((await client.mirror(1)).cookie, '')
  })

  it('can be kept in a jar of the application', async (context) => {
    const { url } = await listen(context, setting)
    const jar = new CookieJar()
    await new XMLRPCClient<Mirror>(url, { cookies: jar }).mirror(1)
    assert.equal(await jar.getCookieString(url), 'session=1')
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
