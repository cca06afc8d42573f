import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HTTPBadRequest, Request } from 'propylon'
import { createEnviron, type EnvironInit } from 'propylon/wsgi'
import { rejection } from './rejection.ts'

const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded']

function request(init: EnvironInit = {}): Request {
  return new Request(createEnviron(init))
}

function post(body: string, type: [string, string] = FORM): Request {
  return request({ method: 'POST', url: '/x?q=1&a=query', headers: [type], body })
}

describe('Request', () => {
  it('has method, paths, host and address', () => {
    const one = request({
      method: 'PUT',
      url: 'https://example.com/app/a%20b?x=1',
      scriptName: '/app',
      remoteAddr: '10.0.0.1',
    })
    assert.deepEqual(
      [one.method, one.scriptName, one.pathInfo, one.path, one.host, one.scheme, one.isSecure, one.remoteAddr],
      ['PUT', '/app', '/a b', '/app/a b', 'example.com', 'https', true, '10.0.0.1'],
    )
  })

  for (const [url, scriptName, expected] of [
    ['/', '', '/'],
    ['/tools/a%3Fb%26c%2Fd;edit?q=%2F', '', '/tools/a%3Fb%26c%2Fd;edit?q=%2F'],
    ['/caf%C3%A9/x?', '/café', '/caf%C3%A9/x'],
    ['https://example.com/app/a%20b?x=1&x=2', '/app', '/app/a%20b?x=1&x=2'],
  ] as const) {
    it(`has the path and query of ${url} as they were sent`, () =>
      assert.equal(request({ url, scriptName }).pathAndQuery, expected))
  }

  it('reflects changes of the environ', () => {
    const one = request({ url: '/app/x' })
    one.environ.SCRIPT_NAME = '/app'
    one.environ.PATH_INFO = '/x'
    assert.deepEqual([one.scriptName, one.pathInfo, one.path], ['/app', '/x', '/app/x'])
  })

  it('looks up header fields case-insensitively', () => {
    const one = request({ headers: [['X-Thing', '1'], FORM] })
    assert.deepEqual(
      [one.header('x-thing'), one.headers.get('CONTENT-TYPE'), one.header('x-other')],
      ['1', FORM[1], undefined],
    )
  })

  it('parses its content type', () => {
    const one = post('', ['Content-Type', 'Text/Plain; charset=UTF-8'])
    assert.equal(one.contentType, 'Text/Plain; charset=UTF-8')
    assert.equal(one.mediaType?.essence, 'text/plain')
  })

  it('has neither content type nor length if none were sent', () => {
    const one = request()
    assert.deepEqual(
      [one.contentType, one.mediaType, one.contentLength, one.header('content-type')],
      Array(4).fill(undefined),
    )
  })

  it('parses query and cookies once', () => {
    const one = request({ url: '/?a=1&a=2&b=%zz', headers: [['Cookie', 'c=3; c=4']] })
    assert.deepEqual([one.query.get('a'), one.query.getAll('a'), one.query.get('b')], ['1', ['1', '2'], '%zz'])
    assert.deepEqual({ ...one.cookies }, { c: '3' })
    assert.equal(one.query, one.query)
    assert.equal(one.cookies, one.cookies)
  })

  it('refuses a query with too many fields', () => {
    assert.throws(() => request({ url: `/?${'a&'.repeat(1001)}` }).query, HTTPBadRequest)
  })

  it('has records without inherited properties', () => {
    const one = request()
    for (const map of [one.query.toObject(), one.cookies, one.routeParams]) {
      assert.equal(Object.getPrototypeOf(map), null)
      assert.equal('constructor' in map, false)
    }
  })

  it('has the match of the route', () => {
    const match = { controller: 'users', id: 'joe' }
    const one = request({ extra: { 'wsgiorg.routing_args': [[], match] } })
    assert.equal(one.routeParams, match)
  })

  it('selects the media type, language and coding that the client prefers', () => {
    const one = request({
      headers: [
        ['Accept', 'application/json'],
        ['Accept-Language', 'de'],
        ['Accept-Encoding', 'gzip'],
      ],
    })
    assert.equal(one.accept('text/html', 'application/json'), 'application/json')
    assert.equal(one.accept('text/html'), undefined)
    assert.equal(one.acceptsLanguage('en', 'de-CH'), 'de-CH')
  })

  it('parses its preconditions', () => {
    const one = request({
      headers: [
        ['If-None-Match', '"a", W/"b"'],
        ['If-Match', '*'],
        ['If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
        ['If-Unmodified-Since', 'nonsense'],
      ],
    })
    assert.deepEqual([one.ifNoneMatch, one.ifMatch], [['"a"', 'W/"b"'], '*'])
    assert.equal(request().ifMatch, undefined)
  })

  it('evaluates its preconditions', () => {
    const one = request({ method: 'PUT', headers: [['If-Match', '"v1"']] })
    assert.equal(one.preconditions({ etag: '"v1"' }), 'proceed')
    assert.equal(one.preconditions({ etag: '"v2"' }), 'failed')
  })
})

describe('Request.of', () => {
  it('returns the same Request for an environ', () => {
    const environ = createEnviron()
    assert.equal(Request.of(environ), Request.of(environ))
  })

  it('returns another for a copied environ, with the same body', async () => {
    const environ = createEnviron({ method: 'POST', headers: [FORM], body: 'a=1' })
    const first = Request.of(environ, { fields: 5 })
    const copy = { ...environ, SCRIPT_NAME: '/app' }
    assert.equal((await first.form()).get('a'), '1')
    const second = Request.of(copy)
    assert.equal(second.scriptName, '/app')
    assert.equal(second.limits.fields, 5)
    assert.equal((await second.form()).get('a'), '1')
  })
})

describe('the body of a Request', () => {
  it('can be read by any method, in any order, any number of times', async () => {
    const one = post('a=1')
    assert.equal((await one.form()).get('a'), '1')
    assert.equal(await one.text(), 'a=1')
    assert.equal((await one.bytes()).length, 3)
    assert.equal((await one.form()).get('a'), '1')
    assert.equal(await one.form(), await one.form())
  })

  it('is restored in wsgi.input', async () => {
    const one = post('a=1')
    await one.form()
    assert.equal(new TextDecoder().decode(await one.environ['wsgi.input'].read()), 'a=1')
  })

  it('is available as a stream', async () => {
    assert.equal(await new globalThis.Response(post('a=1').body).text(), 'a=1')
  })

  it('is available as a stream after it has been read', async () => {
    const one = post('a=1')
    await one.text()
    assert.equal(await new globalThis.Response(one.body).text(), 'a=1')
  })

  it('is empty if there is none', async () => {
    const one = request()
    assert.deepEqual([await one.text(), (await one.bytes()).length, (await one.form()).size], ['', 0, 0])
  })

  it('is not shared by requests without a body', async () => {
    const broken = request({ headers: [['Content-Length', '5']] })
    await assert.rejects(broken.text(), HTTPBadRequest)
    assert.equal(await request().text(), '')
  })

  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'text/json', 'application/vnd.api+json']) {
    it(`is parsed as JSON if its type is ${type}`, async () => {
      assert.deepEqual(await post('{"a":[1]}', ['Content-Type', type]).json(), { a: [1] })
    })
  }

  for (const type of ['text/plain', FORM[1], 'application/jsonx', 'json', '']) {
    const request = () => post('{"a":[1]}', ['Content-Type', type])
    it(`is not parsed as JSON if its type is ${JSON.stringify(type)}`, async () => {
      const refused = await rejection(request().json())
      assert.equal(refused.status, 415)
      assert.equal(
        refused.detail,
        `The request must have a JSON content type such as application/json, but it has ${type === '' ? 'none' : JSON.stringify(type)}.`,
      )
      assert.equal(refused.headers.get('accept'), 'application/json')
    })

    it(`is parsed as JSON with anyType if its type is ${JSON.stringify(type)}`, async () => {
      assert.deepEqual(await request().json({ anyType: true }), { a: [1] })
    })
  }

  it('is parsed as JSON up to a limit', async () => {
    const request = () => post('{"a":[1]}', ['Content-Type', 'application/json'])
    assert.equal((await rejection(request().json(8))).status, 413)
    assert.equal((await rejection(request().json({ limit: 8 }))).status, 413)
    assert.deepEqual(await request().json({ limit: 9 }), { a: [1] })
  })

  it('is decoded in its charset', async () => {
    const body = new Uint8Array([0xe4])
    const headers: [string, string][] = [['Content-Type', 'text/plain; charset=iso-8859-1']]
    assert.equal(await request({ method: 'POST', headers, body }).text(), 'ä')
  })

  const broken: [string, string, Uint8Array | string, (one: Request) => Promise<unknown>, string][] = [
    ['text that is not UTF-8', 'text/plain', new Uint8Array([0xff]), (one) => one.text(), '400 Bad Request'],
    ['an unknown charset', 'text/plain; charset=klingon', 'x', (one) => one.text(), '415 Unsupported Media Type'],
    [
      'a form in an unknown charset',
      `${FORM[1]}; charset=klingon`,
      'x',
      (one) => one.form(),
      '415 Unsupported Media Type',
    ],
    ['broken JSON', 'application/json', '{"a":}', (one) => one.json(), '400 Bad Request'],
    ['empty JSON', 'application/json', '', (one) => one.json(), '400 Bad Request'],
    ['too many fields', FORM[1], 'a&'.repeat(1001), (one) => one.form(), '413 Content Too Large'],
    ['a multipart form without boundary', 'multipart/form-data', 'x', (one) => one.form(), '400 Bad Request'],
  ]
  for (const [title, type, body, read, status] of broken) {
    it(`is refused with ${status}: ${title}`, async () => {
      const one = request({ method: 'POST', headers: [['Content-Type', type]], body })
      assert.equal((await rejection(read(one))).statusLine, status)
    })
  }
})

