import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toFetch } from 'propylon/fetch'
import { serve } from 'propylon/node'
import type { Body, Chunk, HeaderPair, WSGIApplication } from 'propylon/wsgi'
import { type Answer, type RequestSpec, transports } from './transports.ts'

const TEXT: HeaderPair = ['Content-Type', 'text/plain; charset=utf-8']

const answering = (status: string, headers: HeaderPair[], body: () => Body): WSGIApplication => {
  return (_environ, start_response) => {
    start_response(status, headers)
    return body()
  }
}

const ok = (body: () => Body, headers: HeaderPair[] = [TEXT]) => answering('200 OK', headers, body)

function* words(...chunks: Chunk[]): Generator<Chunk> {
  yield* chunks
}

async function* later(...chunks: Chunk[]): AsyncGenerator<Chunk> {
  for (const chunk of chunks) {
    await Promise.resolve()
    yield chunk
  }
}

const bytes = (...values: number[]) => new Uint8Array(values)

interface Case {
  behaviour: string
  app: WSGIApplication
  request?: RequestSpec
  expect: Partial<Pick<Answer, 'status' | 'reason' | 'headers' | 'text'>>
}

const cases: Case[] = [
  {
    behaviour: 'sends a single chunk with its Content-Length',
    app: ok(() => ['Hello']),
    expect: {
      status: 200,
      reason: 'OK',
      headers: [
        ['content-length', '5'],
        ['content-type', TEXT[1]],
      ],
      text: 'Hello',
    },
  },
  {
    behaviour: 'sends strings as UTF-8',
    app: ok(() => ['é€😀']),
    expect: {
      headers: [
        ['content-length', '9'],
        ['content-type', TEXT[1]],
      ],
      text: 'é€😀',
    },
  },
  {
    behaviour: 'joins the strings of an array',
    app: ok(() => ['a', '', 'é']),
    expect: {
      text: 'aé',
      headers: [
        ['content-length', '3'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'accepts strings and bytes in one body',
    app: ok(() => ['a', bytes(0xc3, 0xa9)]),
    expect: {
      text: 'aé',
      headers: [
        ['content-length', '3'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'streams a generator',
    app: ok(() => words('a', 'b', bytes(99))),
    expect: { text: 'abc', headers: [['content-type', TEXT[1]]] },
  },
  {
    behaviour: 'streams an async generator',
    app: ok(() => later('a', 'b', bytes(99))),
    expect: { text: 'abc' },
  },
  {
    behaviour: 'sends an empty body for an empty array',
    app: ok(() => []),
    expect: {
      text: '',
      headers: [
        ['content-length', '0'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'sends an empty body for a generator without chunks',
    app: ok(() => words()),
    expect: {
      text: '',
      headers: [
        ['content-length', '0'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'keeps the Content-Length of the application',
    app: ok(() => words('abc'), [TEXT, ['content-length', '3']]),
    expect: {
      headers: [
        ['content-length', '3'],
        ['content-type', TEXT[1]],
      ],
      text: 'abc',
    },
  },
  {
    behaviour: 'accepts an asynchronous application',
    app: async (_environ, start_response) => {
      await Promise.resolve()
      start_response('202 Accepted', [TEXT])
      return ['later']
    },
    expect: { status: 202, reason: 'Accepted', text: 'later' },
  },
  {
    behaviour: 'accepts a start_response call before the first chunk of the body',
    app: function* (_environ, start_response) {
      yield ''
      start_response('201 Created', [TEXT])
      yield 'made'
    },
    expect: { status: 201, reason: 'Created', text: 'made' },
  },
  {
    behaviour: 'accepts a start_response call before the first chunk of an async body',
    app: async function* (_environ, start_response) {
      yield ''
      await Promise.resolve()
      start_response('201 Created', [TEXT])
      yield 'made'
    },
    expect: { status: 201, text: 'made' },
  },
  {
    behaviour: 'accepts a start_response call in a body without chunks',
    // biome-ignore lint/correctness/useYield: a generator that ends at once
    app: function* (_environ, start_response) {
      start_response('204 No Content', [])
    },
    expect: { status: 204, text: '', headers: [] },
  },
  {
    behaviour: 'sends written chunks before the body',
    app: (_environ, start_response) => {
      const write = start_response('200 OK', [TEXT])
      write('one ')
      write('two ')
      return ['three']
    },
    expect: { text: 'one two three' },
  },
  {
    behaviour: 'sends chunks that are written later before the body',
    app: async (_environ, start_response) => {
      const write = start_response('200 OK', [TEXT])
      await Promise.resolve()
      write('one ')
      await Promise.resolve()
      write('two ')
      await Promise.resolve()
      return words('three')
    },
    expect: { text: 'one two three' },
  },
  {
    behaviour: 'replaces a response that has not been sent if excInfo is passed',
    app: (_environ, start_response) => {
      start_response('200 OK', [TEXT, ['X-Old', '1']])
      start_response('503 Service Unavailable', [TEXT], new Error('out of order'))
      return ['sorry']
    },
    expect: {
      status: 503,
      text: 'sorry',
      headers: [
        ['content-length', '5'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'keeps repeated headers separate and in order',
    app: ok(
      () => ['x'],
      [
        ['Set-Cookie', 'b=2'],
        ['Set-Cookie', 'a=1'],
      ],
    ),
    expect: {
      headers: [
        ['content-length', '1'],
        ['set-cookie', 'b=2'],
        ['set-cookie', 'a=1'],
      ],
    },
  },
  {
    behaviour: 'sends the reason phrase',
    app: answering('400 Bad Request -- name: is missing', [TEXT], () => ['no']),
    expect: { status: 400, reason: 'Bad Request -- name: is missing' },
  },
  {
    behaviour: 'sends an unregistered status',
    app: answering('299 Whatever You Like', [TEXT], () => ['x']),
    expect: { status: 299, reason: 'Whatever You Like' },
  },
  {
    behaviour: 'sends the length of a single chunk and no body for HEAD',
    app: ok(() => ['Hello']),
    request: { method: 'HEAD' },
    expect: {
      status: 200,
      text: '',
      headers: [
        ['content-length', '5'],
        ['content-type', TEXT[1]],
      ],
    },
  },
  {
    behaviour: 'does not pull a stream for HEAD',
    app: ok(() => ({
      // biome-ignore lint/correctness/useYield: it must not be pulled
      *[Symbol.iterator](): Generator<Chunk> {
        throw new Error('pulled')
      },
    })),
    request: { method: 'HEAD' },
    expect: { status: 200, text: '', headers: [['content-type', TEXT[1]]] },
  },
  {
    behaviour: 'sends headers and no body for 304',
    app: answering('304 Not Modified', [['ETag', '"x"']], () => []),
    expect: { status: 304, text: '', headers: [['etag', '"x"']] },
  },
  {
    behaviour: 'sends no body for 205',
    app: answering('205 Reset Content', [], () => []),
    expect: { status: 205, text: '', headers: [['content-length', '0']] },
  },
  {
    behaviour: 'sends a page without details for an error before the head',
    app: () => {
      throw new Error('secret')
    },
    expect: { status: 500, reason: 'Internal Server Error', text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'sends a page without details for a rejected promise',
    app: async () => {
      await Promise.resolve()
      throw new Error('secret')
    },
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'sends a page for an error of a generator before its first chunk',
    // biome-ignore lint/correctness/useYield: it fails before it can
    app: ok(function* (): Generator<Chunk> {
      throw new Error('secret')
    }),
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'sends a page for an error of an async generator before its first chunk',
    // biome-ignore lint/correctness/useYield: it fails before it can
    app: ok(async function* (): AsyncGenerator<Chunk> {
      throw new Error('secret')
    }),
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'accepts the request body as the response body',
    app: (environ, start_response) => {
      start_response('200 OK', [TEXT])
      return environ['wsgi.input']
    },
    request: { method: 'POST', body: 'é€😀' },
    expect: { text: 'é€😀' },
  },
  {
    behaviour: 'reads a body of unknown length to its end',
    app: async (environ, start_response) => {
      const body = await environ['wsgi.input'].read()
      start_response('200 OK', [TEXT])
      return [`${environ.CONTENT_LENGTH}|`, body]
    },
    request: { method: 'POST', body: later2() },
    expect: { text: '|one two' },
  },
  {
    behaviour: 'reads lines and parts of the request body alternately',
    app: async (environ, start_response) => {
      const input = environ['wsgi.input']
      const parts = [
        await input.readline(),
        await input.read(2),
        await input.readline(),
        await input.read(),
        await input.read(1),
      ]
      start_response('200 OK', [TEXT])
      return [JSON.stringify(parts.map((part) => new TextDecoder().decode(part)))]
    },
    request: { method: 'POST', body: 'a\nbcd\ne' },
    expect: { text: JSON.stringify(['a\n', 'bc', 'd\n', 'e', '']) },
  },
  {
    behaviour: 'provides the request body as a web stream',
    app: async (environ, start_response) => {
      const text = await new Response(environ['wsgi.input'].stream).text()
      start_response('200 OK', [TEXT])
      return [text]
    },
    request: { method: 'PUT', body: 'streamed' },
    expect: { text: 'streamed' },
  },
  {
    behaviour: 'reads an empty body for a request without one',
    app: async (environ, start_response) => {
      const size = (await environ['wsgi.input'].read()).byteLength
      start_response('200 OK', [TEXT])
      return [`${size}${environ.CONTENT_LENGTH}`]
    },
    expect: { text: '0' },
  },
  {
    behaviour: 'sets the environ from the request',
    app: (environ, start_response) => {
      start_response('200 OK', [TEXT])
      const keys = [
        'REQUEST_METHOD',
        'SCRIPT_NAME',
        'PATH_INFO',
        'QUERY_STRING',
        'REQUEST_URI',
        'CONTENT_TYPE',
        'CONTENT_LENGTH',
        'SERVER_PROTOCOL',
        'HTTP_HOST',
        'HTTP_ACCEPT',
        'HTTP_COOKIE',
        'HTTP_X_USER',
      ]
      return [JSON.stringify(keys.map((key) => environ[key]))]
    },
    request: {
      method: 'POST',
      path: '/caf%C3%A9/a%2Fb;edit?x=%20&y',
      headers: [
        ['Host', 'example.org:8080'],
        ['Content-Type', 'text/plain'],
        ['Accept', 'a/b'],
        ['Accept', 'c/d'],
        ['Cookie', 'a=1; b=2'],
        ['X_User', 'root'],
      ],
      body: 'abc',
    },
    expect: {
      text: JSON.stringify([
        'POST',
        '',
        '/café/a/b;edit',
        'x=%20&y',
        '/caf%C3%A9/a%2Fb;edit?x=%20&y',
        'text/plain',
        '3',
        'HTTP/1.1',
        'example.org:8080',
        'a/b, c/d',
        'a=1; b=2',
        null,
      ]),
    },
  },
]

async function* later2(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('one ')
  await Promise.resolve()
  yield new TextEncoder().encode('two')
}

for (const transport of transports) {
  describe(`the gateway, ${transport.name}`, () => {
    for (const { behaviour, app, request, expect } of cases) {
      it(behaviour, async () => {
        // A body that can be read only once is created for each transport.
        const spec =
          request !== undefined && typeof request.body === 'object' && !(request.body instanceof Uint8Array)
            ? { ...request, body: later2() }
            : request
        const answer = await transport.request(app, spec)
        for (const [key, value] of Object.entries(expect)) assert.deepEqual(Reflect.get(answer, key), value, key)
      })
    }

    it('calls close() once when the body is complete', async () => {
      let closed = 0
      const body = () => Object.assign(words('a', 'b'), { close: () => void closed++ })
      await transport.request(ok(body))
      assert.equal(closed, 1)
    })

    it('calls close() of an array once', async () => {
      let closed = 0
      const answer = await transport.request(ok(() => Object.assign(['a'], { close: () => void closed++ })))
      assert.deepEqual([closed, answer.text], [1, 'a'])
    })

    it('calls close() once when the body fails before the head', async () => {
      let closed = 0
      const failing = () =>
        Object.assign(
          (function* (): Generator<Chunk> {
            yield ''
            throw new Error('broken')
          })(),
          { close: () => void closed++ },
        )
      const answer = await transport.request(ok(failing))
      assert.deepEqual([closed, answer.status], [1, 500])
    })

    it('aborts the response for an error after the head and calls close() once', async () => {
      let closed = 0
      const failing = () =>
        Object.assign(
          (function* (): Generator<Chunk> {
            yield 'begun'
            throw new Error('broken')
          })(),
          { close: () => void closed++ },
        )
      await assert.rejects(transport.request(ok(failing)), /broken/)
      assert.equal(closed, 1)
    })

    it('throws excInfo from start_response after the head has been sent', async () => {
      const app: WSGIApplication = function* (_environ, start_response) {
        start_response('200 OK', [TEXT])
        yield 'begun'
        start_response('500 Internal Server Error', [TEXT], new Error('too late'))
      }
      await assert.rejects(transport.request(app), /too late/)
    })

    it('keeps the percent-encoding of reserved characters in REQUEST_URI', async () => {
      const app: WSGIApplication = (environ, start_response) => {
        start_response('200 OK', [TEXT])
        return [`${environ.PATH_INFO} ${environ.REQUEST_URI}`]
      }
      assert.equal((await transport.request(app, { path: '/a%2Fb' })).text, '/a/b /a%2Fb')
    })
  })
}

describe('an error after write()', () => {
  const app = {
    wsgi: async (_environ, start_response) => {
      start_response('200 OK', [TEXT])('begun')
      await Promise.resolve()
      throw new Error('broken')
    },
    reportError() {},
  } satisfies { wsgi: WSGIApplication; reportError(): void }

  it('breaks the response off, toFetch', async () => {
    const response = await toFetch(app)(new Request('http://localhost/'))
    await assert.rejects(response.text())
  })

  it('breaks the response off, serve', async () => {
    const server = await serve(app)
    try {
      await assert.rejects(async () => (await fetch(server.url)).text())
    } finally {
      await server.close()
    }
  })
})
