import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import * as propylon from 'propylon'
import {
  abort,
  HTTPBadRequest,
  HTTPClientError,
  HTTPConflict,
  HTTPError,
  HTTPException,
  HTTPForbidden,
  HTTPFound,
  HTTPMethodNotAllowed,
  HTTPNotFound,
  HTTPNotModified,
  HTTPRedirection,
  HTTPServerError,
  HTTPServiceUnavailable,
  HTTPUnauthorized,
  RegisteredException,
  Response,
  redirect,
} from 'propylon'
import { exceptionFor, formatLocation } from 'propylon/http'
import { STATUS_REASONS, type WSGICallable } from 'propylon/wsgi'
import { send } from './send.ts'

const HTML: { headers: [string, string][] } = { headers: [['Accept', 'text/html']] }
const JSON_TYPE: { headers: [string, string][] } = { headers: [['Accept', 'application/json']] }

/** Returns the error that a function throws. */
function thrown(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

function thrownException(action: () => unknown): HTTPException {
  const error = thrown(action)
  assert.ok(error instanceof HTTPException, String(error))
  return error
}

describe('the exception classes', () => {
  const codes = [...STATUS_REASONS.keys()].filter((code) => code >= 300)
  for (const code of codes) {
    it(`include one for ${code} ${STATUS_REASONS.get(code)}`, () => {
      const Class = exceptionFor(code)
      assert.ok(Class)
      const exception = new Class()
      assert.equal(exception.status, code)
      assert.equal(exception.statusLine, `${code} ${STATUS_REASONS.get(code)}`)
      assert.match(exception.name, /^HTTP[A-Z]/)
      const Parent = code < 400 ? HTTPRedirection : code < 500 ? HTTPClientError : HTTPServerError
      assert.ok(exception instanceof Parent && exception instanceof HTTPException && exception instanceof Error)
      assert.equal(exception instanceof HTTPError, code >= 400)
    })
  }

  for (const name of [
    'HTTPMovedPermanently',
    'HTTPFound',
    'HTTPSeeOther',
    'HTTPNotModified',
    'HTTPTemporaryRedirect',
    'HTTPPermanentRedirect',
    'HTTPBadRequest',
    'HTTPUnauthorized',
    'HTTPForbidden',
    'HTTPNotFound',
    'HTTPMethodNotAllowed',
    'HTTPNotAcceptable',
    'HTTPConflict',
    'HTTPGone',
    'HTTPLengthRequired',
    'HTTPPreconditionFailed',
    'HTTPRequestEntityTooLarge',
    'HTTPRequestURITooLong',
    'HTTPUnsupportedMediaType',
    'HTTPUnprocessableEntity',
    'HTTPTooManyRequests',
    'HTTPInternalServerError',
    'HTTPNotImplemented',
    'HTTPBadGateway',
    'HTTPServiceUnavailable',
    'HTTPGatewayTimeout',
  ]) {
    it(`include ${name}`, () => {
      assert.ok(name in propylon)
    })
  }

  it('have none for an unregistered status', () => {
    assert.deepEqual([exceptionFor(299), exceptionFor(499), exceptionFor(600)], [undefined, undefined, undefined])
  })

  it('can be extended with another status and explanation', async () => {
    class HTTPPageExpired extends RegisteredException {
      static override readonly status: number = 419
      static override readonly explanation: string = 'The page lay open for too long.'
    }
    const exception = new HTTPPageExpired('Please reload.')
    assert.equal(exception.name, 'HTTPPageExpired')
    const { status, text } = await send(exception)
    assert.equal(status, '419 Client Error')
    assert.equal(text, '419 Client Error\n\nThe page lay open for too long.\n\nPlease reload.\n')
  })
})

describe('an HTTPException as an error', () => {
  it('has a message and a cause', () => {
    const cause = new Error('why')
    const exception = new HTTPConflict('taken', undefined, { cause })
    assert.equal(String(exception), 'HTTPConflict: 409 Conflict: taken')
    assert.equal(exception.cause, cause)
  })

  it('has the frames of its stack from status 500 on', () => {
    assert.doesNotMatch(String(new HTTPConflict().stack), /^ +at /m)
    assert.match(String(new HTTPException(500).stack), /exceptions\.test/)
    assert.match(String(new Error('after an exception').stack), /exceptions\.test/)
  })

  it('has no cause unless one is given', () => {
    assert.equal('cause' in new HTTPConflict(), false)
  })

  for (const status of [200, 299, 600, Number.NaN, 404.5]) {
    it(`refuses the status ${status}`, () => {
      assert.throws(() => new HTTPException(status), RangeError)
    })
  }

  it('refuses the status line of another status', () => {
    assert.throws(() => new HTTPNotFound('', undefined, { statusLine: '409 Conflict' }), RangeError)
  })

  it('refuses header injection', () => {
    assert.throws(() => new HTTPFound('', { Location: '/\r\nSet-Cookie: a=1' }), TypeError)
  })
})

describe('an HTTPException as a WSGI application', () => {
  const forms: [string, { headers?: [string, string][] }, string][] = [
    ['plain text', {}, 'text/plain; charset=utf-8'],
    ['HTML', HTML, 'text/html; charset=utf-8'],
    ['a problem document', JSON_TYPE, 'application/problem+json'],
  ]
  for (const [title, request, type] of forms) {
    it(`sends ${title} with the status line and the detail`, async () => {
      const sent = await send(new HTTPConflict('Joe is taken', { Location: '/users/joe' }), request)
      assert.equal(sent.status, '409 Conflict')
      assert.deepEqual(sent.headers['content-type'], [type])
      assert.deepEqual(sent.headers.vary, ['Accept'])
      assert.deepEqual(sent.headers.location, ['/users/joe'])
      assert.deepEqual(sent.headers['content-length'], [String(sent.text.length)])
      assert.ok(sent.text.includes('409 Conflict') && sent.text.includes('Joe is taken'), sent.text)
    })
  }

  it('escapes its detail in HTML', async () => {
    const { text } = await send(new HTTPNotFound('<script>alert(1)</script>'), HTML)
    assert.ok(text.includes('&lt;script&gt;') && !text.includes('<script>'))
  })

  it('can be sent twice', async () => {
    const exception = new HTTPNotFound('x', { Vary: 'Cookie' })
    assert.deepEqual(await send(exception), await send(exception))
    assert.deepEqual((await send(exception)).headers.vary, ['Cookie, Accept'])
  })

  it('sends the Content-Length without the body on HEAD', async () => {
    const got = await send(new HTTPNotFound())
    const head = await send(new HTTPNotFound(), { method: 'HEAD' })
    assert.deepEqual([head.text, head.headers], ['', got.headers])
  })

  it('sends a 304 without body, Content-Type and Vary: Accept', async () => {
    const { text, headers } = await send(new HTTPNotModified('x', { ETag: '"v1"' }), HTML)
    assert.deepEqual([text, headers], ['', { etag: ['"v1"'] }])
  })

  it('sends the given headers', async () => {
    const refused = await send(new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD' }))
    const busy = await send(new HTTPServiceUnavailable(undefined, { 'Retry-After': 5 }))
    assert.deepEqual([refused.headers.allow, busy.headers['retry-after']], [['GET, HEAD'], ['5']])
  })

  it('adds extension members to the problem document', async () => {
    const { text } = await send(new HTTPBadRequest('x', undefined, { json: { fields: ['name'] } }), JSON_TYPE)
    assert.deepEqual(JSON.parse(text).fields, ['name'])
  })
})

describe('abort', () => {
  it('throws the class of the status', () => {
    const exception = thrownException(() => abort(409, 'taken', { Location: '/x' }))
    assert.ok(exception instanceof HTTPConflict)
    assert.deepEqual([exception.detail, exception.headers.get('location')], ['taken', '/x'])
  })

  const rows: [number | string, number, string][] = [
    [300, 300, '300 Multiple Choices'],
    [404, 404, '404 Not Found'],
    [599, 599, '599 Server Error'],
    [499, 499, '499 Client Error'],
    ['404', 404, '404 Not Found'],
    ['409 Conflict', 409, '409 Conflict'],
    ['400 Bad Request -- Please enter a name', 400, '400 Bad Request -- Please enter a name'],
    ['400 Bad Request -- a\r\nSet-Cookie: b=c', 400, '400 Bad Request -- a Set-Cookie: b=c'],
    ['400 Bad Request -- \u{1f600}', 400, '400 Bad Request -- ?'],
    ['499 My Own', 499, '499 My Own'],
  ]
  for (const [status, code, line] of rows) {
    it(`throws ${line} for ${JSON.stringify(status)}`, async () => {
      const exception = thrownException(() => abort(status))
      assert.deepEqual([exception.status, exception.statusLine], [code, line])
      for (const request of [{}, HTML, JSON_TYPE]) {
        const sent = await send(exception, request)
        assert.equal(sent.status, line)
        assert.ok(sent.text.includes(line), sent.text)
      }
    })
  }

  for (const status of [
    0,
    100,
    200,
    299,
    600,
    -404,
    404.5,
    Number.NaN,
    '',
    'Not Found',
    '40',
    '4040 x',
    '200 OK',
    '600 x',
    ' 404',
  ]) {
    it(`throws a RangeError for the status ${JSON.stringify(status)}`, () => {
      const error = thrown(() => abort(status))
      assert.ok(error instanceof RangeError && !(error instanceof HTTPException), String(error))
    })
  }

  it('confines any message to the status line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (message) => {
        const { status, headers } = await send(thrownException(() => abort(`400 Bad Request -- ${message}`)))
        assert.match(status, /^400 [\x20-\x7e\x80-\xff]+$/)
        assert.deepEqual(Object.keys(headers).sort(), ['content-length', 'content-type', 'vary'])
      }),
    )
  })
})

