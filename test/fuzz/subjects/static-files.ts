/** Static files: ranges, conditions, and paths that lead out of the directory. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { staticFiles } from 'propylon/files'
import type { HeaderPair, WSGIApplication } from 'propylon/wsgi'
import { blank, soup } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { property, type Subject } from '../property.ts'

const SECRET = 'This file is outside of the directory.'

/** Contents by the name of the file. */
const FILES: Readonly<Record<string, Buffer>> = {
  'empty.bin': Buffer.alloc(0),
  'one.bin': Buffer.from('x'),
  'ten.bin': Buffer.from('0123456789'),
  'large.bin': Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31 + (at >> 8)) & 0xff)),
  'page.txt': Buffer.from('a text of more than a kibibyte. '.repeat(100)),
  'sub/a b.txt': Buffer.from('a file in a folder'),
  'sub/%2e%2e': Buffer.from('a file whose name is escaped dots'),
  'é.txt': Buffer.from('a file with an accent'),
}

let root: string | undefined
let app: WSGIApplication | undefined

const names = fc.constantFrom('empty.bin', 'one.bin', 'ten.bin', 'large.bin', 'page.txt')

const bound = fc.oneof(
  fc.constant(''),
  fc.nat(12).map(String),
  fc.integer({ min: 199_990, max: 200_010 }).map(String),
  fc.constantFrom('0', '00', '99999999999999999999', '-1', '1e1', ' 1', '18446744073709551616'),
)

const range = fc.oneof(
  fc.tuple(bound, blank, bound).map(([first, space, last]) => `bytes=${space}${first}-${last}${space}`),
  soup(['bytes', '=', '-', ',', '0', '1', '5', '9', ' ', 'items', '--', '0-0', '-5', '5-'], 8),
)

const condition = fc.constantFrom('current', 'other', 'weak', 'date', 'past', 'star', null)

const PATHS = [
  '/',
  '//',
  '..',
  '.',
  '%2e',
  '%2E%2e',
  '%2f',
  '%5c',
  '\\',
  '%00',
  '%',
  'sub',
  'a%20b.txt',
  'a b.txt',
  '%252e%252e',
  '%25252e',
  'é.txt',
  '%C3%A9.txt',
  'secret.txt',
  'link',
  'up',
  '.hidden',
  'ten.bin',
  ';',
  '~',
  '%c0%ae',
  'public',
]

export const files: Subject = {
  name: 'static-files',
  async open() {
    root = mkdtempSync(join(tmpdir(), 'propylon-fuzz-'))
    const directory = join(root, 'public')
    mkdirSync(join(directory, 'sub'), { recursive: true })
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(directory, name), content)
    writeFileSync(join(root, 'secret.txt'), SECRET)
    writeFileSync(join(directory, '.hidden'), SECRET)
    symlinkSync(join(root, 'secret.txt'), join(directory, 'link'))
    symlinkSync(root, join(directory, 'up'))
    app = staticFiles(directory)
  },
  async close() {
    if (root !== undefined) rmSync(root, { recursive: true })
  },
  properties: [
    property(
      'a part of a file is the slice that Content-Range names, and the whole is the file',
      fc.record({
        name: names,
        range: fc.option(range),
        ifRange: condition,
        ifNoneMatch: condition,
        isHead: fc.boolean(),
      }),
      async ({ name, range, ifRange, ifNoneMatch, isHead }) => {
        assert.ok(app)
        const content = FILES[name] ?? Buffer.alloc(0)
        const plain = await ask(app, { path: `/${name}` })
        const validators = { etag: plain.header('etag') ?? '', date: plain.header('last-modified') ?? '' }
        const headers: HeaderPair[] = []
        if (range !== null) headers.push(['Range', range])
        const [condition, other] = [valueOfCondition(ifRange, validators), valueOfCondition(ifNoneMatch, validators)]
        if (condition !== undefined) headers.push(['If-Range', condition])
        if (other !== undefined) headers.push(['If-None-Match', other])
        const answer = await ask(app, { method: isHead ? 'HEAD' : 'GET', path: `/${name}`, headers })
        const { status, bytes } = answer
        const isCurrent = ifNoneMatch === 'current' || ifNoneMatch === 'weak' || ifNoneMatch === 'star'
        assert.equal(status === 304, isCurrent, `${status} with ${ifNoneMatch}`)
        const length = answer.header('content-length')
        if (!isHead && length !== undefined) assert.equal(length, String(bytes.length))
        const contentRange = answer.header('content-range')
        assert.equal(contentRange !== undefined, status === 206 || status === 416)
        if (isHead) return assert.ok(bytes.length === 0 && status !== 206)
        if (status === 206) {
          const [, first = '', last = '', size = ''] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? []
          assert.equal(size, String(content.length))
          assert.ok(content.subarray(Number(first), Number(last) + 1).equals(bytes))
          assert.ok(bytes.length > 0)
          assert.ok(ifRange === null || ifRange === 'current' || ifRange === 'date', `a part with ${ifRange}`)
        } else if (status === 416) assert.equal(contentRange, `bytes */${content.length}`)
        else if (status === 200) assert.ok(content.equals(bytes))
        else assert.equal(status, 304)
        if (ifRange !== null || isCurrent) return
        const expected = expectedRange(range, content.length)
        if (expected !== undefined) assert.equal(typeof expected === 'number' ? status : contentRange, expected)
      },
    ),
    property(
      'a path is a file of the directory by its own name, or nothing',
      fc
        .array(fc.oneof(fc.constantFrom(...PATHS), fc.constant('/')), { maxLength: 8 })
        .map((parts) => `/${parts.join('')}`),
      async (path) => {
        assert.ok(app)
        const wsgi = app
        let answer: Awaited<ReturnType<typeof ask>>
        try {
          answer = await ask((environ, start) => wsgi({ ...environ, REQUEST_URI: path }, start), {
            extra: { PATH_INFO: decodeURIComponent(path), REQUEST_URI: path },
          })
        } catch (error) {
          // Servers refuse such a path.
          if (error instanceof URIError) return
          throw error
        }
        assert.ok(!answer.text.includes(SECRET), path)
        if (answer.status !== 200) return assert.equal(answer.status, 404)
        assert.equal(answer.text, FILES[decodeURIComponent(path.slice(1))]?.toString(), path)
      },
    ),
  ],
}

function valueOfCondition(kind: string | null, { etag, date }: { etag: string; date: string }): string | undefined {
  switch (kind) {
    case 'current':
      return etag
    case 'other':
      return '"other"'
    case 'weak':
      return `W/${etag}`
    case 'date':
      return date
    case 'past':
      return 'Sun, 06 Nov 1994 08:49:37 GMT'
    case 'star':
      return '*'
    default:
      return undefined
  }
}

/** Returns the status or the Content-Range that RFC 9110 §14.2 gives a well-formed range of one part. */
function expectedRange(range: string | null, size: number): number | string | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  if (first === '' && last === '') return 200
  const start = first === '' ? BigInt(size) - BigInt(last) : BigInt(first)
  const end = first === '' || last === '' ? BigInt(size) - 1n : BigInt(last)
  if (first !== '' && last !== '' && end < start) return 200
  if (first === '' ? BigInt(last) === 0n : start >= BigInt(size)) return 416
  if (size === 0) return 200
  const from = start < 0n ? 0n : start
  const to = end >= BigInt(size) ? BigInt(size) - 1n : end
  return `bytes ${from}-${to}/${size}`
}
