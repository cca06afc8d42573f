import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toFetch } from 'propylon/fetch'
import { type Body, type Chunk, lint, type WSGIApplication, type WSGIObject } from 'propylon/wsgi'

const wrong = (value: unknown) => JSON.parse('{}', () => value)

/** An endless stream that counts its chunks and records whether it was closed. */
function endless() {
  const events: string[] = []
  let pulled = 0
  const app: WSGIApplication = lint((_environ, start_response) => {
    start_response('200 OK', [])
    return Object.assign(
      (async function* (): AsyncGenerator<Chunk> {
        try {
          for (;;) yield `${++pulled} `
        } finally {
          events.push('return')
        }
      })(),
      { close: () => void events.push('close') },
    )
  })
  return { app, events, pulled: () => pulled }
}

const saying = (text: (environ: Parameters<WSGIApplication>[0]) => string): WSGIApplication =>
  lint((environ, start_response) => {
    start_response('200 OK', [])
    return [text(environ)]
  })

/** A request that can be aborted. `isRead` is resolved when its signal is read, `reads` counts how often it is. */
function watchedRequest() {
  const controller = new AbortController()
  const { promise: isRead, resolve } = Promise.withResolvers<void>()
  const request = new Request('http://h/')
  let count = 0
  const get = () => {
    count++
    resolve()
    return controller.signal
  }
  Object.defineProperty(request, 'signal', { get })
  return { request, controller, isRead, reads: () => count }
}