describe('the challenge of a response', () => {
  const basic = 'Basic realm="staff"'
  const bearer = 'Bearer realm="application"'
  const rows: [label: string, app: WSGICallable, challenges: string[] | undefined][] = [
    ['HTTPUnauthorized', new HTTPUnauthorized().wsgi, [bearer]],
    ['HTTPUnauthorized with a challenge', new HTTPUnauthorized('no', { 'WWW-Authenticate': basic }).wsgi, [basic]],
    ['a Response with status 401', new Response('no', { status: 401 }).wsgi, [bearer]],
    [
      'a Response with status 401 and a challenge',
      new Response('no', { status: 401, headers: { 'www-authenticate': basic } }).wsgi,
      [basic],
    ],
    ['HTTPForbidden', new HTTPForbidden().wsgi, undefined],
  ]
  for (const [label, app, challenges] of rows) {
    it(`of ${label} is ${challenges ?? 'absent'}`, async () => {
      assert.deepEqual((await send(app)).headers['www-authenticate'], challenges)
    })
  }
})

describe('redirect', () => {
  for (const [code, line] of [
    [undefined, '302 Found'],
    [301, '301 Moved Permanently'],
    [302, '302 Found'],
    [303, '303 See Other'],
    [307, '307 Temporary Redirect'],
    [308, '308 Permanent Redirect'],
  ] as const) {
    it(`sends ${line} for the code ${code}`, async () => {
      const sent = await send(
        thrownException(() => redirect('/users/joe?a=1&b=2', code)),
        HTML,
      )
      assert.equal(sent.status, line)
      assert.deepEqual(sent.headers.location, ['/users/joe?a=1&b=2'])
      assert.ok(sent.text.includes('<a href="/users/joe?a=1&amp;b=2">'), sent.text)
    })
  }

  for (const code of [200, 300, 304, 305, 306, 309, 404, Number.NaN]) {
    it(`refuses the code ${code}`, () => {
      assert.ok(thrown(() => redirect('/', code)) instanceof RangeError)
    })
  }

  it('accepts a URL object', () => {
    const exception = thrownException(() => redirect(new URL('https://example.com/ü')))
    assert.equal(exception.headers.get('location'), 'https://example.com/%C3%BC')
  })
})

