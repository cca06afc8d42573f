import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEnviron, type EnvironInit, environHeaders, lint } from 'propylon/wsgi'
import { environKey, headerName, joinHeader } from '../../src/wsgi/environ.ts'

describe('createEnviron', () => {
  it('creates a valid GET request of / on localhost by default', () => {
    const environ = createEnviron()
    const { REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, SERVER_NAME, SERVER_PORT, HTTP_HOST } = environ
    assert.deepEqual(
      [REQUEST_METHOD, SCRIPT_NAME, PATH_INFO, QUERY_STRING, SERVER_NAME, SERVER_PORT, HTTP_HOST],
      ['GET', '', '/', '', 'localhost', '80', 'localhost'],
    )
    const { REMOTE_ADDR, SERVER_PROTOCOL } = environ
    const flags = ['wsgi.multithread', 'wsgi.multiprocess', 'wsgi.run_once'].map((key) => environ[key])
    assert.deepEqual([REMOTE_ADDR, SERVER_PROTOCOL, ...flags], ['127.0.0.1', 'HTTP/1.1', false, false, false])
    lint((_environ, start_response) => {
      start_response('204 No Content', [])
      return []
    })(environ, () => () => undefined)
  })

  it('splits an absolute URL', () => {
    const environ = createEnviron({ url: 'https://example.org:8443/a%20b?c=d#e' })
    assert.deepEqual(
      [
        environ['wsgi.url_scheme'],
        environ.SERVER_NAME,
        environ.SERVER_PORT,
        environ.PATH_INFO,
        environ.QUERY_STRING,
        environ.REQUEST_URI,
        environ.HTTP_HOST,
      ],
      ['https', 'example.org', '8443', '/a b', 'c=d', '/a%20b?c=d', 'example.org:8443'],
    )
  })

  it('uses the default port of the scheme', () => {
    const { SERVER_NAME, SERVER_PORT } = createEnviron({ url: 'https://h/' })
    assert.deepEqual([SERVER_NAME, SERVER_PORT], ['h', '443'])
  })

  const targets: [url: string, path: string, query: string, uri: string][] = [
    ['users?q=1', '/users', 'q=1', '/users?q=1'],
    ['?q=1', '/', 'q=1', '/?q=1'],
    ['/go?to=http://other.example/', '/go', 'to=http://other.example/', '/go?to=http://other.example/'],
    ['/x#top\nbottom', '/x', '', '/x'],
    ['*', '*', '', '*'],
  ]
  for (const [url, path, query, uri] of targets) {
    it(`creates a request of localhost for ${JSON.stringify(url)}`, () => {
      const { HTTP_HOST, PATH_INFO, QUERY_STRING, REQUEST_URI } = createEnviron({ url })
      assert.deepEqual([HTTP_HOST, PATH_INFO, QUERY_STRING, REQUEST_URI], ['localhost', path, query, uri])
    })
  }

  it('writes errors to the console, a line at a time', (context) => {
    const log = context.mock.method(console, 'error', () => undefined)
    for (const text of ['one\n', 'two']) createEnviron()['wsgi.errors'].write(text)
    assert.deepEqual(
      log.mock.calls.map((call) => call.arguments),
      [['one'], ['two']],
    )
  })

  it('keeps the brackets of an IPv6 host', () => {
    const environ = createEnviron({ url: 'http://[::1]:81/' })
    assert.deepEqual([environ.SERVER_NAME, environ.SERVER_PORT], ['[::1]', '81'])
  })

  it('separates SCRIPT_NAME from the path', () => {
    const environ = createEnviron({ url: '/blog/x', scriptName: '/blog' })
    assert.deepEqual([environ.SCRIPT_NAME, environ.PATH_INFO], ['/blog', '/x'])
  })

  it('joins repeated headers, and drops names with underscores', () => {
    const environ = createEnviron({
      headers: [
        ['Accept', 'a'],
        ['accept', 'b'],
        ['Cookie', 'x=1'],
        ['Cookie', 'y=2'],
        ['X_Y', 'z'],
        ['__proto__', 'q'],
      ],
    })
    assert.deepEqual([environ.HTTP_ACCEPT, environ.HTTP_COOKIE, environ.HTTP_X_Y], ['a, b', 'x=1; y=2', undefined])
    assert.equal(Object.getPrototypeOf(environ), Object.prototype)
  })

  it('sets CONTENT_LENGTH for a body of known length', async () => {
    const environ = createEnviron({ method: 'POST', body: 'é' })
    assert.equal(environ.CONTENT_LENGTH, '2')
    assert.equal(new TextDecoder().decode(await environ['wsgi.input'].read()), 'é')
  })

  it('sets Transfer-Encoding: chunked for a body of unknown length', () => {
    async function* body() {
      yield new Uint8Array(1)
    }
    const environ = createEnviron({ method: 'POST', body: body() })
    assert.deepEqual([environ.CONTENT_LENGTH, environ.HTTP_TRANSFER_ENCODING], ['', 'chunked'])
  })

  it('keeps the Content-Length of the headers', () => {
    assert.equal(createEnviron({ headers: [['Content-Length', '9']], body: 'a' }).CONTENT_LENGTH, '9')
    assert.equal(createEnviron({ headers: [['Transfer-Encoding', 'chunked']], body: 'a' }).CONTENT_LENGTH, '')
  })

  it('adds other variables', () => {
    assert.equal(createEnviron({ extra: { 'app.user': 'Ann' } })['app.user'], 'Ann')
  })

  const refused: [EnvironInit, RegExp][] = [
    [{ url: '/%ff' }, /is not percent-encoded UTF-8/],
    [{ url: '/%' }, /is not percent-encoded UTF-8/],
    [{ url: '/%00' }, /has a NUL/],
    [{ url: '/other', scriptName: '/blog' }, /does not begin with "\/blog"/],
  ]
  for (const [init, message] of refused) {
    it(`refuses ${JSON.stringify(init)}`, () => assert.throws(() => createEnviron(init), { name: 'URIError', message }))
  }
})