describe('toFetch', () => {
  it('creates the environ from the URL', async () => {
    const keys = [
      'wsgi.url_scheme',
      'SERVER_NAME',
      'SERVER_PORT',
      'PATH_INFO',
      'QUERY_STRING',
      'REQUEST_URI',
      'HTTP_HOST',
    ]
    const handler = toFetch(saying((environ) => keys.map((key) => environ[key]).join('|')))
    const response = await handler(new Request('https://example.org/caf%C3%A9?a=b'))
    assert.equal(await response.text(), 'https|example.org|443|/café|a=b|/caf%C3%A9?a=b|example.org')
  })

  it('refuses a malformed host', async () => {
    const handler = toFetch(saying((environ) => `${environ.HTTP_HOST}`))
    const get = async (url: string, host?: string) => {
      const response = await handler(new Request(url, host === undefined ? {} : { headers: { host } }))
      return `${response.status} ${await response.text()}`
    }
    assert.match(await get('http://h/', 'evil.com::'), /^400 /)
    assert.match(await get('http://a..b/'), /^400 /)
    assert.equal(await get('http://h/', 'example.com:81'), '200 example.com:81')
  })

  it('accepts a request whose URL is only a path, as Bun makes it of a Host field that is malformed or missing', async () => {
    const handler = toFetch(saying((environ) => `${environ.PATH_INFO} ${environ.QUERY_STRING} ${environ.HTTP_HOST}`))
    const get = async (headers: Record<string, string>) => {
      const request = Object.defineProperty(new Request('http://h/', { headers }), 'url', { value: '/a/b?c' })
      const response = await handler(request)
      return `${response.status} ${await response.text()}`
    }
    assert.match(await get({ host: 'a b' }), /^400 /)
    assert.equal(await get({}), '200 /a/b c localhost')
  })

  it('sets Transfer-Encoding: chunked for a body without a length', async () => {
    const handler = toFetch(saying((environ) => `${environ.CONTENT_LENGTH}|${environ.HTTP_TRANSFER_ENCODING}`))
    const told = async (init: RequestInit) => (await handler(new Request('http://h/', init))).text()
    assert.equal(await told({ method: 'POST', body: 'abc' }), '|chunked')
    assert.equal(await told({ method: 'POST', body: 'abc', headers: { 'Content-Length': '3' } }), '3|undefined')
    assert.equal(await told({ method: 'POST' }), '|undefined')
    assert.equal(await told({}), '|undefined')
  })

  it('returns 400 if the path cannot be decoded', async () => {
    const handler = toFetch(saying(() => 'never'))
    for (const path of ['/%ff', '/%', '/%00']) {
      assert.equal((await handler(new Request(`http://h${path}`))).status, 400)
    }
  })

  it('adds no Content-Type to a body of strings', async () => {
    assert.equal((await toFetch(saying(() => 'x'))(new Request('http://h/'))).headers.get('content-type'), null)
  })

  it('pulls chunks only when the reader reads', async () => {
    const { app, pulled } = endless()
    const response = await toFetch(app)(new Request('http://h/'))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    assert.equal(pulled(), 2)
    await reader?.cancel()
  })

  it('a cancelled response waits for any thenable that return() of its iterator returns', async () => {
    // biome-ignore lint/suspicious/noThenProperty: the object under test
    const odd = { then: (resolve: () => void) => resolve() ?? 5 }
    let closed = false
    const close = () => {
      closed = true
    }
    const fetch = toFetch((_environ, start_response) => {
      start_response('200 OK', [])
      const iterator = { next: () => ({ done: false, value: 'x' }), return: () => odd }
      return { [Symbol.iterator]: () => iterator, close } as unknown as Body
    })
    const response = await fetch(new Request('http://localhost/'))
    await response.body?.cancel()
    assert.ok(closed)
  })

  it('a cancelled response ends the generator and closes the body once', async () => {
    const { app, events } = endless()
    const response = await toFetch(app)(new Request('http://h/'))
    await response.body?.cancel()
    assert.deepEqual(events, ['return', 'close'])
  })

  it('an aborted request ends the generator and closes the body once', async () => {
    const { app, events } = endless()
    const controller = new AbortController()
    const response = await toFetch(app)(new Request('http://h/', { signal: controller.signal }))
    const reader = response.body?.getReader()
    await reader?.read()
    controller.abort()
    await assert.rejects(
      async () => {
        for (;;) if ((await reader?.read())?.done) throw new Error('ended as if it were complete')
      },
      { name: 'AbortError' },
    )
    assert.deepEqual(events, ['return', 'close'])
  })

  for (const [platform, info] of [
    ['a server', { requestIP: () => null }],
    ['another platform', undefined],
  ] as const) {
    it(`closes the body if the request is aborted before a slow application on ${platform} returns`, async () => {
      const gate = Promise.withResolvers<void>()
      const closed = Promise.withResolvers<void>()
      const handler = toFetch(
        lint(async (_environ, start_response) => {
          await gate.promise
          start_response('200 OK', [])
          return Object.assign(['late'].values(), { close: () => closed.resolve() })
        }),
      )
      const { request, controller, isRead } = watchedRequest()
      const answered = handler(request, info)
      controller.abort()
      await isRead
      gate.resolve()
      await closed.promise
      assert.equal((await answered).status, 499)
    })
  }

  it('ends a stream of a server if the request is aborted while a chunk is pending', async () => {
    const ended = Promise.withResolvers<void>()
    const handler = toFetch((_environ, start_response) => {
      start_response('200 OK', [])
      const chunks = [Promise.resolve({ done: false, value: 'first' }), new Promise<never>(() => {})]
      const next = () => chunks.shift() ?? assert.fail('The stream was read beyond its pending chunk.')
      return { [Symbol.asyncIterator]: () => ({ next }), close: () => ended.resolve() }
    })
    const { request, controller, isRead } = watchedRequest()
    const response = await handler(request, { requestIP: () => null })
    const reader = response.body?.getReader()
    await reader?.read()
    void reader?.read().catch(() => {})
    controller.abort()
    await isRead
    await ended.promise
  })

  for (const [kind, body] of [
    ['a text', ['soon']],
    [
      'a stream',
      (async function* () {
        yield 'soon'
      })(),
    ],
  ] as const) {
    it(`leaves the signal of a request to a server unread if the application soon sends ${kind}`, async () => {
      const handler = toFetch(async (_environ, start_response) => {
        start_response('200 OK', [])
        return Array.isArray(body) ? [...body] : body
      })
      const { request, reads } = watchedRequest()
      const response = await handler(request, { requestIP: () => null })
      assert.equal(reads(), 0)
      assert.equal(await response.text(), 'soon')
    })
  }

  it('reports an error during the stream and fails the stream', async () => {
    const reported: unknown[] = []
    const app: WSGIObject & { reportError(error: unknown): void } = {
      wsgi: (_environ, start_response) => {
        start_response('200 OK', [])
        return (function* (): Generator<Chunk> {
          yield 'begun'
          throw new Error('broken')
        })()
      },
      reportError: (error) => void reported.push(error),
    }
    const response = await toFetch(app)(new Request('http://h/'))
    await assert.rejects(response.text(), /broken/)
    assert.equal(reported.length, 1)
  })

  it('sends the page of handleError, or a plain one if it fails', async () => {
    const app = (handleError: () => WSGIApplication): WSGIObject & { handleError(): WSGIApplication } => ({
      wsgi: (environ) => {
        environ['wsgi.errors'] = { write: () => undefined, flush: () => undefined }
        throw new Error('secret')
      },
      handleError,
    })
    const page = saying(() => 'a page')
    assert.equal(await (await toFetch(app(() => page))(new Request('http://h/'))).text(), 'a page')
    const failing = app(() => {
      throw new Error('page too')
    })
    const response = await toFetch(failing)(new Request('http://h/'))
    assert.deepEqual([response.status, await response.text()], [500, '500 Internal Server Error\n'])
  })

  const platforms: [name: string, platform: unknown[], address: string][] = [
    ['Deno', [{ remoteAddr: { transport: 'tcp', hostname: '10.0.0.1', port: 1 } }], '10.0.0.1'],
    ['Bun', [{ requestIP: () => ({ address: '10.0.0.2', port: 1 }) }], '10.0.0.2'],
    ['Bun, of a connection that has gone', [{ requestIP: () => null }], ''],
    ['Workers', [{ BINDING: 1 }, { waitUntil: () => undefined }], ''],
    ['nothing', [], ''],
    ['something else', ['x', null], ''],
  ]
  for (const [name, platform, address] of platforms) {
    it(`reads the client’s address from the arguments of ${name}`, async () => {
      const handler = toFetch(saying((environ) => String(environ.REMOTE_ADDR)))
      assert.equal(await (await handler(new Request('http://h/'), ...platform)).text(), address)
    })
  }

  describe('on Bun', () => {
    /** Returns what `read` returns of the environ, and the number of addresses that were looked up. */
    async function looked(read: (environ: Parameters<WSGIApplication>[0]) => unknown): Promise<[unknown, number]> {
      let value: unknown
      let count = 0
      const app: WSGIApplication = (environ, start_response) => {
        value = read(environ)
        start_response('200 OK', [])
        return []
      }
      await toFetch(app)(new Request('http://h/'), { requestIP: () => ({ address: `10.0.0.${++count}` }) })
      return [value, count]
    }

    it('looks an address up when it is read, and once', async () => {
      assert.deepEqual(await looked(({ PATH_INFO }) => PATH_INFO), ['/', 0])
      assert.deepEqual(await looked((environ) => [environ.REMOTE_ADDR, environ.REMOTE_ADDR]), [
        ['10.0.0.1', '10.0.0.1'],
        1,
      ])
    })

    it('has the address in copies and lists of the environ', async () => {
      assert.deepEqual(await looked((environ) => ({ ...environ }).REMOTE_ADDR), ['10.0.0.1', 1])
      assert.deepEqual(await looked((environ) => Object.create(environ).REMOTE_ADDR), ['10.0.0.1', 1])
      assert.deepEqual(await looked((environ) => Object.freeze(environ).REMOTE_ADDR), ['10.0.0.1', 1])
      assert.deepEqual(await looked((environ) => Object.keys(environ).includes('REMOTE_ADDR')), [true, 0])
    })

    it('has the address after a stream whose client has gone', async () => {
      let environ: Parameters<WSGIApplication>[0] | undefined
      const { app } = endless()
      const handler = toFetch((given, start_response) => {
        environ = given
        return app(given, start_response)
      })
      let isGone = false
      const requestIP = () => (isGone ? null : { address: '10.0.0.1' })
      const { body } = await handler(new Request('http://h/'), { requestIP })
      isGone = true
      await body?.cancel()
      assert.equal(environ?.REMOTE_ADDR, '10.0.0.1')
    })

    it('has the address for an action that awaits, though its client has gone', async () => {
      let seen: unknown
      let isGone = false
      const handler = toFetch(async (environ, start_response) => {
        await Promise.resolve()
        isGone = true
        seen = environ.REMOTE_ADDR
        start_response('200 OK', [])
        return []
      })
      await handler(new Request('http://h/'), { requestIP: () => (isGone ? null : { address: '10.0.0.1' }) })
      assert.equal(seen, '10.0.0.1')
    })

    it('has an address that an application sets', async () => {
      const set = (environ: Parameters<WSGIApplication>[0]) => {
        environ.REMOTE_ADDR = '192.0.2.1'
        return Object.getOwnPropertyDescriptor(environ, 'REMOTE_ADDR')?.value
      }
      assert.deepEqual(await looked(set), ['192.0.2.1', 0])
    })
  })

  it('passes the arguments of the platform to the application', async () => {
    const env = { BINDING: 'bound' }
    const handler = toFetch(saying((environ) => String(wrong(environ['propylon.fetch']).platform[0] === env)))
    assert.equal(await (await handler(new Request('http://h/'), env)).text(), 'true')
  })
})

