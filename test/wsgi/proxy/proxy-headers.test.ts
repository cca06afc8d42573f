import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { toFetch } from 'propylon/fetch'
import { type ServeOptions, serve, toListener } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'
import { urlOf } from '../../../src/wsgi/request-url.ts'

const KEYS = ['REMOTE_ADDR', 'wsgi.url_scheme', 'HTTP_HOST', 'SCRIPT_NAME', 'PATH_INFO'] as const

/** Responds with what URLs and logs are made of. */
const facts: WSGIApplication = (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'application/json']])
  return [JSON.stringify([...KEYS.map((key) => environ[key]), urlOf(environ)])]
}

async function valuesOf(response: Response): Promise<string[]> {
  return (await response.json()) as string[]
}

type Headers = Record<string, string>

type Family = NonNullable<ServeOptions['proxyHeaders']>

/** The family that a proxy which sends these headers writes. */
const familyOf = (headers: Headers): Family => ('Forwarded' in headers ? 'forwarded' : 'x-forwarded')

/** Values of a request by way of a server that trusts these peers. */
async function served(
  trustProxy: string[],
  headers: Headers,
  { path = '/users', proxyHeaders = familyOf(headers) }: { path?: string; proxyHeaders?: Family } = {},
): Promise<string[]> {
  const server = await serve(facts, { trustProxy, proxyHeaders })
  try {
    const response = await fetch(server.url + path, { headers })
    assert.equal(response.status, 200)
    const values = await valuesOf(response)
    return values.map((value) => value.replace(`127.0.0.1:${server.port}`, 'inner'))
  } finally {
    await server.close()
  }
}

const UNCHANGED = ['127.0.0.1', 'http', 'inner', '', '/users', 'http://inner/users']
const TRUSTED = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']
const ALL = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'shop.example',
  'X-Forwarded-Prefix': '/shop/',
}

