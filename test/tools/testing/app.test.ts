import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type RequestBody, TestApp } from 'propylon/testing'
import type { Environ, WSGIApplication } from 'propylon/wsgi'

interface Seen {
  environ: Record<string, unknown>
  body: string
}

/** Returns the request as JSON. */
const echo: WSGIApplication = async (environ, start_response) => {
  const bytes = await environ['wsgi.input'].read()
  const strings = Object.entries(environ).filter(([, value]) => typeof value === 'string')
  start_response('200 OK', [['Content-Type', 'application/json']])
  const seen: Seen = { environ: Object.fromEntries(strings), body: new TextDecoder().decode(bytes) }
  return [environ.REQUEST_METHOD === 'HEAD' ? '' : JSON.stringify(seen)]
}

function answering(
  status: string,
  headers: [string, string][],
  body: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> = [],
): WSGIApplication {
  return (_environ, start_response) => {
    start_response(status, headers)
    return body
  }
}

describe('a path', () => {
  for (const [path, expected, query, uri] of [
    ['/', '/', '', '/'],
    ['/users/ann', '/users/ann', '', '/users/ann'],
    ['users', '/users', '', '/users'],
    ['/a?b=c', '/a', 'b=c', '/a?b=c'],
    ['?b=c', '/', 'b=c', '/?b=c'],
    ['/a?', '/a', '', '/a?'],
    ['/a#part', '/a', '', '/a'],
    ['/caf%C3%A9', '/café', '', '/caf%C3%A9'],
    ['/café x', '/café x', '', '/caf%C3%A9%20x'],
    ['/a%2Fb', '/a/b', '', '/a%2Fb'],
    ['//a//b', '//a//b', '', '//a//b'],
    ['/a/../b/.', '/a/../b/.', '', '/a/../b/.'],
    ['/users/1;edit', '/users/1;edit', '', '/users/1;edit'],
  ]) {
    test(`${path} reaches the application unchanged`, async () => {
      const { environ } = (await new TestApp(echo).get(path ?? '')).json<Seen>()
      assert.deepEqual([environ.PATH_INFO, environ.QUERY_STRING, environ.REQUEST_URI], [expected, query, uri])
    })
  }

  test('with another host sets the host', async () => {
    const { environ } = (await new TestApp(echo).get('https://www.example.org:8443/x?y')).json<Seen>()
    assert.equal(environ.HTTP_HOST, 'www.example.org:8443')
    assert.equal(environ['wsgi.url_scheme'], 'https')
    assert.equal(environ.PATH_INFO, '/x')
  })

  for (const path of ['/%zz', '/%ff', '/%']) {
    test(`${path} is malformed and returns 400 as on a server`, async () => {
      const response = await new TestApp(echo).get(path)
      assert.equal(response.statusLine, '400 Bad Request')
      assert.equal(response.request.target, path)
    })
  }
})

describe('a query', () => {
  for (const [title, path, query, expected] of [
    ['from a record', '/', { a: 1, b: 'x y', c: true }, 'a=1&b=x+y&c=true'],
    ['with lists and gaps', '/', { a: [1, 2], b: undefined }, 'a=1&a=2'],
    [
      'from pairs',
      '/',
      [
        ['a', '1'],
        ['a', '2'],
      ],
      'a=1&a=2',
    ],
    ['from URLSearchParams', '/', new URLSearchParams('a=%26'), 'a=%26'],
    ['after the path’s own', '/?x=1', { a: 1 }, 'x=1&a=1'],
    ['of nothing', '/', {}, ''],
  ] as const) {
    test(`${title} is encoded`, async () => {
      const response = await new TestApp(echo).get(path, { query })
      assert.equal(response.json<Seen>().environ.QUERY_STRING, expected)
    })
  }
})

