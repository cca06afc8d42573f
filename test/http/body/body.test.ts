import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import zlib, { deflateSync, gzipSync } from 'node:zlib'
import { Request } from 'propylon'
import { createEnviron, type EnvironInit } from 'propylon/wsgi'
import { rejection } from '../rejection.ts'

const LIMIT = 1000

/** A body of several chunks without Content-Length. `taken` counts those that were read. */
function pieces(count: number, size = 100): { body: AsyncIterable<Uint8Array>; taken: () => number } {
  let taken = 0
  const body = {
    async *[Symbol.asyncIterator]() {
      for (; taken < count; taken++) yield new Uint8Array(size)
    },
  }
  return { body, taken: () => taken }
}

function read(init: EnvironInit, limit = LIMIT): Promise<Uint8Array> {
  return new Request(createEnviron({ method: 'POST', ...init })).bytes(limit)
}

function encoded(encoding: string, body: Uint8Array): EnvironInit {
  return { headers: [['Content-Encoding', encoding]], body }
}

describe('Request.contentLength', () => {
  const rows: [string, number | undefined][] = [
    ['0', 0],
    ['12', 12],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1, 1', undefined],
    ['0x10', undefined],
    ['+1', undefined],
    ['9'.repeat(16), undefined],
  ]
  for (const [text, length] of rows) {
    it(`is ${length} for ${JSON.stringify(text)}`, () => {
      const request = new Request(createEnviron({ extra: { CONTENT_LENGTH: text } }))
      assert.equal(request.contentLength, length)
    })
  }
})

describe('Request.bytes', () => {
  it('reads up to the limit', async () => {
    assert.equal((await read({ body: new Uint8Array(LIMIT) })).length, LIMIT)
    assert.equal((await read({ body: pieces(10).body })).length, LIMIT)
    assert.equal((await rejection(read({ body: pieces(11, 99).body }))).status, 413)
  })

  it('refuses a Content-Length over the limit without reading the body', async () => {
    const { body, taken } = pieces(100)
    const error = await rejection(read({ headers: [['Content-Length', '1001']], body }))
    assert.equal(error.statusLine, '413 Content Too Large')
    assert.equal(taken(), 0)
  })

  it('stops reading an endless body at the limit', async () => {
    const { body, taken } = pieces(Number.POSITIVE_INFINITY)
    assert.equal((await rejection(read({ body }))).status, 413)
    assert.ok(taken() <= 12, String(taken()))
  })

  it('refuses a body that is shorter than its Content-Length', async () => {
    const error = await rejection(read({ headers: [['Content-Length', '500']], body: pieces(3).body }))
    assert.equal(error.status, 400)
    assert.match(error.detail ?? '', /ends after 300 of 500 bytes/)
  })

  it('reads no more than the Content-Length', async () => {
    assert.equal((await read({ headers: [['Content-Length', '150']], body: pieces(3).body })).length, 150)
    assert.equal((await read({ headers: [['Content-Length', '0']], body: pieces(3).body })).length, 0)
  })

  for (const length of ['abc', '-1', '1, 1', '9'.repeat(20)]) {
    it(`refuses the Content-Length ${length}`, async () => {
      assert.equal((await rejection(read({ headers: [['Content-Length', length]], body: pieces(1).body }))).status, 400)
    })
  }

  it('returns the same bytes each time, and restores wsgi.input', async () => {
    const environ = createEnviron({ method: 'POST', body: 'abc' })
    const first = await new Request(environ).bytes(LIMIT)
    assert.equal(await new Request(environ).bytes(1), first)
    assert.deepEqual(await environ['wsgi.input'].read(), first)
    assert.equal(await new Request(environ).bytes(LIMIT), first)
  })

  it('rejects with the same error each time', async () => {
    const environ = createEnviron({ method: 'POST', body: pieces(20).body })
    const first = await rejection(new Request(environ).bytes(LIMIT))
    assert.equal(await rejection(new Request(environ).bytes(LIMIT)), first)
  })

  it('rejects with the error of the connection', async () => {
    const body = {
      async *[Symbol.asyncIterator]() {
        yield new Uint8Array(1)
        throw new Error('connection lost')
      },
    }
    await assert.rejects(read({ body }), { message: 'connection lost' })
  })
})