describe('trustProxy', () => {
  it('sets client, scheme, host and prefix', async () => {
    const expected = ['203.0.113.9', 'https', 'shop.example', '/shop', '/users', 'https://shop.example/shop/users']
    assert.deepEqual(await served(TRUSTED, ALL), expected)
  })

  it('changes nothing for a peer that is not trusted', async () => {
    const headers = { ...ALL, Forwarded: 'for=203.0.113.9;proto=https;host=shop.example' }
    for (const proxyHeaders of ['x-forwarded', 'forwarded'] as const) {
      assert.deepEqual(await served(['10.0.0.0/8', 'unix'], headers, { proxyHeaders }), UNCHANGED)
      assert.deepEqual(await served([], headers, { proxyHeaders }), UNCHANGED)
    }
  })

  it('keeps the percent-encoding of the path behind a prefix', async () => {
    const values = await served(TRUSTED, { 'X-Forwarded-Prefix': '/caf%C3%A9' }, { path: '/a%2Fb?q=1' })
    assert.equal(values[3], '/café')
    assert.match(values[5] ?? '', /\/caf%C3%A9\/a%2Fb\?q=1$/)
  })

  const clients: [headers: Headers, address: string][] = [
    [{ 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '6.6.6.6, 203.0.113.9, 10.1.2.3' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '203.0.113.9, ::ffff:10.1.2.3' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '203.0.113.9, ::ffff:a01:203' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '203.0.113.9, ::ffff:10.100.200.30' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '203.0.113.9, 1::ffff:10.1.2.3' }, '1::ffff:10.1.2.3'],
    [{ 'X-Forwarded-For': '10.0.0.7, 10.0.0.8' }, '10.0.0.7'],
    [{ 'X-Forwarded-For': 'unix:' }, ''],
    [{ 'X-Forwarded-For': 'garbage, 203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '203.0.113.9:4711' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': '2001:db8::1' }, '2001:db8::1'],
    [{ 'X-Forwarded-For': '[2001:db8::1]:4711' }, '2001:db8::1'],
    [{ 'X-Forwarded-For': '::ffff:203.0.113.9' }, '203.0.113.9'],
    [{ 'X-Forwarded-For': 'unknown' }, 'unknown'],
    [{ Forwarded: 'For="[2001:db8:cafe::17]:4711"' }, '2001:db8:cafe::17'],
    [{ Forwarded: 'for=203.0.113.9;by=10.0.0.1' }, '203.0.113.9'],
    [{ Forwarded: 'for="203.0.113.9:_port"' }, '203.0.113.9'],
    [{ Forwarded: 'for=_hidden' }, '_hidden'],
    [{ Forwarded: 'for="_hidden:_port"' }, '_hidden'],
    [{ Forwarded: 'for=10.0.0.7' }, '10.0.0.7'],
    [{ Forwarded: 'for=unknown, for=10.0.0.2' }, 'unknown'],
    [{ Forwarded: 'for=6.6.6.6, for=203.0.113.9, for="[fd00::1]"' }, '203.0.113.9'],
    [{ Forwarded: 'for=6.6.6.6;host="a,for=6.6.6.6", for=203.0.113.9' }, '203.0.113.9'],
    [{ Forwarded: 'for="x, for=203.0.113.9' }, '203.0.113.9'],
    [{ Forwarded: 'for=203.0.113.9;by="a, for=6.6.6.6"' }, '203.0.113.9'],
    [{ Forwarded: 'for=203.0.113.9 , ' }, '203.0.113.9'],
    [{ Forwarded: 'for=203.0.113.9, ,' }, '203.0.113.9'],
    [{ Forwarded: 'for="\\203.0.113.9"' }, '203.0.113.9'],
  ]
  for (const [headers, address] of clients) {
    it(`finds the client of ${JSON.stringify(headers)}`, async () => {
      assert.equal((await served(TRUSTED, headers))[0], address)
    })
  }

  const malformed: Headers[] = [
    { 'X-Forwarded-For': 'garbage' },
    { 'X-Forwarded-For': '203.0.113.256' },
    { 'X-Forwarded-For': '203.0.113.9.1' },
    { 'X-Forwarded-For': 'x_hidden' },
    { 'X-Forwarded-For': '_hidden x' },
    { 'X-Forwarded-For': 'x[::1]' },
    { 'X-Forwarded-For': '[::1]x' },
    { 'X-Forwarded-For': '203.0.113.9, [::1' },
    { 'X-Forwarded-For': '' },
    { 'X-Forwarded-Proto': 'ftp' },
    { 'X-Forwarded-Host': 'a b' },
    { 'X-Forwarded-Host': 'shop.example/x' },
    { 'X-Forwarded-Host': 'user@shop.example' },
    { 'X-Forwarded-Prefix': '//evil.example' },
    { 'X-Forwarded-Prefix': '/%2Fevil.example' },
    { 'X-Forwarded-Prefix': '/\\evil.example' },
    { 'X-Forwarded-Prefix': 'shop' },
    { 'X-Forwarded-Prefix': 'shop/x' },
    { 'X-Forwarded-Prefix': '/a/..' },
    { 'X-Forwarded-Prefix': '/' },
    { 'X-Forwarded-Prefix': '/a/../b' },
    { 'X-Forwarded-Prefix': '/%ff' },
    { 'X-Forwarded-Prefix': '/a?b' },
    { Forwarded: 'garbage' },
    { Forwarded: ', ,' },
    { Forwarded: 'for=203.0.113.9;for=203.0.113.8' },
    { Forwarded: 'for=203.0.113.9;proto=https;host="a b"' },
    { Forwarded: 'for=[2001:db8::1]' },
    { Forwarded: 'for="203.0.113.9' },
    { Forwarded: 'for=203.0.113.9, proto' },
    { Forwarded: `for="${'",'.repeat(3000)}` },
  ]
  for (const headers of malformed) {
    it(`ignores ${JSON.stringify(headers).slice(0, 80)}`, async () => {
      assert.deepEqual(await served(TRUSTED, headers), UNCHANGED)
    })
  }

  it('takes scheme and host of the last hop before a trusted one', async () => {
    const hops = 'for=6.6.6.6;proto=http;host=evil.example, for=203.0.113.9;proto=https;host=shop.example'
    const inner = 'for=10.0.0.2;proto=http;host=inner.example'
    for (const headers of [
      { Forwarded: `${hops}, ${inner}` },
      {
        'X-Forwarded-For': '6.6.6.6, 203.0.113.9, 10.0.0.2',
        'X-Forwarded-Proto': 'http, https, http',
        'X-Forwarded-Host': 'evil.example, shop.example, inner.example',
      },
    ]) {
      assert.deepEqual((await served(TRUSTED, headers)).slice(0, 3), ['203.0.113.9', 'https', 'shop.example'])
    }
  })

  it('takes the last scheme, not one that the client has sent, if all addresses are trusted', async () => {
    const headers = { 'X-Forwarded-For': '10.0.0.7', 'X-Forwarded-Proto': 'http, https' }
    assert.deepEqual((await served(TRUSTED, headers)).slice(0, 2), ['10.0.0.7', 'https'])
  })

  it('takes scheme and host of a hop that hides its address', async () => {
    const Forwarded = 'for=6.6.6.6;proto=http;host=evil.example, proto=https;host=shop.example'
    const values = await served(TRUSTED, { Forwarded })
    assert.deepEqual(values.slice(0, 3), ['127.0.0.1', 'https', 'shop.example'])
  })

  it('takes the prefix of the same hop', async () => {
    const headers = {
      'X-Forwarded-For': '203.0.113.9, 10.0.0.2',
      'X-Forwarded-Prefix': '/evil, /outer, /inner',
    }
    assert.equal((await served(TRUSTED, headers))[3], '/outer')
  })

  it('adds the mount point and the prefix to REQUEST_URI', async () => {
    const target: WSGIApplication = (environ, start_response) => {
      start_response('200 OK', [])
      return [String(environ.REQUEST_URI)]
    }
    const handler = toFetch(target, { trustProxy: true, scriptName: '/inner' })
    for (const path of ['/a%2Fb?q=1', '/a%2Fb']) {
      const outer = new Request(`http://x${path}`, { headers: { 'X-Forwarded-Prefix': '/shop//' } })
      assert.equal(await (await handler(outer)).text(), `/shop/inner${path}`)
      assert.equal(await (await handler(new Request(`http://x${path}`))).text(), `/inner${path}`)
    }
  })

  const forged = { ...ALL, Forwarded: 'for=6.6.6.6;proto=https;host=evil.example' }
  const both: [proxyHeaders: Family, fields: Headers, expected: string[]][] = [
    ['x-forwarded', { Forwarded: forged.Forwarded }, UNCHANGED],
    ['x-forwarded', { ...forged, 'X-Forwarded-For': 'garbage' }, ['127.0.0.1', 'https', 'shop.example', '/shop']],
    ['x-forwarded', { ...forged, 'X-Forwarded-For': '203.0.113.9' }, ['203.0.113.9', 'https', 'shop.example', '/shop']],
    [
      'x-forwarded',
      { Forwarded: forged.Forwarded, 'X-Forwarded-For': '203.0.113.9' },
      ['203.0.113.9', 'http', 'inner', ''],
    ],
    ['forwarded', ALL, UNCHANGED],
    ['forwarded', { ...ALL, Forwarded: 'garbage' }, UNCHANGED],
    ['forwarded', { ...ALL, Forwarded: 'for=203.0.113.8' }, ['203.0.113.8', 'http', 'inner', '']],
    ['forwarded', forged, ['6.6.6.6', 'https', 'evil.example', '']],
  ]
  for (const [proxyHeaders, fields, expected] of both) {
    it(`reads ${proxyHeaders} only, of ${JSON.stringify(fields)}`, async () => {
      const values = await served(TRUSTED, fields, { proxyHeaders })
      assert.deepEqual(values.slice(0, expected.length), expected)
      const request = () => new Request('http://inner/users', { headers: fields })
      const onFetch = await valuesOf(await toFetch(facts, { trustProxy: true, proxyHeaders })(request()))
      assert.deepEqual(onFetch.slice(1, expected.length), expected.slice(1))
    })
  }

  it('reads X-Forwarded-* by default', async () => {
    const server = await serve(facts, { trustProxy: TRUSTED })
    const values = await valuesOf(await fetch(server.url, { headers: forged }))
    assert.deepEqual(values.slice(0, 4), ['203.0.113.9', 'https', 'shop.example', '/shop'])
    await server.close()
    const handler = toFetch(facts, { trustProxy: true })
    const onFetch = await valuesOf(await handler(new Request('http://inner/', { headers: forged })))
    assert.deepEqual(onFetch.slice(0, 4), ['203.0.113.9', 'https', 'shop.example', '/shop'])
  })

  it('refuses a family that does not exist', async () => {
    const options = JSON.parse('{ "proxyHeaders": "Forwarded" }')
    const expected = { name: 'TypeError', message: /proxyHeaders is "Forwarded"\. Pass 'x-forwarded' for/ }
    await assert.rejects(serve(facts, options), expected)
    assert.throws(() => toListener(facts, options), expected)
    assert.throws(() => toFetch(facts, options), expected)
  })

  const wrong: unknown[] = ['10.0.0.0/33', '::/129', 'localhost', '', '10.0.0', '10.0.0.0/', '[::1]', 7]
  for (const entry of wrong) {
    it(`refuses the entry ${JSON.stringify(entry)} at the start`, async () => {
      const entries = [entry] as string[]
      await assert.rejects(serve(facts, { trustProxy: entries }), {
        name: 'TypeError',
        message: /trustProxy contains/,
      })
    })
  }

  it('refuses a value that is not a list', async () => {
    const all = JSON.parse('true')
    await assert.rejects(serve(facts, { trustProxy: all }), {
      name: 'TypeError',
      message: /trustProxy is true/,
    })
  })
})

