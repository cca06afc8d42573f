import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { staticFiles } from 'propylon/files'
import type { HeaderPair } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'
import { folderOf } from './folder.ts'

const TEXT = 'The gateway before the temple. '.repeat(100)
/** Longer than what is compressed in memory. */
const LONG = Array.from({ length: 60_000 }, (_, line) => `${line} ${line * line}, and so on.\n`).join('')

const folder = folderOf({
  'page.html': TEXT,
  'data.json': TEXT,
  'logo.svg': TEXT,
  'photo.png': TEXT,
  'unknown.bin': TEXT,
  'short.txt': TEXT.slice(0, 1024),
  'over.txt': TEXT.slice(0, 1025),
  'long.txt': LONG,
})
const app = staticFiles(folder)
const [direct] = transports
assert.ok(direct)
const get = (path: string, accepted?: string, headers: readonly HeaderPair[] = [], method = 'GET') =>
  direct.request(app, {
    path,
    headers: accepted === undefined ? headers : [...headers, ['Accept-Encoding', accepted]],
    method,
  })
const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

describe('a compressed file', () => {
  for (const coding of ['br', 'zstd', 'gzip']) {
    for (const method of ['GET', 'HEAD']) {
      it(`offers no ranges, which would be ranges of the file itself: ${method}, ${coding}`, async () => {
        const answer = await get('/page.html', coding, [], method)
        assert.equal(answer.header('content-encoding'), coding)
        assert.equal(answer.header('accept-ranges'), undefined)
        assert.equal((await get('/page.html', undefined, [], method)).header('accept-ranges'), 'bytes')
      })
    }
  }
})

describe('text over 1 KiB', () => {
  for (const coding of ['br', 'zstd', 'gzip'] as const) {
    for (const name of ['page.html', 'long.txt'] as const) {
      it(`is sent as ${coding}: ${name}`, async () => {
        const content = name === 'long.txt' ? LONG : TEXT
        for (const { request, name: transport } of transports) {
          const headers: HeaderPair[] = [['Accept-Encoding', coding]]
          const answer = await request(app, { path: `/${name}`, headers })
          assert.equal(answer.status, 200)
          assert.equal(answer.header('content-encoding'), coding, transport)
          assert.equal(answer.header('vary'), 'Accept-Encoding')
          assert.equal(decode[coding](answer.body).toString(), content)
          assert.ok(answer.body.length < content.length / 2)
        }
      })
    }
  }

  it('is sent as it is to a client that accepts no coding', async () => {
    for (const accepted of [undefined, '', 'identity', 'deflate', 'br;q=0', 'gzip;q=0.5, identity', '*;q=0']) {
      const answer = await get('/page.html', accepted)
      assert.deepEqual([answer.header('content-encoding'), answer.text], [undefined, TEXT], accepted)
      assert.equal(answer.header('vary'), 'Accept-Encoding')
    }
  })

  const choices = {
    'gzip, deflate, br, zstd': 'br',
    'gzip, deflate': 'gzip',
    'gzip, zstd': 'zstd',
    GZIP: 'gzip',
    'gzip;q=1.0, br;q=0.5': 'gzip',
    'br;q=0, *': 'zstd',
    'br;q=0, zstd;q=0, *;q=0.1': 'gzip',
    'gzip;q=0.5, identity;q=0.5': 'gzip',
    '*': 'br',
  }
  for (const [accepted, coding] of Object.entries(choices)) {
    it(`has the coding ${coding} for ${accepted}`, async () => {
      assert.equal((await get('/page.html', accepted)).header('content-encoding'), coding)
    })
  }

  it('may be JSON or SVG, but no image, and nothing up to 1 KiB', async () => {
    for (const [name, coding] of [
      ['data.json', 'gzip'],
      ['logo.svg', 'gzip'],
      ['over.txt', 'gzip'],
      ['short.txt', undefined],
      ['photo.png', undefined],
      ['unknown.bin', undefined],
    ] as const) {
      assert.equal((await get(`/${name}`, 'gzip')).header('content-encoding'), coding, name)
    }
    assert.equal((await get('/photo.png', 'gzip')).header('vary'), undefined)
  })

  it('has an entity tag for each coding', async () => {
    const tags = await Promise.all(
      ['br', 'zstd', 'gzip', ''].map(async (c) => (await get('/page.html', c)).header('etag')),
    )
    assert.equal(new Set(tags).size, 4)
    for (const [at, coding] of ['br', 'zstd', 'gzip', ''].entries()) {
      for (const [other, tag] of tags.entries()) {
        const { status } = await get('/page.html', coding, [['If-None-Match', tag ?? '']])
        assert.equal(status, at === other ? 304 : 200)
      }
    }
  })

  it('has the same header fields for HEAD, but no length if the file is long', async () => {
    const whole = await get('/page.html', 'br')
    const head = await get('/page.html', 'br', [], 'HEAD')
    assert.deepEqual(head.headers, whole.headers)
    assert.equal(head.body.length, 0)
    const long = await get('/long.txt', 'br', [], 'HEAD')
    assert.deepEqual(
      long.headers,
      (await get('/long.txt', 'br')).headers.filter(([name]) => name !== 'content-length'),
    )
  })

  it('is compressed anew when the file has changed', async () => {
    const path = join(folder, 'changing.txt')
    for (const text of [TEXT, TEXT.toUpperCase()]) {
      writeFileSync(path, text)
      assert.equal(gunzipSync((await get('/changing.txt', 'gzip')).body).toString(), text)
    }
    rmSync(path)
  })

  it('is compressed once for requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/data.json', 'br')))
    for (const { body } of answers) assert.equal(brotliDecompressSync(body).toString(), TEXT)
  })

  it('is sent as it is for a range', async () => {
    const answer = await get('/page.html', 'br', [['Range', 'bytes=4-10']])
    assert.deepEqual([answer.status, answer.text], [206, 'gateway'])
    assert.equal(answer.header('content-encoding'), undefined)
    assert.equal(answer.header('vary'), 'Accept-Encoding')
  })
})
