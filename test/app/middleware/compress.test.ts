import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { describe, it } from 'node:test'
import zlib from 'node:zlib'
import { FrameworkApp, Mapper, Response, WSGIController } from 'propylon'
import { type CompressOptions, compress } from 'propylon/middleware'
import { createEnviron, type HeaderPair, lint, run, type WSGIApplication } from 'propylon/wsgi'
import { Connection, serving } from '../../wsgi/node/raw.ts'
import { type Answer, type RequestSpec, transports } from '../../wsgi/transports.ts'

const text = 'All work and no play makes Jack a dull boy. '.repeat(30)

/** An application that answers with a head and a body. */
function application(
  headers: HeaderPair[],
  body: () => ReturnType<WSGIApplication> = () => [text],
  status = '200 OK',
): WSGIApplication {
  return (_environ, start_response) => {
    start_response(status, headers)
    return body()
  }
}

const plain: HeaderPair = ['Content-Type', 'text/plain; charset=utf-8']

const decoders: Record<string, (bytes: Uint8Array) => Buffer> = {
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  gzip: zlib.gunzipSync,
}

/** Returns the coding and the text of an answer. */
function decoded(answer: Answer): [coding: string, text: string] {
  const coding = answer.header('content-encoding') ?? 'identity'
  const bytes = decoders[coding]?.(answer.body) ?? answer.body
  return [coding, new TextDecoder().decode(bytes)]
}

const accepting = (coding: string): RequestSpec => ({ headers: [['Accept-Encoding', coding]] })