describe('toFetch', () => {
  it('uses the headers of a platform that is trusted', async () => {
    const handler = toFetch(facts, { trustProxy: true })
    const headers = { ...ALL, 'X-Forwarded-For': '6.6.6.6, 203.0.113.9' }
    const response = await handler(new Request('http://inner/users', { headers }))
    const expected = ['203.0.113.9', 'https', 'shop.example', '/shop', '/users']
    assert.deepEqual((await valuesOf(response)).slice(0, 5), expected)
  })

  it('has the scheme http if the proxy received that', async () => {
    const request = new Request('https://inner/users', { headers: { 'X-Forwarded-Proto': 'http' } })
    assert.equal((await valuesOf(await toFetch(facts, { trustProxy: true })(request)))[1], 'http')
  })

  it('ignores them by default', async () => {
    const response = await toFetch(facts)(new Request('http://inner/users', { headers: ALL }))
    assert.deepEqual((await valuesOf(response)).slice(0, 5), ['', 'http', 'inner', '', '/users'])
  })

  it('refuses a list of addresses, because it does not know its peer', () => {
    const list = JSON.parse('["10.0.0.0/8"]')
    assert.throws(() => toFetch(facts, { trustProxy: list }), { name: 'TypeError', message: /pass true/ })
  })
})

