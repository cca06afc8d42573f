import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
    behaviour: 'a single chunk goes out with its length',
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
    behaviour: 'strings go out as UTF-8',
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
    behaviour: 'several strings in an array go out as one',
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
    behaviour: 'strings and bytes may be mixed',
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
    behaviour: 'a generator is streamed',
    app: ok(() => words('a', 'b', bytes(99))),
    expect: { text: 'abc', headers: [['content-type', TEXT[1]]] },
  },
  {
    behaviour: 'an async generator is streamed',
    app: ok(() => later('a', 'b', bytes(99))),
    expect: { text: 'abc' },
  },
  {
    behaviour: 'an empty array is an empty body',
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
    behaviour: 'a generator without chunks is an empty body',
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
    behaviour: 'a declared length is kept',
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
    behaviour: 'an application may answer later',
    app: async (_environ, start_response) => {
      await Promise.resolve()
      start_response('202 Accepted', [TEXT])
      return ['later']
    },
    expect: { status: 202, reason: 'Accepted', text: 'later' },
  },
  {
    behaviour: 'a body may call start_response with its first chunk',
    app: function* (_environ, start_response) {
      yield ''
      start_response('201 Created', [TEXT])
      yield 'made'
    },
    expect: { status: 201, reason: 'Created', text: 'made' },
  },
  {
    behaviour: 'an async body may call start_response with its first chunk',
    app: async function* (_environ, start_response) {
      yield ''
      await Promise.resolve()
      start_response('201 Created', [TEXT])
      yield 'made'
    },
    expect: { status: 201, text: 'made' },
  },
  {
    behaviour: 'a body without chunks may call start_response',
    // biome-ignore lint/correctness/useYield: a generator that ends at once
    app: function* (_environ, start_response) {
      start_response('204 No Content', [])
    },
    expect: { status: 204, text: '', headers: [] },
  },
  {
    behaviour: 'what is written goes before the body',
    app: (_environ, start_response) => {
      const write = start_response('200 OK', [TEXT])
      write('one ')
      write('two ')
      return ['three']
    },
    expect: { text: 'one two three' },
  },
  {
    behaviour: 'what is written later goes before the body',
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
    behaviour: 'a response that has not gone out can be replaced with excInfo',
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
    behaviour: 'repeated headers are kept apart and in order',
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
    behaviour: 'the reason phrase survives',
    app: answering('400 Bad Request -- name: is missing', [TEXT], () => ['no']),
    expect: { status: 400, reason: 'Bad Request -- name: is missing' },
  },
  {
    behaviour: 'an unregistered status survives',
    app: answering('299 Whatever You Like', [TEXT], () => ['x']),
    expect: { status: 299, reason: 'Whatever You Like' },
  },
  {
    behaviour: 'HEAD has the length of a single chunk and no body',
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
    behaviour: 'HEAD does not pull a stream',
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
    behaviour: '304 keeps its headers and has no body',
    app: answering('304 Not Modified', [['ETag', '"x"']], () => []),
    expect: { status: 304, text: '', headers: [['etag', '"x"']] },
  },
  {
    behaviour: '205 has no body',
    app: answering('205 Reset Content', [], () => []),
    expect: { status: 205, text: '', headers: [['content-length', '0']] },
  },
  {
    behaviour: 'an error before the head is a page that reveals nothing',
    app: () => {
      throw new Error('secret')
    },
    expect: { status: 500, reason: 'Internal Server Error', text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'a rejected promise is a page that reveals nothing',
    app: async () => {
      await Promise.resolve()
      throw new Error('secret')
    },
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'an error of a generator before its first chunk is a page',
    // biome-ignore lint/correctness/useYield: it fails before it can
    app: ok(function* (): Generator<Chunk> {
      throw new Error('secret')
    }),
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'an error of an async generator before its first chunk is a page',
    // biome-ignore lint/correctness/useYield: it fails before it can
    app: ok(async function* (): AsyncGenerator<Chunk> {
      throw new Error('secret')
    }),
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'the request body can be returned as the response body',
    app: (environ, start_response) => {
      start_response('200 OK', [TEXT])
      return environ['wsgi.input']
    },
    request: { method: 'POST', body: 'é€😀' },
    expect: { text: 'é€😀' },
  },
  {
    behaviour: 'a body of unknown length is read to its end',
    app: async (environ, start_response) => {
      const body = await environ['wsgi.input'].read()
      start_response('200 OK', [TEXT])
      return [`${environ.CONTENT_LENGTH}|`, body]
    },
    request: { method: 'POST', body: later2() },
    expect: { text: '|one two' },
  },
  {
    behaviour: 'lines and pieces of the request body are read in turn',
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
    behaviour: 'the request body is a web stream as well',
    app: async (environ, start_response) => {
      const text = await new Response(environ['wsgi.input'].stream).text()
      start_response('200 OK', [TEXT])
      return [text]
    },
    request: { method: 'PUT', body: 'streamed' },
    expect: { text: 'streamed' },
  },
  {
    behaviour: 'a request without a body reads as empty',
    app: async (environ, start_response) => {
      const size = (await environ['wsgi.input'].read()).byteLength
      start_response('200 OK', [TEXT])
      return [`${size}${environ.CONTENT_LENGTH}`]
    },
    expect: { text: '0' },
  },
  {
    behaviour: 'the environ says what the client asked',
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
        // A body that can be read once only is made anew for every transport.
        const spec =
          request !== undefined && typeof request.body === 'object' && !(request.body instanceof Uint8Array)
            ? { ...request, body: later2() }
            : request
        const answer = await transport.request(app, spec)
        for (const [key, value] of Object.entries(expect))
          assert.deepEqual(Reflect.get(answer, key), value, key)
      })
    }

    it('close() is called once when the body is complete', async () => {
      let closed = 0
      const body = () => Object.assign(words('a', 'b'), { close: () => void closed++ })
      await transport.request(ok(body))
      assert.equal(closed, 1)
    })

    it('close() of an array is called once', async () => {
      let closed = 0
      const answer = await transport.request(ok(() => Object.assign(['a'], { close: () => void closed++ })))
      assert.deepEqual([closed, answer.text], [1, 'a'])
    })

    it('close() is called once when the body fails before the head', async () => {
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

    it('an error after the head is the end of the response, and close() is called once', async () => {
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

    it('start_response throws excInfo once the head has gone out', async () => {
      const app: WSGIApplication = function* (_environ, start_response) {
        start_response('200 OK', [TEXT])
        yield 'begun'
        start_response('500 Internal Server Error', [TEXT], new Error('too late'))
      }
      await assert.rejects(transport.request(app), /too late/)
    })

    it('a reserved character in a path is told apart by REQUEST_URI', async () => {
      const app: WSGIApplication = (environ, start_response) => {
        start_response('200 OK', [TEXT])
        return [`${environ.PATH_INFO} ${environ.REQUEST_URI}`]
      }
      assert.equal((await transport.request(app, { path: '/a%2Fb' })).text, '/a/b /a%2Fb')
    })
  })
}