describe('Request.bytes of a compressed body', () => {
  const text = new TextEncoder().encode('hello '.repeat(50))
  const codings: [string, Uint8Array][] = [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', text],
  ]
  for (const [encoding, body] of codings) {
    it(`reads ${encoding}`, async () => {
      assert.deepEqual(Buffer.from(await read(encoded(encoding, body))), Buffer.from(text))
    })
  }

  it('reads several members of gzip, however they are cut into pieces', async () => {
    const members = [text.subarray(0, 7), new Uint8Array(), text.subarray(7)].map((part) => gzipSync(part))
    const body = Buffer.concat(members)
    assert.deepEqual(Buffer.from(await read(encoded('gzip', body))), Buffer.from(text))
    for (const size of [1, 10, members[0]?.length ?? 0]) {
      const pieces = (async function* () {
        for (let at = 0; at < body.length; at += size) yield new Uint8Array(body.subarray(at, at + size))
      })()
      const environ = createEnviron({ method: 'POST', headers: [['Content-Encoding', 'gzip']], body: pieces })
      assert.deepEqual(Buffer.from(await new Request(environ).bytes(LIMIT)), Buffer.from(text))
    }
  })

  it('applies the limit to all members of gzip together', async () => {
    const member = gzipSync(new Uint8Array(LIMIT / 2))
    assert.equal((await read(encoded('gzip', Buffer.concat([member, member])))).length, LIMIT)
    const error = await rejection(read(encoded('gzip', Buffer.concat([member, member, gzipSync('x')]))))
    assert.equal(error.status, 413)
  })

  it('reads an empty body with any coding', async () => {
    assert.equal((await read(encoded('gzip', new Uint8Array()))).length, 0)
  })

  it('restores the compressed bytes in wsgi.input', async () => {
    const environ = createEnviron({ method: 'POST', ...encoded('gzip', gzipSync(text)) })
    await new Request(environ).bytes(LIMIT)
    assert.deepEqual(Buffer.from(await environ['wsgi.input'].read()), gzipSync(text))
  })

  it('refuses a body over the limit after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const error = await rejection(read(encoded('gzip', bomb), 1024 * 1024))
    assert.equal(error.statusLine, '413 Content Too Large')
  })

  it('stops decompressing as soon as the limit is passed', async (t) => {
    let produced = 0
    const Decompression = DecompressionStream
    t.mock.property(
      globalThis,
      'DecompressionStream',
      class {
        readonly readable: DecompressionStream['readable']
        readonly writable: DecompressionStream['writable']
        constructor(format: ConstructorParameters<typeof DecompressionStream>[0]) {
          const { readable, writable } = new Decompression(format)
          const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
            transform(chunk, controller) {
              produced += chunk.length
              controller.enqueue(chunk)
            },
          })
          this.readable = readable.pipeThrough(counted)
          this.writable = writable
        }
      },
    )
    const { createGunzip } = zlib
    t.mock.method(zlib, 'createGunzip', () => {
      const gunzip = createGunzip()
      const { push } = gunzip
      return Object.assign(gunzip, {
        push(chunk: Uint8Array | null) {
          produced += chunk?.length ?? 0
          return push.call(gunzip, chunk)
        },
      })
    })
    const limit = 1024 * 1024
    const content = Buffer.alloc(256 * limit)
    const half = gzipSync(content.subarray(0, limit / 2))
    const bombs: [string, Buffer][] = [
      ['gzip', gzipSync(content)],
      ['gzip', Buffer.concat([half, half, half, gzipSync(content)])],
      ['deflate', deflateSync(content)],
    ]
    for (const [coding, bomb] of bombs) {
      produced = 0
      assert.ok(bomb.length < limit)
      const error = await rejection(read(encoded(coding, bomb), limit))
      assert.equal(error.status, 413)
      await new Promise((resolve) => setImmediate(resolve))
      assert.ok(produced > limit && produced < 2 * limit, `${produced} bytes were decompressed`)
    }
  })

  it('refuses a body over the limit before decompression', async () => {
    const error = await rejection(read(encoded('gzip', new Uint8Array(LIMIT + 1))))
    assert.equal(error.status, 413)
  })

  for (const encoding of ['br', 'zstd', 'compress', 'gzip, gzip', 'gzip, deflate', 'x']) {
    it(`refuses ${encoding} and names the supported codings`, async () => {
      const error = await rejection(read(encoded(encoding, gzipSync(text))))
      assert.equal(error.statusLine, '415 Unsupported Media Type')
      assert.equal(error.headers.get('accept-encoding'), 'gzip, deflate')
    })
  }

  const broken: [string, string, Uint8Array][] = [
    ['no gzip at all', 'gzip', text],
    ['truncated gzip', 'gzip', gzipSync(text).subarray(0, -4)],
    ['gzip for deflate', 'deflate', gzipSync(text)],
    ...['\0\0\0\0', 'junk', '\x1f', '\x1f\x8b\xff\xff'].map((junk): [string, string, Uint8Array] => [
      `${JSON.stringify(junk)} after a member`,
      'gzip',
      Buffer.concat([gzipSync(text), Buffer.from(junk, 'latin1')]),
    ]),
    ['a second member that is truncated', 'gzip', Buffer.concat([gzipSync(text), gzipSync(text).subarray(0, 5)])],
    ['padding between members', 'gzip', Buffer.concat([gzipSync(text), Buffer.alloc(4), gzipSync(text)])],
    ['bytes after deflate', 'deflate', Buffer.concat([deflateSync(text), deflateSync(text)])],
    [
      'gzip with a broken checksum',
      'gzip',
      gzipSync(text).map((byte, at, all) => (at === all.length - 8 ? byte ^ 1 : byte)),
    ],
  ]
  for (const [title, encoding, body] of broken) {
    it(`refuses ${title}`, async () => {
      const error = await rejection(read(encoded(encoding, new Uint8Array(body))))
      assert.equal(error.statusLine, '400 Bad Request')
      assert.ok(error.cause instanceof Error)
    })
  }
})

