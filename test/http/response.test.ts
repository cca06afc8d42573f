import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HTTPConflict, Request, Response, type ResponseBody } from 'propylon'
import { type Body, createEnviron, run } from 'propylon/wsgi'
import { send } from './send.ts'

setFlagsFromString('--expose-gc')

const HTML = ['text/html; charset=utf-8']
const BYTES = ['application/octet-stream']

async function* generate(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
}

/** A body that counts the calls of its close(). */
function closable(): { body: Iterable<string>; closed: () => number } {
  let closed = 0
  const body = {
    *[Symbol.iterator]() {
      yield 'a'
    },
    close: () => {
      closed++
    },
  }
  return { body, closed: () => closed }
}

describe('a Response as a WSGI application', () => {
  const bodies: [string, () => ResponseBody, string, string[] | undefined, string[] | undefined][] = [
    ['text', () => 'hé', 'hé', HTML, ['3']],
    ['empty text', () => '', '', HTML, ['0']],
    ['bytes', () => new Uint8Array([104, 105]), 'hi', BYTES, ['2']],
    ['nothing', () => null, '', undefined, ['0']],
    ['an array', () => ['a', new Uint8Array([98])], 'ab', HTML, ['2']],
    [
      'a generator',
      () =>
        (function* () {
          yield 'a'
          yield 'b'
        })(),
      'ab',
      HTML,
      undefined,
    ],
    ['an async generator', generate, 'ab', HTML, undefined],
    ['a web stream', () => new Blob(['ab']).stream(), 'ab', BYTES, undefined],
    ['a Blob', () => new Blob(['ab'], { type: 'text/css' }), 'ab', ['text/css'], ['2']],
    ['a Blob without a type', () => new Blob(['ab']), 'ab', BYTES, ['2']],
  ]
  for (const [title, make, text, type, length] of bodies) {
    it(`sends ${title}`, async () => {
      const sent = await send(new Response(make()))
      assert.deepEqual(
        [sent.status, sent.text, sent.headers['content-type'], sent.headers['content-length']],
        ['200 OK', text, type, length ?? sent.headers['content-length']],
      )
    })

    it(`sends no body but the same headers for ${title} on HEAD`, async () => {
      const got = await send(new Response(make()))
      const head = await send(new Response(make()), { method: 'HEAD' })
      assert.equal(head.text, '')
      assert.deepEqual(head.headers['content-type'], got.headers['content-type'])
      if (length !== undefined) assert.deepEqual(head.headers['content-length'], length)
    })

    for (const status of [204, 205, 304]) {
      it(`sends neither body nor content type for ${title} with ${status}`, async () => {
        const response = new Response(make(), { status, contentType: 'text/plain' })
        response.headers.set('Content-Length', '2')
        const sent = await send(response)
        assert.deepEqual([sent.text, sent.headers['content-type']], ['', undefined])
        assert.deepEqual(sent.headers['content-length'] ?? ['0'], ['0'])
      })
    }
  }

  it('keeps ETag and Cache-Control of a 304', async () => {
    const response = new Response('x', { status: 304 })
    response.etag = 'v1'
    response.cacheControl = { maxAge: 60 }
    const { headers } = await send(response)
    assert.deepEqual([headers.etag, headers['cache-control']], [['"v1"'], ['max-age=60']])
  })

  it('can be sent any number of times if its body is in memory', async () => {
    const response = new Response(['a', 'b'])
    assert.deepEqual(await send(response), await send(response))
  })

  it('does not change if the sent headers change', () => {
    const response = new Response('x', { headers: { A: '1' } })
    const start = (_status: string, headers: [string, string][]) => {
      headers.push(['B', '2'])
      for (const pair of headers) pair[1] = 'changed'
      return () => {}
    }
    response.send(createEnviron(), start)
    assert.deepEqual(response.headers.toPairs(), [['A', '1']])
  })

  it('replaces a wrong Content-Length', async () => {
    const sent = await send(new Response('abc', { headers: { 'content-length': '99' } }))
    assert.deepEqual(sent.headers['content-length'], ['3'])
  })

  it('keeps the Content-Length of a stream', async () => {
    const sent = await send(new Response(generate(), { headers: { 'Content-Length': '2' } }))
    assert.deepEqual(sent.headers['content-length'], ['2'])
  })

  it('returns a body in memory without a promise', () => {
    const body: Body | Promise<Body> = new Response('x').wsgi(createEnviron(), () => () => {})
    assert.deepEqual(body, ['x'])
  })

  it('closes its body after sending it', async () => {
    const { body, closed } = closable()
    assert.equal((await send(new Response(body))).text, 'a')
    assert.equal(closed(), 1)
  })

  for (const [title, request, status] of [
    ['HEAD', { method: 'HEAD' }, 200],
    ['a status without content', {}, 204],
  ] as const) {
    it(`closes a body that is not sent for ${title}`, async () => {
      const { body, closed } = closable()
      assert.equal((await send(new Response(body, { status }), request)).text, '')
      assert.equal(closed(), 1)
    })
  }

  it('ends a generator that is not sent', async () => {
    const generator = generate()
    await send(new Response(generator), { method: 'HEAD' })
    assert.deepEqual(await generator.next(), { done: true, value: undefined })
  })

  it('cancels a pending web stream if the client disconnects', async () => {
    let cancelled = false
    const stream = new ReadableStream<string>({
      start: (controller) => controller.enqueue('a'),
      cancel: () => {
        cancelled = true
      },
    })
    const result = await run(new Response(stream, { contentType: 'text/plain' }), createEnviron())
    await result.body.close()
    assert.equal(cancelled, true)
  })

  it('cancels a web stream that is not sent', async () => {
    let cancelled = false
    const stream = new ReadableStream<string>({
      cancel: () => {
        cancelled = true
      },
    })
    await send(new Response(stream), { method: 'HEAD' })
    assert.equal(cancelled, true)
  })

  it('throws the error of a web stream', async () => {
    const stream = new ReadableStream<string>({ pull: (controller) => controller.error(new Error('broken')) })
    await assert.rejects(send(new Response(stream)), /broken/)
  })

  it('refuses an array with anything but chunks', async () => {
    await assert.rejects(
      send(new Response(JSON.parse('[1]'))),
      /chunk of the body is 1: chunks are strings or Uint8Arrays/,
    )
  })
})