describe('scriptName', () => {
  const paths: [path: string, scriptName: string, pathInfo: string, url: string][] = [
    ['/shop/a%2Fb?q=1', '/shop', '/a/b', '/shop/a%2Fb?q=1'],
    ['/shop', '/shop', '', '/shop'],
    ['/a%2Fb?q=1', '/shop', '/a/b', '/shop/a%2Fb?q=1'],
    ['/shopping', '/shop', '/shopping', '/shop/shopping'],
  ]
  for (const [path, scriptName, pathInfo, url] of paths) {
    it(`mounts ${path} on both faces`, async () => {
      const expected = [scriptName, pathInfo, `http://x${url}`]
      const handler = toFetch(facts, { scriptName: '/shop/' })
      assert.deepEqual((await valuesOf(await handler(new Request(`http://x${path}`)))).slice(3), expected)
      const server = await serve(facts, { scriptName: '/shop' })
      const response = await fetch(server.url + path)
      const values = await valuesOf(response)
      await server.close()
      assert.deepEqual(
        values.slice(3).map((value) => value.replace(`127.0.0.1:${server.port}`, 'x')),
        expected,
      )
    })
  }

  it('may be empty, and may end with slashes', async () => {
    const given: [scriptName: string, expected: string][] = [
      ['', ''],
      ['/', ''],
      ['/shop//', '/shop'],
    ]
    for (const [scriptName, expected] of given) {
      const handler = toFetch(facts, { scriptName })
      assert.equal((await valuesOf(await handler(new Request('http://x/a'))))[3], expected)
    }
  })

  it('is not added to the target *', async () => {
    const options = { scriptName: '/shop', trustProxy: TRUSTED }
    const server = await serve(facts, options)
    const headers = { 'X-Forwarded-Prefix': '/outer' }
    const request = http.request(server.url, { method: 'OPTIONS', path: '*', headers }).end()
    const [response] = await once(request, 'response')
    assert.deepEqual(JSON.parse(await text(response)).slice(3, 5), ['', '*'])
    await server.close()
  })

  for (const wrong of ['shop', '//shop', '/shop?x']) {
    it(`refuses ${wrong}`, () => {
      assert.throws(() => toFetch(facts, { scriptName: wrong }), { name: 'TypeError', message: /scriptName/ })
    })
  }
})