describe('toFetch, the URL', () => {
  const tell = toFetch(
    saying((environ) => [environ.HTTP_HOST, environ.PATH_INFO, environ.QUERY_STRING, environ.REQUEST_URI].join(' ')),
  )
  // Each URL is requested twice, because the origin is cached after the first request.
  const cases: [url: string, told: string][] = [
    ['http://h/', 'h /  /'],
    ['http://h', 'h /  /'],
    ['http://h/a?b=c&d', 'h /a b=c&d /a?b=c&d'],
    ['http://h/a?b?c=/../d', 'h /a b?c=/../d /a?b?c=/../d'],
    ['http://h?a=/b', 'h / a=/b /?a=/b'],
    ['http://h/a#b', 'h /a  /a'],
    ['http://h/a/../b/%2e/c', 'h /b/c  /b/c'],
    ['http://h/a b"<>', 'h /a b"<>  /a%20b%22%3C%3E'],
    ['http://h/a?\'"', 'h /a %27%22 /a?%27%22'],
    ['http://h:8080/a', 'h:8080 /a  /a'],
    ['http://h:80/a', 'h /a  /a'],
    ['http://u:p@h/a', 'h /a  /a'],
    ['http://[::1]:1/a', '[::1]:1 /a  /a'],
    ['https://EXAMPLE.org/a%2Fb', 'example.org /a/b  /a%2Fb'],
  ]
  for (const [url, told] of cases) {
    it(`splits ${url}`, async () => {
      // Deno passes the URL as the client sent it. new Request() would normalize it.
      const request = Object.create(new Request('http://other/'), {
        url: { value: url },
        method: { value: 'GET' },
        headers: { value: new Headers() },
        signal: { value: new AbortController().signal },
      })
      for (let time = 0; time < 2; time++) assert.equal(await (await tell(request)).text(), told)
    })
  }
})