describe('a body', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  for (const [title, body, contentType, text] of [
    ['of a record', { name: 'Ann & Bob', n: [1, 2] }, urlencoded, 'name=Ann+%26+Bob&n=1&n=2'],
    [
      'of pairs',
      [
        ['a', 'é'],
        ['a', 2],
      ],
      urlencoded,
      'a=%C3%A9&a=2',
    ],
    ['of URLSearchParams', new URLSearchParams({ a: 'b' }), urlencoded, 'a=b'],
    ['of text', 'héllo', 'text/plain;charset=utf-8', 'héllo'],
    ['of bytes', new TextEncoder().encode('bytes'), 'application/octet-stream', 'bytes'],
    ['of nothing', undefined, '', ''],
  ] as [string, RequestBody | undefined, string, string][]) {
    test(`${title} is sent with its length`, async () => {
      const seen = (await new TestApp(echo).post('/', body)).json<Seen>()
      assert.equal(seen.body, text)
      assert.equal(seen.environ.CONTENT_TYPE, contentType)
      assert.equal(seen.environ.CONTENT_LENGTH, String(new TextEncoder().encode(text).length))
    })
  }

  test('of a stream is sent in chunks without a length', async () => {
    async function* chunks() {
      yield new TextEncoder().encode('one ')
      yield new TextEncoder().encode('two')
    }
    const seen = (await new TestApp(echo).post('/', chunks(), { contentType: 'text/plain' })).json<Seen>()
    assert.equal(seen.body, 'one two')
    assert.equal(seen.environ.CONTENT_LENGTH, '')
    assert.equal(seen.environ.HTTP_TRANSFER_ENCODING, 'chunked')
    assert.equal(seen.environ.CONTENT_TYPE, 'text/plain')
  })

  test('of FormData is multipart', async () => {
    const data = new FormData()
    data.append('name', 'Ann')
    data.append('file', new File(['content'], 'a.txt', { type: 'text/plain' }))
    const seen = (await new TestApp(echo).post('/', data)).json<Seen>()
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(String(seen.environ.CONTENT_TYPE))?.[1]
    assert.ok(boundary !== undefined && seen.body.includes(`--${boundary}--`))
    assert.match(seen.body, /name="file"; filename="a.txt"\r\nContent-Type: text\/plain\r\n\r\ncontent\r\n/)
  })

  test('has the content type of the option', async () => {
    const seen = (await new TestApp(echo).put('/', '<a/>', { contentType: 'text/xml' })).json<Seen>()
    assert.equal(seen.environ.CONTENT_TYPE, 'text/xml')
  })

  for (const method of ['postJson', 'putJson', 'patchJson'] as const) {
    test(`is JSON with ${method}`, async () => {
      const seen = (await new TestApp(echo)[method]('/', { a: [1] })).json<Seen>()
      assert.deepEqual([seen.environ.CONTENT_TYPE, seen.body], ['application/json', '{"a":[1]}'])
    })
  }

  for (const [title, body] of [
    ['null', { a: null }],
    ['an object', { a: {} }],
  ] as const) {
    test(`with ${title} for a field is an error`, async () => {
      const send = Reflect.apply(new TestApp(echo).post, new TestApp(echo), ['/', body])
      await assert.rejects(Promise.resolve(send), /the field "a" must be text, a number or a boolean/)
    })
  }

  test('of undefined cannot be sent as JSON', async () => {
    const value = () => {}
    await assert.rejects(new TestApp(echo).postJson('/', value), /A value of type function has no JSON form/)
  })

  test('of any fields reaches the application unchanged', async () => {
    const text = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text)), async (pairs) => {
        const seen = (await new TestApp(echo).post('/', pairs)).json<Seen>()
        assert.deepEqual([...new URLSearchParams(seen.body)], pairs)
      }),
      { numRuns: 50 },
    )
  })

  test('of five megabytes is sent and returned', async () => {
    const back: WSGIApplication = (environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'application/octet-stream']])
      return environ['wsgi.input']
    }
    const bytes = new Uint8Array(5_000_000).map((_, index) => index % 251)
    assert.deepEqual((await new TestApp(back).post('/', bytes)).body, bytes)
  })
})