const negotiation: [acceptEncoding: string, coding: string][] = [
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['zstd, gzip', 'zstd'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5, zstd;q=0.5, gzip;q=0.4', 'br'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'zstd'],
  ['*;q=0', 'identity'],
  ['identity', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['deflate', 'identity'],
  ['GZIP', 'gzip'],
  ['', 'identity'],
]

const unchanged: [behaviour: string, app: WSGIApplication, vary: string | undefined][] = [
  ['a short body', application([plain], () => ['x'.repeat(1023)]), 'Accept-Encoding'],
  ['an image', application([['Content-Type', 'image/png']]), undefined],
  ['an event stream', application([['Content-Type', 'text/event-stream']]), undefined],
  ['a body without a type', application([]), undefined],
  [
    'a partial response',
    application([plain, ['Content-Range', 'bytes 0-1/2']], undefined, '206 Partial Content'),
    undefined,
  ],
  ['an encoded body', application([plain, ['Content-Encoding', 'gzip']]), undefined],
  ['a body with a digest', application([plain, ['Repr-Digest', 'sha-256=:AA==:']]), undefined],
  ['a response with no-transform', application([plain, ['Cache-Control', 'public, no-transform']]), undefined],
  [
    'a short stream of known length',
    application([plain, ['Content-Length', '5']], () => ['hello'].values()),
    'Accept-Encoding',
  ],
]

for (const transport of transports) {
  const send = (app: WSGIApplication, request: RequestSpec, options?: CompressOptions) =>
    transport.request(compress(options)(app), request)

  describe(`compress, ${transport.name}`, () => {
    for (const [header, coding] of negotiation) {
      it(`sends ${coding} for Accept-Encoding: ${header || '(empty)'}`, async () => {
        const answer = await send(application([plain]), accepting(header))
        assert.deepEqual(decoded(answer), [coding, text])
        assert.equal(answer.header('vary'), 'Accept-Encoding')
        if (transport.name !== 'fetch') {
          assert.equal(answer.header('content-length'), String(answer.body.length))
        }
      })
    }

    it('sends the body as it is without Accept-Encoding, with Vary', async () => {
      const answer = await send(application([plain, ['Vary', 'Accept']]), {})
      assert.deepEqual(decoded(answer), ['identity', text])
      assert.equal(answer.header('vary'), 'Accept, Accept-Encoding')
    })

    for (const [behaviour, app, vary] of unchanged) {
      it(`does not compress ${behaviour}`, async () => {
        const answer = await send(app, accepting('gzip'))
        const own = await transport.request(app, accepting('gzip'))
        assert.deepEqual(answer.body, own.body)
        assert.equal(answer.header('content-encoding'), own.header('content-encoding'))
        assert.equal(answer.header('content-length'), own.header('content-length'))
        assert.equal(answer.header('vary'), vary)
      })
    }

    it('compresses chunks of text and bytes, error pages and JSON', async () => {
      const body = () => [text, new TextEncoder().encode('é')]
      const app = application([['Content-Type', 'application/problem+json']], body, '404 Not Found')
      const answer = await send(app, accepting('br'))
      assert.equal(answer.status, 404)
      assert.deepEqual(decoded(answer), ['br', `${text}é`])
    })

    it('compresses a stream without its length', async () => {
      async function* body() {
        yield text
        yield ''
        yield new TextEncoder().encode('end')
      }
      const length: HeaderPair = ['Content-Length', String(text.length + 3)]
      for (const headers of [[plain], [plain, length]]) {
        for (const coding of ['br', 'zstd', 'gzip']) {
          const answer = await send(application(headers, body), accepting(coding))
          assert.deepEqual(decoded(answer), [coding, `${text}end`])
          assert.equal(answer.header('content-length'), undefined)
        }
      }
    })

    it('sends a valid empty stream', async () => {
      const answer = await send(
        application([plain], () => [].values()),
        accepting('gzip'),
      )
      assert.deepEqual(decoded(answer), ['gzip', ''])
    })

    it('compresses a body that calls start_response itself', async () => {
      const app: WSGIApplication = function* (_environ, start_response) {
        start_response('200 OK', [plain])
        yield text
      }
      assert.deepEqual(decoded(await send(app, accepting('gzip'))), ['gzip', text])
    })

    it('does not compress what is passed to write()', async () => {
      const app: WSGIApplication = (_environ, start_response) => {
        start_response('200 OK', [plain])(text)
        return [text]
      }
      const answer = await send(app, accepting('gzip'))
      assert.deepEqual(decoded(answer), ['identity', text + text])
      assert.equal(answer.header('vary'), 'Accept-Encoding')
    })

    it('compresses the page that replaces a stream', async () => {
      const failing = () => ({
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }),
      })
      class StreamController extends WSGIController {
        image() {
          return new Response(failing(), { contentType: 'image/png' })
        }
        text() {
          return new Response(failing(), { contentType: 'text/plain' })
        }
      }
      const app = new FrameworkApp({
        map: new Mapper().connect('/{action}', { controller: 'stream' }),
        controllers: { stream: StreamController },
        logger: { info() {}, warn() {}, error() {} },
        templates: { oops: text },
        errorPages: { 500: 'oops' },
        middleware: [compress()],
      })
      const wsgi = app.servedWith(app)
      const headers: HeaderPair[] = [
        ['Accept', 'text/html'],
        ['Accept-Encoding', 'br'],
      ]
      const page = await transport.request(wsgi, { path: '/text', headers })
      assert.deepEqual([page.status, ...decoded(page)], [500, 'br', text])
      const image = await transport.request(wsgi, { path: '/image', headers })
      assert.deepEqual([image.status, ...decoded(image)], [500, 'identity', text])
    })

    it('fails if the body does not have its Content-Length', async () => {
      const lengths: [string, WSGIApplication][] = [
        ['in memory', application([plain, ['Content-Length', '2000']])],
        ['streamed', application([plain, ['Content-Length', '2000']], () => ['hello'].values())],
      ]
      for (const [name, app] of lengths) {
        const outcome = await send(app, accepting('gzip')).then(
          ({ status }) => status,
          (error: Error) => error.message,
        )
        assert.match(String(outcome), /^500$|Content-Length/, name)
      }
    })

    it('accepts a threshold and other types', async () => {
      const type: HeaderPair = ['Content-Type', 'application/x-ours']
      const options = { threshold: 3, types: (one: string) => one === 'application/x-ours' }
      const one = await send(
        application([type], () => ['abc']),
        accepting('gzip'),
        options,
      )
      assert.deepEqual(decoded(one), ['gzip', 'abc'])
      const two = await send(
        application([type], () => ['ab']),
        accepting('gzip'),
        options,
      )
      assert.deepEqual(decoded(two), ['identity', 'ab'])
      const three = await send(application([plain]), accepting('gzip'), options)
      assert.deepEqual(decoded(three), ['identity', text])
    })
  })

  describe(`entity tags of compressed responses, ${transport.name}`, () => {
    class PageController extends WSGIController {
      index() {
        return new Response(text, { headers: { ETag: '"v1"', 'Accept-Ranges': 'bytes' } }).makeConditional(this.request)
      }
      weak() {
        return new Response(text, { headers: { ETag: 'W/"v1"' } }).makeConditional(this.request)
      }
      update() {
        const allowed = this.request.preconditions({ etag: '"v1"' }) === 'proceed'
        return new Response(allowed ? 'updated' : 'failed', { status: allowed ? 200 : 412 })
      }
    }
    const app = new FrameworkApp({
      map: new Mapper()
        .connect('/', { controller: 'page', action: 'update', conditions: { method: ['PUT'] } })
        .connect('/', { controller: 'page', action: 'index' })
        .connect('/weak', { controller: 'page', action: 'weak' }),
      controllers: { page: PageController },
      middleware: [compress()],
    })
    const request = (path: string, method: string, headers: Record<string, string>) =>
      transport.request(app, { path, method, headers: Object.entries(headers) })

    const rows: [
      what: string,
      method: string,
      headers: Record<string, string>,
      status: number,
      etag: string | undefined,
    ][] = [
      ['an uncompressed page', 'GET', {}, 200, '"v1"'],
      ['a page in Brotli', 'GET', { 'Accept-Encoding': 'br' }, 200, '"v1-br"'],
      ['the head of a page in Brotli', 'HEAD', { 'Accept-Encoding': 'br' }, 200, '"v1-br"'],
      ['the same coding', 'GET', { 'Accept-Encoding': 'br', 'If-None-Match': '"v1-br"' }, 304, '"v1-br"'],
      ['a weakened tag', 'GET', { 'Accept-Encoding': 'br', 'If-None-Match': 'W/"v1-br"' }, 304, '"v1-br"'],
      [
        'one of several tags',
        'GET',
        { 'Accept-Encoding': 'br', 'If-None-Match': '"v0", "v1", "v1-br"' },
        304,
        '"v1-br"',
      ],
      ['another coding', 'GET', { 'Accept-Encoding': 'gzip', 'If-None-Match': '"v1-br"' }, 200, '"v1-gzip"'],
      ['a coding that is not accepted now', 'GET', { 'If-None-Match': '"v1-br"' }, 200, '"v1"'],
      ['the uncompressed page', 'GET', { 'Accept-Encoding': 'br', 'If-None-Match': '"v1"' }, 304, '"v1"'],
      ['an old version', 'GET', { 'Accept-Encoding': 'br', 'If-None-Match': '"v0-br"' }, 200, '"v1-br"'],
      ['any version', 'GET', { 'Accept-Encoding': 'br', 'If-None-Match': '*' }, 304, '"v1"'],
      ['HEAD of the same coding', 'HEAD', { 'Accept-Encoding': 'br', 'If-None-Match': '"v1-br"' }, 304, '"v1-br"'],
      ['a GET if the compressed version is current', 'GET', { 'If-Match': '"v0", "v1-br"' }, 200, '"v1"'],
      ['a range of the compressed version', 'GET', { 'If-Match': '"v1-br"', Range: 'bytes=0-9' }, 412, '"v1"'],
      ['a PUT of the compressed version', 'PUT', { 'If-Match': '"v1-br"' }, 200, undefined],
      ['a PUT of an old version', 'PUT', { 'If-Match': '"v0-br"' }, 412, undefined],
      ['a PUT unless the compressed version', 'PUT', { 'If-None-Match': '"v1-gzip"' }, 412, undefined],
    ]
    for (const [what, method, headers, status, etag] of rows) {
      it(`answers ${status} for ${what}`, async () => {
        const answer = await request('/', method, headers)
        assert.deepEqual([answer.status, answer.header('etag')], [status, etag])
        if (method === 'PUT' || status === 412) return
        assert.equal(answer.header('vary'), 'Accept-Encoding')
        const compressed = etag !== '"v1"' && status === 200
        assert.equal(answer.header('content-encoding') !== undefined, compressed)
        if (status === 200) assert.equal(answer.header('accept-ranges') === undefined, compressed)
        if (method === 'HEAD') assert.equal(answer.header('content-length'), undefined)
      })
    }

    it('leaves weak tags alone', async () => {
      const gzip = { 'Accept-Encoding': 'gzip' }
      assert.equal((await request('/weak', 'GET', gzip)).header('etag'), 'W/"v1"')
      const again = await request('/weak', 'GET', { ...gzip, 'If-None-Match': 'W/"v1"' })
      assert.deepEqual([again.status, again.header('etag')], [304, 'W/"v1"'])
    })

    it('leaves HEAD without a body and a length alone', async () => {
      const head = (headers: HeaderPair[]) =>
        transport.request(compress()(application([plain, ['ETag', '"v1"'], ...headers], () => [])), {
          method: 'HEAD',
          ...accepting('br'),
        })
      assert.equal((await head([])).header('etag'), '"v1"')
      assert.equal((await head([['Content-Length', '1000']])).header('content-length'), '1000')
      const long = await head([['Content-Length', '5000']])
      assert.deepEqual(
        ['etag', 'content-encoding', 'content-length'].map((name) => long.header(name)),
        ['"v1-br"', 'br', undefined],
      )
    })
  })
}