describe('toFetch, the body', () => {
  const headers = { 'Content-Length': '6' }
  const reading = (read: (input: Parameters<WSGIApplication>[0]['wsgi.input']) => Promise<string[]>) =>
    toFetch(async (environ, start_response) => {
      const said = await read(environ['wsgi.input'])
      start_response('200 OK', [])
      return [said.join('|')]
    })
  const text = async (bytes: Promise<Uint8Array>) => new TextDecoder().decode(await bytes)

  for (const [title, init] of [
    ['of a stated length', { headers }],
    ['of unknown length', {}],
  ] as const) {
    const request = () => new Request('http://h/', { method: 'POST', body: 'abc\ndef'.slice(0, 6), ...init })

    it(`${title} is read once, whole`, async () => {
      const handler = reading(async (input) => [await text(input.read(6)), await text(input.read())])
      assert.equal(await (await handler(request())).text(), 'abc\nde|')
    })

    it(`${title} is read in parts`, async () => {
      const handler = reading(async (input) => [
        await text(input.read(1)),
        await text(input.readline()),
        await text(input.read()),
        await text(input.readline()),
      ])
      assert.equal(await (await handler(request())).text(), 'a|bc\n|de|')
    })
  }

  it('is empty if there is a Content-Length without a body', async () => {
    const handler = reading(async (input) => [await text(input.read()), await text(input.readline())])
    assert.equal(await (await handler(new Request('http://h/', { method: 'POST', headers }))).text(), '|')
  })

  it('with a wrong Content-Length is not read beyond the requested size', async () => {
    const handler = reading(async (input) => [await text(input.read(6)), await text(input.read())])
    const request = new Request('http://h/', { method: 'POST', body: '12345678', headers })
    assert.equal(await (await handler(request)).text(), '123456|78')
  })
})