describe('the status of a Response', () => {
  const rows: [number | string, number, string][] = [
    [201, 201, '201 Created'],
    ['404 Not Found', 404, '404 Not Found'],
    ['400 Bad Request -- no name', 400, '400 Bad Request -- no name'],
    ['400 a\r\nX: y', 400, '400 a X: y'],
  ]
  for (const [given, status, line] of rows) {
    it(`accepts ${JSON.stringify(given)}`, () => {
      const response = new Response(null, { status: given })
      assert.deepEqual([response.status, response.statusLine], [status, line])
    })
  }

  for (const status of [0, 99, 600, Number.NaN, 200.5, '999 No']) {
    it(`refuses ${status}`, () => {
      assert.throws(() => new Response(null, { status }), RangeError)
    })
  }
})

describe('the content type of a Response', () => {
  for (const contentType of ['a/b', 'text/plain;charset=ascii', 'text/event-stream', 'text/', 'no type']) {
    it(`is sent unchanged: ${contentType}`, async () => {
      assert.deepEqual((await send(new Response('x', { contentType }))).headers['content-type'], [contentType])
    })
  }

  for (const [contentType, expected] of [
    ['text/plain', 'text/plain; charset=utf-8'],
    ['TEXT/csv;header=present; ', 'TEXT/csv;header=present; charset=utf-8'],
  ] as const) {
    it(`has charset=utf-8 if it is a text type without a charset: ${contentType}`, async () => {
      const assigned = new Response('é')
      assigned.contentType = contentType
      assert.equal(assigned.contentType, expected)
      for (const response of [assigned, new Response('é', { contentType, headers: { X: 'y' } })]) {
        assert.deepEqual((await send(response)).headers['content-type'], [expected])
      }
    })
  }

  it('is the given one in the header list', async () => {
    const set = new Response('x')
    set.headers.set('Content-Type', 'text/plain')
    for (const response of [set, new Response('x', { headers: { 'Content-Type': 'text/plain' } })]) {
      assert.deepEqual((await send(response)).headers['content-type'], ['text/plain'])
      assert.equal(response.copy().contentType, 'text/plain')
    }
  })

  it('can be one of the headers', async () => {
    const sent = await send(new Response('x', { headers: { 'content-type': 'a/b' } }))
    assert.deepEqual(sent.headers['content-type'], ['a/b'])
  })

  it('can be omitted', async () => {
    assert.equal((await send(new Response('x', { contentType: null }))).headers['content-type'], undefined)
  })

  it('is the default again after undefined is assigned', async () => {
    const response = new Response('x', { contentType: 'a/b' })
    response.contentType = undefined
    assert.equal(response.contentType, HTML[0])
    assert.deepEqual((await send(response)).headers['content-type'], HTML)
  })

  it('is refused each time if it cannot be a header', () => {
    for (let time = 0; time < 2; time++) {
      assert.throws(() => new Response('x', { contentType: 'text/plain\r\nSet-Cookie: a=1' }), TypeError)
    }
  })

  it('does not keep the text in memory that it is a part of', () => {
    const collect: () => void = runInNewContext('gc')
    collect()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 50; n++) {
      const url = `data:application/pdf;name=${n};base64,${Buffer.alloc(1e6, 'A').toString()}`
      const response = new Response('x', { contentType: url.slice(5, url.indexOf(';base64')) })
      assert.equal(response.contentType, `application/pdf;name=${n}`)
    }
    collect()
    assert.ok(process.memoryUsage().heapUsed - before < 10e6)
  })

  it('is the same in the property and the header list', () => {
    const response = new Response('x')
    response.headers.set('content-type', 'a/b')
    assert.equal(response.contentType, 'a/b')
    response.contentType = 'c/d'
    assert.equal(response.headers.get('Content-Type'), 'c/d')
  })
})