describe('the limits of a Request', () => {
  it('can be given, changed, and overridden by an argument', async () => {
    const environ = createEnviron({ method: 'POST', body: '12345' })
    const one = new Request(environ, { body: 4 })
    assert.equal((await rejection(one.text())).status, 413)

    const other = new Request(createEnviron({ method: 'POST', body: '12345' }), { body: 4 })
    other.limits = { body: 5 }
    assert.equal(other.limits.fields, 1000)
    assert.equal(await other.text(), '12345')

    const third = new Request(createEnviron({ method: 'POST', body: '12345' }), { body: 4 })
    assert.equal(await third.text(5), '12345')
  })
})

describe('Request.form', () => {
  it('parses a urlencoded form', async () => {
    const form = await post('name=Jo+%C3%BC&name=2&full=')
    assert.deepEqual(
      [...(await form.form())],
      [
        ['name', 'Jo ü'],
        ['name', '2'],
        ['full', ''],
      ],
    )
  })

  it('parses a urlencoded form in its charset', async () => {
    const one = post('a=%E4', ['Content-Type', `${FORM[1]}; charset=iso-8859-1`])
    assert.equal((await one.form()).get('a'), 'ä')
  })

  it('reads the field _charset_ as any other', async () => {
    const form = await post('_charset_=iso-8859-1&a=%E4').form()
    assert.deepEqual([form.get('_charset_'), form.get('a')], ['iso-8859-1', '\ufffd'])
  })

  it('replaces malformed bytes, as in a query', async () => {
    assert.equal((await post('a=%ff&b=%zz').form()).get('a'), '\ufffd')
  })

  it('returns an empty form, without reading the body, for another content type', async () => {
    const one = post('{"a":1}', ['Content-Type', 'application/json'])
    assert.equal((await one.form()).size, 0)
    assert.deepEqual(await one.json(), { a: 1 })
  })

  it('parses a multipart form of a browser', async () => {
    const data = new FormData()
    data.append('name', 'Jo ü')
    data.append('file', new File(['hello'], 'a ü.txt', { type: 'text/plain' }))
    const sent = new globalThis.Request('http://x/', { method: 'POST', body: data })
    const one = request({
      method: 'POST',
      headers: [['Content-Type', sent.headers.get('content-type') ?? '']],
      body: new Uint8Array(await sent.arrayBuffer()),
    })
    const form = await one.form()
    const file = form.file('file')
    assert.equal(form.get('name'), 'Jo ü')
    assert.deepEqual([file?.filename, file?.type, await file?.text()], ['a ü.txt', 'text/plain', 'hello'])
    assert.ok((await one.bytes()).length > 100)
  })
})

describe('Request.params', () => {
  it('returns the fields of the form before those of the query', async () => {
    const params = await post('a=form&b=2').params()
    assert.deepEqual(
      [params.get('a'), params.getAll('a'), params.get('b'), params.get('q')],
      ['form', ['form', 'query'], '2', '1'],
    )
  })

  it('returns the query if there is no form', async () => {
    assert.deepEqual([...(await request({ url: '/?a=1' }).params())], [['a', '1']])
  })
})