describe('toFetch, the head', () => {
  const head = (app: WSGIApplication) => toFetch(lint(app))(new Request('http://h/', { method: 'HEAD' }))

  it('has a stream as its body for a HEAD of unknown length, so that servers do not add Content-Length: 0', async () => {
    const bodies: (() => Body)[] = [
      () =>
        (function* () {
          yield 'a'
        })(),
      async function* () {
        yield 'a'
      },
    ]
    for (const body of bodies) {
      const response = await head((_environ, start_response) => {
        start_response('200 OK', [])
        return body()
      })
      assert.equal(response.headers.get('content-length'), null)
      assert.ok(response.body instanceof ReadableStream)
      assert.equal(await response.text(), '')
    }
  })

  it('has no body for a HEAD of known length, and for a status without a body', async () => {
    const known = await head(saying(() => 'text'))
    assert.deepEqual([known.headers.get('content-length'), known.body], ['4', null])
    const none = await head((_environ, start_response) => {
      start_response('304 Not Modified', [])
      return []
    })
    assert.deepEqual([none.headers.get('content-length'), none.body], [null, null])
  })

  const answering = (...headers: [string, string][]) =>
    toFetch((_environ, start_response) => {
      start_response('200 OK', headers)
      return ['text']
    })(new Request('http://h/'))

  it('does not join repeated fields', async () => {
    const { headers } = await answering(['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['X', 'y'])
    assert.deepEqual([headers.getSetCookie(), headers.get('x')], [['a=1', 'b=2'], 'y'])
  })

  it('joins fields that are repeated in another case', async () => {
    assert.equal((await answering(['Vary', 'a'], ['vary', 'b'])).headers.get('vary'), 'a, b')
  })

  for (const name of ['__proto__', 'constructor', 'toString']) {
    it(`sends a field called ${name}`, async () => {
      assert.equal((await answering([name, 'here'])).headers.get(name), 'here')
    })
  }

  it('sends text beyond ASCII as UTF-8', async () => {
    const response = await toFetch((_environ, start_response) => {
      start_response('200 OK', [['content-type', 'text/plain']])
      return ['é\ud800😀']
    })(new Request('http://h/'))
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), new TextEncoder().encode('é\ufffd😀'))
    assert.deepEqual([...response.headers.keys()], ['content-length', 'content-type'])
  })

  const served = { remoteAddr: { hostname: '10.0.0.1' } }
  const reasons: [name: string, status: string, platform: unknown[], reason: string][] = [
    ['leaves a registered reason to the servers of Bun and Deno', '404 Not Found', [served], ''],
    ['passes another reason to them', '404 No such user', [served], 'No such user'],
    ['passes a registered reason to other platforms', '404 Not Found', [], 'Not Found'],
  ]
  for (const [name, status, platform, reason] of reasons) {
    it(name, async () => {
      const app: WSGIApplication = (_environ, start_response) => {
        start_response(status, [])
        return ['x']
      }
      const response = await toFetch(app)(new Request('http://h/'), ...platform)
      assert.deepEqual([response.status, response.statusText], [404, reason])
    })
  }
})

describe('a request whose host is malformed', () => {
  const requests: [host: string, request: (host: string) => Request][] = [
    // Bun writes the Host field into the URL unchecked.
    ...['a:b', '[::1', 'a:99999', '%', '1.2.3.256', 'a b', 'a<b'].map((host): [string, (host: string) => Request] => [
      host,
      (host) =>
        Object.defineProperty(new Request('http://h/x?y=1', { headers: { Host: host } }), 'url', {
          value: `http://${host}/x?y=1`,
        }),
    ]),
    [
      'a URL that throws',
      () =>
        Object.defineProperty(new Request('http://h/x'), 'url', {
          get() {
            throw new TypeError('Invalid URL')
          },
        }),
    ],
  ]
  for (const [host, request] of requests) {
    it(`is answered with 400 before the application runs: ${host}`, async () => {
      let calls = 0
      const response = await toFetch((_environ, start_response) => {
        calls++
        start_response('200 OK', [])
        return []
      })(request(host))
      assert.equal(response.status, 400)
      assert.equal(calls, 0)
    })
  }
})