describe('Request.text', () => {
  const decode = (bytes: number[], charset: string) =>
    new Request(
      createEnviron({
        method: 'POST',
        headers: [['Content-Type', `text/plain; charset=${charset}`]],
        body: new Uint8Array(bytes),
      }),
    ).text()

  const rows: [number[], string, string][] = [
    [[0xc3, 0xbc], 'utf-8', 'ü'],
    [[0xfc], 'ISO-8859-1', 'ü'],
    [[0xef, 0xbb, 0xbf, 0x61], 'utf-8', 'a'],
    [[0x61, 0], 'utf-16le', 'a'],
    [[], 'utf-8', ''],
  ]
  for (const [bytes, charset, text] of rows) {
    it(`decodes ${JSON.stringify(text)} in ${charset}`, async () => {
      assert.equal(await decode(bytes, charset), text)
    })
  }

  it('refuses malformed bytes and unknown charsets', async () => {
    assert.equal((await rejection(decode([0xff], 'utf-8'))).status, 400)
    assert.equal((await rejection(decode([], 'klingon'))).status, 415)
    assert.equal((await rejection(decode([], ''))).status, 415)
  })
})

describe('a read that fails after it was abandoned', () => {
  const reads: Readonly<Record<string, (request: Request) => Promise<unknown>>> = {
    bytes: (request) => request.bytes(),
    text: (request) => request.text(),
    json: (request) => request.json({ anyType: true }),
    form: (request) => request.form(),
    params: (request) => request.params(),
  }
  for (const [name, start] of Object.entries(reads)) {
    it(`raises no unhandled rejection: ${name}()`, async () => {
      const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']]
      const body = {
        // biome-ignore lint/correctness/useYield: the client disconnects before it has sent anything
        async *[Symbol.asyncIterator]() {
          throw new Error('disconnected')
        },
      }
      const unhandled = mock.fn()
      process.on('unhandledRejection', unhandled)
      try {
        const abandoned = start(new Request(createEnviron({ method: 'POST', headers, body })))
        await new Promise((resolve) => setImmediate(resolve))
        assert.equal(unhandled.mock.callCount(), 0)
        await assert.rejects(abandoned, /disconnected/)
      } finally {
        process.off('unhandledRejection', unhandled)
      }
    })
  }
})