describe('redirect of a value that is not a URL', () => {
  const values: unknown[] = [
    undefined,
    null,
    7,
    true,
    {},
    [],
    ['/a'],
    () => '/',
    Symbol('a'),
    new String('/a'),
    { href: '/a' },
  ]
  for (const value of values) {
    it(`throws a TypeError that names it: ${typeof value} ${JSON.stringify(value)}`, () => {
      // `redirect(targets[key])` compiles without noUncheckedIndexedAccess.
      const url = JSON.parse('0', () => value)
      const error = thrown(() => redirect(url))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^The location of a redirect is .+\. Pass a text or a URL\.$/)
    })
  }
})

describe('formatLocation', () => {
  const rows: [string, string][] = [
    ['/a', '/a'],
    ['../a;edit?x=%20#y', '../a;edit?x=%20#y'],
    ['http://[::1]:80/', 'http://[::1]:80/'],
    ['/ü/日本/😀', '/%C3%BC/%E6%97%A5%E6%9C%AC/%F0%9F%98%80'],
    ['/a b"<>', '/a%20b%22%3C%3E'],
    ['/\\evil.example', '/%5Cevil.example'],
    ['/\ud800', '/%EF%BF%BD'],
    [' //evil.example', '%20//evil.example'],
  ]
  for (const [url, location] of rows) {
    it(`formats ${JSON.stringify(url)} as ${location}`, () => {
      assert.equal(formatLocation(url), location)
    })
  }

  for (const url of ['', '/\r\nSet-Cookie: a=1', '/\n', '/\0', '/\t']) {
    it(`refuses ${JSON.stringify(url)}`, () => {
      assert.throws(() => formatLocation(url), TypeError)
    })
  }

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (url) => {
        fc.pre(!/\p{Cc}/u.test(url))
        assert.equal(formatLocation(formatLocation(url)), formatLocation(url))
      }),
    )
  })
})