describe('environHeaders', () => {
  it('returns the headers that the environ was created with', () => {
    const headers: [string, string][] = [
      ['host', 'h'],
      ['accept', '*/*'],
      ['x-empty', ''],
      ['content-type', 'text/plain'],
    ]
    const back = environHeaders(createEnviron({ headers }))
    assert.deepEqual(new Map(back), new Map(headers))
  })
})

describe('environKey', () => {
  const cases: [name: string, key: string | undefined][] = [
    ['Content-Type', 'CONTENT_TYPE'],
    ['content-length', 'CONTENT_LENGTH'],
    ['Accept', 'HTTP_ACCEPT'],
    ['x-forwarded-for', 'HTTP_X_FORWARDED_FOR'],
    ['X_Forwarded_For', undefined],
    ['Content_Length', undefined],
    ['a b', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['constructor', 'HTTP_CONSTRUCTOR'],
  ]
  for (const [name, key] of cases) it(`${JSON.stringify(name)} → ${key}`, () => assert.equal(environKey(name), key))

  it('returns the same key for a second call', () => assert.equal(environKey('Accept'), environKey('Accept')))

  it('caches a limited number of names', () => {
    for (let at = 0; at < 5000; at++) assert.equal(environKey(`x-flood-${at}`), `HTTP_X_FLOOD_${at}`)
  })
})

describe('headerName', () => {
  it('is the inverse of environKey', () => {
    for (const name of ['content-type', 'content-length', 'accept', 'x-a-b']) {
      assert.equal(headerName(environKey(name) ?? ''), name)
    }
  })

  it('returns undefined for other variables', () => {
    for (const key of ['REQUEST_METHOD', 'wsgi.input', '']) assert.equal(headerName(key), undefined)
  })
})

describe('joinHeader', () => {
  it('joins lists by commas, and cookies by semicolons', () => {
    assert.equal(joinHeader('HTTP_ACCEPT', 'a', 'b'), 'a, b')
    assert.equal(joinHeader('HTTP_COOKIE', 'a=1', 'b=2'), 'a=1; b=2')
  })

  it('keeps the first value of fields that are not lists', () => {
    for (const key of [
      'CONTENT_TYPE',
      'CONTENT_LENGTH',
      'HTTP_AUTHORIZATION',
      'HTTP_FROM',
      'HTTP_HOST',
      'HTTP_IF_MODIFIED_SINCE',
      'HTTP_IF_UNMODIFIED_SINCE',
      'HTTP_MAX_FORWARDS',
      'HTTP_PROXY_AUTHORIZATION',
      'HTTP_REFERER',
      'HTTP_USER_AGENT',
    ])
      assert.equal(joinHeader(key, 'a', 'b'), 'a', key)
  })
})