describe('a content type and the header list', () => {
  it('is in the list once, in either order of assignment', () => {
    const before = new Response('x', { contentType: 'text/plain' })
    before.headers.append('X', 'y')
    before.contentType = 'text/csv'
    const after = new Response('x', { headers: { X: 'y' }, contentType: 'text/csv' })
    assert.deepEqual(before.headers.getAll('content-type'), ['text/csv; charset=utf-8'])
    assert.deepEqual(after.headers.getAll('content-type'), ['text/csv; charset=utf-8'])
  })

  it('is the default again after it was deleted from the list', () => {
    const response = new Response('x', { contentType: 'text/plain' })
    response.headers.delete('Content-Type')
    assert.equal(response.contentType, 'text/html; charset=utf-8')
  })
})

describe('Response.write', () => {
  const rows: [ResponseBody, (string | Uint8Array)[], string][] = [
    [null, ['a', 'b'], 'ab'],
    ['a', ['b'], 'ab'],
    ['a', [new Uint8Array([98]), 'c'], 'abc'],
    [new Uint8Array([97]), ['b'], 'ab'],
    [['a'], ['b'], 'ab'],
  ]
  for (const [body, chunks, text] of rows) {
    it(`appends ${chunks.length} chunks to ${body === null ? 'null' : body.constructor.name}`, async () => {
      const response = new Response(body)
      for (const chunk of chunks) response.write(chunk)
      assert.equal((await send(response)).text, text)
    })
  }

  it('does not change a given array', () => {
    const body = ['a']
    new Response(body).write('b')
    assert.deepEqual(body, ['a'])
  })

  it('refuses a generator', () => {
    assert.throws(() => new Response(generate()).write('x'), TypeError)
  })
})