describe('compress', () => {
  const decompressors = {
    br: zlib.createBrotliDecompress,
    zstd: zlib.createZstdDecompress,
    gzip: zlib.createGunzip,
  }
  for (const [coding, decompressor] of Object.entries(decompressors)) {
    it(`flushes each chunk of a stream in ${coding}`, async () => {
      const gate = Promise.withResolvers<void>()
      async function* body() {
        yield 'first '
        await gate.promise
        yield 'second'
      }
      await serving(compress()(application([plain], body)), async (server) => {
        const headers = { 'Accept-Encoding': coding }
        const responses = await once(http.get({ port: server.port, headers }), 'response')
        const response: http.IncomingMessage = responses[0]
        assert.equal(response.headers['content-encoding'], coding)
        const decoded = response.pipe(decompressor())
        assert.equal(String((await once(decoded, 'data'))[0]), 'first ')
        gate.resolve()
        assert.equal(String((await once(decoded, 'data'))[0]), 'second')
      })
    })
  }

  it('closes a stream whose client disconnects, once, and reports nothing', async () => {
    const closed = Promise.withResolvers<void>()
    let closes = 0
    const errors: unknown[] = []
    const never = new Promise<IteratorResult<string>>(() => {})
    const steps = [Promise.resolve({ done: false as const, value: text }), never]
    const body = {
      [Symbol.asyncIterator]: () => ({ next: () => steps.shift() ?? never }),
      close() {
        closes += 1
        closed.resolve()
      },
    }
    const wsgi = lint(compress()(application([plain], () => body)))
    const app = { wsgi, handleError: () => wsgi, reportError: (error: unknown) => void errors.push(error) }
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n')
      await once(client.socket, 'data')
      client.socket.destroy()
      await closed.promise
    })
    assert.deepEqual([closes, errors], [1, []])
  })

  it('reads a stream at the pace of the client', async () => {
    let pulled = 0
    async function* body() {
      for (;;) {
        pulled += 1
        yield text
      }
    }
    const environ = createEnviron({ headers: [['Accept-Encoding', 'gzip']] })
    const result = await run(lint(compress()(application([plain], body))), environ)
    const iterator = result.body[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.next()
    assert.ok(pulled <= 3, `${pulled} chunks were pulled`)
    await result.body.close()
  })

  it('closes a body in memory', async () => {
    const closes: string[] = []
    const body = () => Object.assign([text], { close: () => void closes.push('close') })
    const environ = createEnviron({ headers: [['Accept-Encoding', 'gzip']] })
    const result = await run(lint(compress()(application([plain], body))), environ)
    await result.bytes()
    assert.deepEqual(closes, ['close'])
  })

  it('refuses unknown and wrong options', () => {
    const misspelt: object = { treshold: 1 }
    assert.throws(() => compress(misspelt), /compress\(\) has no option "treshold". Did you mean threshold\?/)
    assert.throws(() => compress({ threshold: -1 }), /threshold is -1. Pass a number of bytes from 0/)
    const wrong: [options: object, message: RegExp][] = [
      [{ threshold: '1024' }, /threshold is "1024". Pass a number of bytes from 0/],
      [{ types: 'text' }, /types is "text". Pass a function of the content type that returns true or false/],
    ]
    for (const [options, message] of wrong) assert.throws(() => compress(options), message)
    assert.doesNotThrow(() => compress({ threshold: 0 }))
  })
})