describe('methods', () => {
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'] as const) {
    test(`${method} sends ${method.toUpperCase()}`, async () => {
      const response = await new TestApp(echo)[method]('/')
      assert.equal(response.json<Seen>().environ.REQUEST_METHOD, method.toUpperCase())
    })
  }

  test('HEAD has headers and no body', async () => {
    const app = answering('200 OK', [
      ['Content-Type', 'text/plain'],
      ['Content-Length', '5'],
    ])
    const response = await new TestApp(app).head('/')
    assert.equal(response.headers.get('content-length'), '5')
    assert.equal(response.body.length, 0)
  })

  test('other methods are sent with request()', async () => {
    const response = await new TestApp(echo).request('PROPFIND', '/')
    assert.equal(response.json<Seen>().environ.REQUEST_METHOD, 'PROPFIND')
  })

  test('without a body send no Content-Length', async () => {
    for (const method of ['get', 'delete'] as const) {
      assert.equal((await new TestApp(echo)[method]('/')).json<Seen>().environ.CONTENT_LENGTH, '')
    }
  })
})

describe('headers and environ', () => {
  test('of the TestApp are sent with every request, and those of a request replace them', async () => {
    const app = new TestApp(echo, {
      headers: { Accept: 'text/html', 'X-One': '1' },
      environ: { REMOTE_USER: 'ann', PLACE: 'app' },
    })
    const response = await app.get('/', { headers: { accept: 'text/plain' }, environ: { PLACE: 'call' } })
    const { environ } = response.json<Seen>()
    assert.deepEqual(
      [environ.HTTP_ACCEPT, environ.HTTP_X_ONE, environ.REMOTE_USER, environ.PLACE],
      ['text/plain', '1', 'ann', 'call'],
    )
  })

  for (const [title, headers] of [
    ['lists', { 'X-A': ['1', '2'], 'X-B': undefined }],
    [
      'pairs',
      [
        ['X-A', '1'],
        ['X-A', '2'],
      ],
    ],
    [
      'a Headers',
      new Headers([
        ['X-A', '1'],
        ['X-A', '2'],
      ]),
    ],
  ] as const) {
    test(`are accepted as ${title}`, async () => {
      const { environ } = (await new TestApp(echo).get('/', { headers })).json<Seen>()
      assert.match(String(environ.HTTP_X_A), /^1, ?2$/)
      assert.equal(environ.HTTP_X_B, undefined)
    })
  }

  test('with line breaks are refused', async () => {
    await assert.rejects(new TestApp(echo).get('/', { headers: { 'X-A': 'a\r\nX-B: c' } }), TypeError)
  })

  test('of the environ can be read after the request', async () => {
    const marking: WSGIApplication = (environ: Environ, start_response) => {
      environ['my.mark'] = 1
      environ['wsgi.errors'].write('a warning\n')
      start_response('204 No Content', [])
      return []
    }
    const response = await new TestApp(marking).get('/')
    assert.equal(response.environ['my.mark'], 1)
    assert.equal(response.errors, 'a warning\n')
  })

  test('use the base URL', async () => {
    const { environ } = (await new TestApp(echo, { baseUrl: 'https://example.org' }).get('/')).json<Seen>()
    assert.deepEqual(
      [environ.HTTP_HOST, environ.SERVER_NAME, environ.SERVER_PORT, environ['wsgi.url_scheme']],
      ['example.org', 'example.org', '443', 'https'],
    )
  })

  for (const baseUrl of ['ftp://example.org', 'http://example.org/sub', 'nowhere']) {
    test(`with ${baseUrl} as base URL are refused`, () => {
      assert.throws(() => new TestApp(echo, { baseUrl }), TypeError)
    })
  }
})