describe('the cookies of a Response', () => {
  it('have HttpOnly and SameSite by default', async () => {
    const response = new Response()
    response.setCookie('a', '1')
    response.setCookie('b', '2', { sameSite: 'strict' })
    assert.deepEqual((await send(response)).headers['set-cookie'], [
      'a=1; Path=/; HttpOnly; SameSite=Lax',
      'b=2; Path=/; HttpOnly; SameSite=Strict',
    ])
  })

  it('are deleted by an expired empty value', () => {
    const response = new Response()
    response.deleteCookie('a', { path: '/x' })
    assert.equal(
      response.headers.get('set-cookie'),
      'a=; Max-Age=0; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    )
  })
})

describe('every setter of a Response', () => {
  const evil = 'x\r\nSet-Cookie: a=1'
  const setters: [string, (response: Response) => void][] = [
    [
      'contentType',
      (response) => {
        response.contentType = evil
      },
    ],
    [
      'etag',
      (response) => {
        response.etag = evil
      },
    ],
    [
      'cacheControl',
      (response) => {
        response.cacheControl = evil
      },
    ],
    ['setCookie', (response) => response.setCookie(evil, '1')],
    ['setCookie path', (response) => response.setCookie('a', '1', { path: evil })],
    [
      'headers',
      (response) => {
        response.headers.set('X', evil)
      },
    ],
    ['the constructor', () => new Response('', { contentType: evil })],
    ['the constructor headers', () => new Response('', { headers: { X: evil } })],
  ]
  for (const [title, set] of setters) {
    it(`refuses injection: ${title}`, () => {
      assert.throws(() => set(new Response('x')), TypeError)
    })
  }
})

describe('validators of a Response', () => {
  it('have quotes and HTTP dates', () => {
    const response = new Response('x')
    response.etag = 'v1'
    response.lastModified = new Date('1994-11-06T08:49:37.500Z')
    assert.equal(response.headers.get('etag'), '"v1"')
    assert.equal(response.headers.get('last-modified'), 'Sun, 06 Nov 1994 08:49:37 GMT')
    assert.deepEqual(response.lastModified, new Date('1994-11-06T08:49:37Z'))
  })

  it('are removed by undefined', () => {
    const response = new Response('x')
    response.etag = 'v1'
    response.lastModified = new Date(0)
    response.cacheControl = 'no-store'
    response.etag = undefined
    response.lastModified = undefined
    response.cacheControl = undefined
    assert.equal(response.headers.size, 0)
  })

  it('include a hash of a body of text', () => {
    assert.match(new Response('x').addEntityTag().etag ?? '', /^"[0-9a-f]{32}"$/)
    assert.throws(() => new Response(generate()).addEntityTag(), TypeError)
  })
})

describe('Response.makeConditional', () => {
  const answer = (method: string, header: [string, string], status = 200) => {
    const response = new Response('hello', { status, contentType: 'text/plain' })
    response.etag = 'v1'
    const request = new Request(createEnviron({ method, headers: [header] }))
    return send(response.makeConditional(request), { method })
  }

  const rows: [string, [string, string], number, string, string][] = [
    ['GET', ['If-None-Match', '"v1"'], 200, '304 Not Modified', ''],
    ['GET', ['If-None-Match', '"v2"'], 200, '200 OK', 'hello'],
    ['HEAD', ['If-None-Match', '"v1"'], 200, '304 Not Modified', ''],
    ['GET', ['If-Match', '"v2"'], 200, '412 Precondition Failed', ''],
    ['PUT', ['If-Match', '"v2"'], 200, '200 OK', 'hello'],
    ['GET', ['If-None-Match', '"v1"'], 404, '404 Not Found', 'hello'],
  ]
  for (const [method, header, before, after, text] of rows) {
    it(`changes ${before} for ${method} with ${header.join(': ')} to ${after}`, async () => {
      const sent = await answer(method, header, before)
      assert.deepEqual([sent.status, sent.text], [after, text])
    })
  }

  it('keeps the ETag of a 304 and drops its Content-Type', async () => {
    const { headers } = await answer('GET', ['If-None-Match', '"v1"'])
    assert.deepEqual(
      [headers.etag, headers['content-type'], headers['content-length']],
      [['"v1"'], undefined, undefined],
    )
  })

  it('closes the body that it removes', async () => {
    const { body, closed } = closable()
    const response = new Response(body)
    response.etag = 'v1'
    const request = new Request(createEnviron({ headers: [['If-None-Match', '*']] }))
    assert.equal((await send(response.makeConditional(request))).status, '304 Not Modified')
    assert.equal(closed(), 1)
  })
})

describe('Response.mergeInto', () => {
  const varies: [own: string, other: string | undefined, merged: string][] = [
    ['Cookie', 'Accept', 'Accept, Cookie'],
    ['Cookie, accept', 'Accept', 'Accept, Cookie'],
    ['Cookie', undefined, 'Cookie'],
    ['*', 'Accept', '*'],
    ['Cookie', '*', '*'],
  ]
  for (const [own, other, merged] of varies) {
    it(`merges Vary: ${own} into ${other ?? 'none'} as ${merged}`, () => {
      const response = new Response('x', { headers: { Vary: other } })
      const result = new Response(null, { headers: { Vary: own } }).mergeInto(response)
      assert.deepEqual(result.headers.getAll('vary'), [merged])
    })
  }

  it('adds cookies and missing fields, except those that describe the body', () => {
    const own = new Response('own', {
      contentType: 'a/b',
      headers: { 'X-A': 'own', 'X-B': 'own', 'Content-Length': '3', 'Content-Encoding': 'gzip' },
    })
    own.setCookie('a', '1')
    const other = new Response('other', { status: 201, headers: { 'x-a': 'other', 'Set-Cookie': 'b=2' } })
    const merged = own.mergeInto(other)
    assert.deepEqual([merged.status, merged.body], [201, 'other'])
    assert.deepEqual(merged.headers.toPairs(), [
      ['x-a', 'other'],
      ['Set-Cookie', 'b=2'],
      ['X-B', 'own'],
      ['Set-Cookie', 'a=1; Path=/; HttpOnly; SameSite=Lax'],
    ])
  })

  it('adds repeated fields', () => {
    const own = new Response('', { headers: { Link: ['<a>', '<b>'] } })
    assert.deepEqual(own.mergeInto(new Response()).headers.getAll('link'), ['<a>', '<b>'])
  })

  it('does not change the other response', () => {
    const shared = new Response('shared')
    const own = new Response()
    own.setCookie('session', 'secret')
    assert.equal(own.mergeInto(shared).headers.size, 1)
    assert.equal(shared.headers.size, 0)
  })

  it('returns the other response itself if there is nothing to add', () => {
    const other = new Response('x')
    assert.equal(new Response('y').mergeInto(other), other)
    assert.equal(other.mergeInto(other), other)
  })

  const validators: [status: number, isKept: boolean][] = [
    [200, true],
    [304, true],
    [404, false],
    // The client needs the current validators to retry.
    [412, true],
    [500, false],
  ]
  for (const [status, isKept] of validators) {
    it(`${isKept ? 'adds' : 'does not add'} ETag and Last-Modified to a ${status}`, () => {
      const own = new Response('page')
      own.etag = 'v1'
      own.lastModified = new Date(0)
      const { etag, lastModified } = own.mergeInto(new Response(null, { status }))
      assert.deepEqual([etag, lastModified], isKept ? ['"v1"', new Date(0)] : [undefined, undefined])
    })
  }

  for (const [status, location] of [
    [303, '/next'],
    [404, undefined],
    [412, undefined],
    [500, undefined],
  ] as const) {
    it(`${location === undefined ? 'leaves out' : 'keeps'} the Location of a response that a ${status} replaces`, () => {
      const own = new Response(null, { headers: { Location: '/next' } })
      assert.equal(own.mergeInto(new Response(null, { status })).headers.get('location'), location)
    })
  }

  it('keeps the Location of an error', () => {
    const own = new Response(null, { status: 409, headers: { Location: '/joe' } })
    assert.equal(own.mergeInto(new Response('form', { status: 409 })).headers.get('location'), '/joe')
  })

  it('adds headers to the response of an exception', async () => {
    const own = new Response()
    own.setCookie('a', '1')
    const environ = createEnviron()
    const merged = own.mergeInto(new HTTPConflict('taken', { Location: '/x' }).toResponse(environ))
    const sent = await send(merged)
    assert.equal(sent.status, '409 Conflict')
    assert.deepEqual([sent.headers.location, sent.headers['set-cookie']?.length], [['/x'], 1])
  })
})

describe('Response.copy', () => {
  it('has the same status, body and content type, and header fields of its own', async () => {
    const response = new Response('x', { status: '201 Made', contentType: 'a/b', headers: { 'X-A': '1' } })
    const copy = response.copy()
    assert.deepEqual(await send(copy), await send(response))
    copy.headers.set('X-A', '2')
    copy.status = 404
    copy.contentType = 'c/d'
    assert.deepEqual([response.statusLine, response.headers.get('x-a')], ['201 Made', '1'])
    assert.equal(response.contentType, 'a/b')
  })

  it('has the content type of a response without other headers', async () => {
    const { headers } = await send(new Response('x', { contentType: 'a/b' }).copy())
    assert.deepEqual(headers['content-type'], ['a/b'])
  })
})

describe('Response.from', () => {
  it('copies status, headers and body of a platform response', async () => {
    const sent = await send(
      Response.from(
        new globalThis.Response('hi', {
          status: 201,
          headers: [
            ['Set-Cookie', 'a=1'],
            ['Set-Cookie', 'b=2'],
          ],
        }),
      ),
    )
    assert.deepEqual([sent.status, sent.text, sent.headers['set-cookie']], ['201 Created', 'hi', ['a=1', 'b=2']])
    assert.deepEqual(sent.headers['content-type'], ['text/plain;charset=UTF-8'])
  })

  it('keeps the reason', () => {
    const made = Response.from(new globalThis.Response(null, { status: 200, statusText: 'Fine' }))
    assert.equal(made.statusLine, '200 Fine')
  })

  it('adds no Content-Type', async () => {
    const sent = await send(Response.from(new globalThis.Response(new Uint8Array([1]))))
    assert.equal(sent.headers['content-type'], undefined)
  })

  it('drops hop-by-hop fields and the coding that fetch has decoded', async () => {
    const fetched = new globalThis.Response('hi', {
      headers: {
        'Content-Encoding': 'gzip',
        'Content-Length': '22',
        'Keep-Alive': 'timeout=5',
        ETag: '"v1"',
      },
    })
    Object.defineProperty(fetched, 'url', { value: 'http://example.com/' })
    const { headers, text } = await send(Response.from(fetched))
    assert.equal(text, 'hi')
    assert.deepEqual(
      [headers.etag, headers['keep-alive'], headers['content-encoding']],
      [['"v1"'], undefined, undefined],
    )
    assert.notDeepEqual(headers['content-length'], ['22'])
  })
})
