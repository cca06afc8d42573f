import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { staticFiles } from 'propylon/files'
import type { HeaderPair } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'
import { folderOf } from './folder.ts'

const SMALL = new TextEncoder().encode('0123456789')
/** Longer than what is read at a time. */
const LONG = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31 + (at >> 8)) & 0xff)

const app = staticFiles(folderOf({ 'digits.txt': SMALL, 'long.bin': LONG, 'empty.txt': '' }))
const [direct] = transports
assert.ok(direct)
const get = (path: string, headers: readonly HeaderPair[], method = 'GET') =>
  direct.request(app, { path, headers, method })
const range = (path: string, value: string) => get(path, [['Range', value]])

describe('a range', () => {
  const parts = {
    'bytes=0-3': ['0123', '0-3'],
    'bytes=4-': ['456789', '4-9'],
    'bytes=-3': ['789', '7-9'],
    'bytes=9-9': ['9', '9-9'],
    'bytes=5-100': ['56789', '5-9'],
    'bytes=-100': ['0123456789', '0-9'],
    'bytes=0-99999999999999999999': ['0123456789', '0-9'],
    'Bytes= 2-3 ': ['23', '2-3'],
  }
  for (const [header, [text, contentRange]] of Object.entries(parts)) {
    it(`${header} is 206 with ${text}`, async () => {
      for (const { request } of transports) {
        const answer = await request(app, { path: '/digits.txt', headers: [['Range', header]] })
        assert.deepEqual([answer.status, answer.text], [206, text])
        assert.equal(answer.header('content-range'), `bytes ${contentRange}/10`)
        assert.equal(answer.header('content-length'), String(text?.length))
        assert.equal(answer.header('content-type'), 'text/plain; charset=utf-8')
      }
    })
  }

  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-0']) {
    it(`${header} is 416 with the size`, async () => {
      for (const { request } of transports) {
        const answer = await request(app, { path: '/digits.txt', headers: [['Range', header]] })
        assert.deepEqual([answer.status, answer.header('content-range')], [416, 'bytes */10'])
      }
    })
  }

  const ignored = [
    'bytes=3-2',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes=1-2x',
    'bytes=0x1-2',
    'bytes=-1-2',
    'bytes 0-3',
    'lines=0-3',
    '0-3',
    'bytes=0-1,3-4',
    'bytes=0-0,-1',
  ]
  for (const header of ignored) {
    it(`${header} is answered with the whole file`, async () => {
      const answer = await range('/digits.txt', header)
      assert.deepEqual([answer.status, answer.text], [200, '0123456789'])
      assert.equal(answer.header('content-range'), undefined)
    })
  }

  it('is ignored by HEAD', async () => {
    const answer = await get('/digits.txt', [['Range', 'bytes=0-3']], 'HEAD')
    assert.deepEqual([answer.status, answer.header('content-length')], [200, '10'])
  })

  for (const header of ['bytes=0-', 'bytes=0-99', 'bytes=-5']) {
    it(`${header} of an empty file is answered with the file`, async () => {
      const answer = await range('/empty.txt', header)
      assert.deepEqual([answer.status, answer.text, answer.header('content-range')], [200, '', undefined])
    })
  }

  it('is answered with 304 if the file is current', async () => {
    const etag = (await get('/digits.txt', [])).header('etag') ?? ''
    const answer = await get('/digits.txt', [
      ['Range', 'bytes=0-3'],
      ['If-None-Match', etag],
    ])
    assert.equal(answer.status, 304)
  })

  it('has the bytes of any part of a long file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(LONG.length - 1), fc.nat(LONG.length - 1), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)]
        const answer = await range('/long.bin', `bytes=${start}-${end}`)
        assert.equal(answer.status, 206)
        assert.ok(Buffer.from(answer.body).equals(LONG.subarray(start, end + 1)))
      }),
      {
        numRuns: 50,
        examples: [
          [0, LONG.length - 1],
          [65_535, 65_536],
        ],
      },
    )
  })

  it('puts a long file together again', async () => {
    for (const { request } of transports) {
      const parts: Uint8Array[] = []
      for (const header of ['bytes=0-70000', 'bytes=70001-150000', 'bytes=150001-']) {
        parts.push((await request(app, { path: '/long.bin', headers: [['Range', header]] })).body)
      }
      assert.ok(Buffer.concat(parts).equals(LONG))
      assert.ok(Buffer.from((await request(app, { path: '/long.bin' })).body).equals(LONG))
    }
  })
})

describe('If-Range', () => {
  const conditional = async (value: string) =>
    (
      await get('/digits.txt', [
        ['Range', 'bytes=0-3'],
        ['If-Range', value],
      ])
    ).status

  it('allows the range for the current version', async () => {
    const current = await get('/digits.txt', [])
    assert.equal(await conditional(current.header('etag') ?? ''), 206)
    assert.equal(await conditional(current.header('last-modified') ?? ''), 206)
  })

  it('ignores the range for another version, a weak tag or a malformed value', async () => {
    const current = await get('/digits.txt', [])
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString()
    for (const value of ['"other"', `W/${current.header('etag')}`, tomorrow, 'Thu, 01 Jan 1970 00:00:00 GMT', 'x']) {
      assert.equal(await conditional(value), 200)
    }
  })

  it('does not join parts of different codings', async () => {
    const folder = folderOf({ 'a.txt': 'text '.repeat(1000) })
    const files = staticFiles(join(folder))
    const ask = (headers: HeaderPair[]) => direct.request(files, { path: '/a.txt', headers })
    const coded = await ask([['Accept-Encoding', 'br']])
    const rest = await ask([
      ['Accept-Encoding', 'br'],
      ['Range', 'bytes=10-'],
      ['If-Range', coded.header('etag') ?? ''],
    ])
    assert.deepEqual([rest.status, rest.header('content-encoding')], [200, undefined])
    assert.equal(rest.text.length, 5000)
  })
})