describe('an error', () => {
  const boom = new RangeError('boom')

  for (const [title, app] of [
    [
      'thrown at once',
      () => {
        throw boom
      },
    ],
    [
      'thrown later',
      async () => {
        throw boom
      },
    ],
    [
      'thrown by the body',
      answering(
        '200 OK',
        [['Content-Type', 'text/plain']],
        (function* () {
          yield 'a'
          throw boom
        })(),
      ),
    ],
    [
      'thrown by an async body',
      answering(
        '200 OK',
        [['Content-Type', 'text/plain']],
        (async function* () {
          yield 'a'
          throw boom
        })(),
      ),
    ],
  ] as [string, WSGIApplication][]) {
    test(`${title} rejects the call with the same error`, async () => {
      await assert.rejects(new TestApp(app).get('/'), (error) => error === boom)
    })
  }

  test('against the rules of the gateway is found unless lint is off', async () => {
    const sloppy = answering(
      '200 OK',
      [
        ['Connection', 'close'],
        ['Content-Type', 'text/plain'],
      ],
      ['x'],
    )
    await assert.rejects(new TestApp(sloppy).get('/'), { name: 'LintError' })
    const quiet = answering('200 OK', [['content-type', '']], ['x'])
    assert.equal((await new TestApp(quiet, { lint: false }).get('/')).text, 'x')
  })

  for (const status of [200, '200', '2xx', '2XX', [404, 200], ['4xx', '2xx']]) {
    test(`is not raised for the status 200 if ${JSON.stringify(status)} is expected`, async () => {
      assert.equal((await new TestApp(echo).get('/', { status })).status, 200)
    })
  }

  for (const [status, message] of [
    [404, /^the status is not 404\nGET http:\/\/localhost\/\n200 OK\n/],
    ['4xx', /not 4xx/],
    [[404, '5xx'], /not 404 or 5xx/],
    ['fine', /not a status/],
    [20, /not a status/],
  ] as const) {
    test(`is raised for the status 200 if ${JSON.stringify(status)} is expected`, async () => {
      await assert.rejects(new TestApp(echo).get('/', { status }), { message })
    })
  }

  test('is not raised for a 404 or a 500 of the application', async () => {
    for (const line of ['404 Not Found', '500 Internal Server Error', '400 Bad Request -- no name']) {
      const response = await new TestApp(answering(line, [['Content-Type', 'text/plain']])).get('/')
      assert.equal(response.statusLine, line)
      assert.equal(`${response.status} ${response.statusText}`, line)
    }
  })
})

describe('cookies', () => {
  const counting: WSGIApplication = (environ, start_response) => {
    const count = Number(/n=(\d+)/.exec(environ.HTTP_COOKIE ?? '')?.[1] ?? 0) + 1
    start_response('200 OK', [
      ['Content-Type', 'text/plain'],
      ['Set-Cookie', `n=${count}; Path=/; HttpOnly`],
    ])
    return [environ.HTTP_COOKIE ?? 'none']
  }

  test('are sent with the next request', async () => {
    const app = new TestApp(counting)
    const texts = []
    for (let i = 0; i < 3; i++) texts.push((await app.get('/')).text)
    assert.deepEqual(texts, ['none', 'n=1', 'n=2'])
    assert.equal(app.cookies.get('n'), '3')
    app.cookies.clear()
    assert.equal((await app.get('/')).text, 'none')
  })

  test('are not shared between two TestApps', async () => {
    const [one, other] = [new TestApp(counting), new TestApp(counting)]
    await one.get('/')
    assert.equal((await other.get('/')).text, 'none')
  })

  test('written as a header replace those of the jar', async () => {
    const app = new TestApp(counting)
    await app.get('/')
    assert.equal((await app.get('/', { headers: { Cookie: 'x=1' } })).text, 'x=1')
  })

  test('set with set() are sent', async () => {
    const app = new TestApp(counting)
    app.cookies.set('n', '41')
    await app.get('/')
    assert.equal(app.cookies.get('n'), '42')
  })
})

test('an object with wsgi is accepted', async () => {
  assert.equal((await new TestApp({ wsgi: echo }).get('/x')).json<Seen>().environ.PATH_INFO, '/x')
})

test('a streamed body is collected and closed', async () => {
  let closed = 0
  const body = {
    async *[Symbol.asyncIterator]() {
      yield 'one '
      yield new TextEncoder().encode('two')
    },
    close() {
      closed++
    },
  }
  const response = await new TestApp(answering('200 OK', [['Content-Type', 'text/plain']], body)).get('/')
  assert.equal(response.text, 'one two')
  assert.equal(closed, 1)
})
