/** Requests for files: cases of send, which Express uses, and of range-parser. */
import { join } from 'node:path'
import { describe } from 'node:test'
import { FrameworkApp, HTTPNotFound, Mapper } from 'propylon'
import { staticFiles } from 'propylon/files'
import { agrees } from './cases.ts'
import { folderWith, type Received, send, servedFor } from './client.ts'

const FILES = {
  'public/name.txt': 'tobi',
  'public/empty.txt': '',
  'public/some thing.txt': 'hey',
  'public/do..ts.txt': '...',
  'public/nums.txt': '123456789',
  'public/tobi.html': '<p>tobi</p>',
  'public/no_ext': 'foobar',
  'public/.hidden.txt': 'secret',
  'public/.mine/name.txt': 'tobi',
  'public/pets/index.html': 'tobi,loki,jane',
  'public/pets/.hidden': 'secret',
  'public/200.txt': 'x'.repeat(200),
  'public/1000.txt': 'x'.repeat(1000),
  'outside.txt': 'secret',
}

type FileRow = readonly [
  name: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  /** Fields of the outcome, besides the status. `body` is the content. */
  shown: readonly string[],
  outcome: string,
  reason?: string,
]

const NO_INDEX = 'staticFiles has no index pages, and no redirects to them: a directory is 404.'
const HIDES = 'A path that does not lead to a file is 404, whatever the cause.'
const STRONG =
  'The ETag depends on the content, so it is strong. If-Match and If-Range need a strong one (RFC 9110 §13.1.1, §13.1.5).'

/** In a value, the validators of the file as a GET returns them. */
const ETAG = '{etag}'
const OTHER_ETAG = '{other}'
const MODIFIED = '{modified}'
const EARLIER = '{earlier}'

const FILE_ROWS: readonly FileRow[] = [
  ['a file', 'name.txt', {}, ['content-length', 'body'], '200, content-length: 4, body: tobi'],
  ['an empty file', 'empty.txt', {}, ['content-length', 'body'], '200, content-length: 0, body: '],
  ['an encoded path', 'some%20thing.txt', {}, ['body'], '200, body: hey'],
  ['dots in the name', 'do..ts.txt', {}, ['body'], '200, body: ...'],
  ['a path that is not UTF-8', 'some%99thing.txt', {}, [], '400'],
  ['a NUL in the path', 'some%00thing.txt', {}, [], '400'],
  ['a long path', 'foobar'.repeat(100), {}, [], '404'],
  ['the ETag', 'name.txt', {}, ['etag'], '200, etag: W/"…"', STRONG],
  ['the date', 'name.txt', {}, ['date', 'last-modified'], '200, date: date, last-modified: date'],
  ['Accept-Ranges', 'name.txt', {}, ['accept-ranges'], '200, accept-ranges: bytes'],
  [
    'the default of Cache-Control',
    'name.txt',
    {},
    ['cache-control'],
    '200, cache-control: public, max-age=0',
    '`no-cache` means the same for caches (RFC 9111 §5.2.2.4), and also forbids to use a stale copy.',
  ],
  ['no such file', 'meow', {}, [], '404'],
  [
    'the policy of a 404',
    'meow',
    {},
    ['content-security-policy'],
    "404, content-security-policy: default-src 'none'",
    'secureHeaders() adds policies, to all responses alike.',
  ],
  ['a text', 'name.txt', {}, ['content-type'], '200, content-type: text/plain; charset=utf-8'],
  ['a page', 'tobi.html', {}, ['content-type'], '200, content-type: text/html; charset=utf-8'],
  ['no extension', 'no_ext', {}, ['content-type'], '200, content-type: application/octet-stream'],
  ['a directory', 'pets', {}, ['location'], '301, location: /files/pets/', NO_INDEX],
  ['the index of a directory', 'pets/', {}, ['body'], '200, body: tobi,loki,jane', NO_INDEX],
  ['a name without its extension', 'tobi', {}, [], '404'],
  ['a file with a slash behind it', 'tobi.html/', {}, [], '404'],
  ['If-Match: *', 'name.txt', { 'If-Match': '*' }, [], '200'],
  ['If-Match with other tags', 'name.txt', { 'If-Match': ' "foo",, "bar" ,' }, [], '412'],
  ['If-Match with the tag', 'name.txt', { 'If-Match': `"foo", "bar", ${ETAG}` }, [], '200'],
  ['If-Modified-Since, unmodified', 'name.txt', { 'If-Modified-Since': MODIFIED }, [], '304'],
  ['If-Modified-Since, modified', 'name.txt', { 'If-Modified-Since': EARLIER }, ['body'], '200, body: tobi'],
  [
    'If-None-Match with the tag',
    'name.txt',
    { 'If-None-Match': ETAG },
    ['content-length', 'content-type', 'body'],
    '304, content-length: none, content-type: none, body: ',
  ],
  ['If-None-Match with another tag', 'name.txt', { 'If-None-Match': '"123"' }, ['body'], '200, body: tobi'],
  ['If-Unmodified-Since, unmodified', 'name.txt', { 'If-Unmodified-Since': MODIFIED }, [], '200'],
  ['If-Unmodified-Since, modified', 'name.txt', { 'If-Unmodified-Since': EARLIER }, [], '412'],
  ['If-Unmodified-Since, malformed', 'name.txt', { 'If-Unmodified-Since': 'foo' }, [], '200'],
  ...ranges([
    ['bytes=0-4', '206, body: 12345'],
    ['items=0-4', '200, body: 123456789'],
    ['bytes=0-0', '206, body: 1'],
    ['bytes=-3', '206, body: 789'],
    ['bytes=3-', '206, body: 456789'],
    ['asdf', '200, body: 123456789'],
    ['bytes=1-1,3-', '200, body: 123456789'],
  ]),
  ['Content-Range', 'nums.txt', { Range: 'bytes=2-5' }, ['content-range'], '206, content-range: bytes 2-5/9'],
  ['Content-Length of a range', 'nums.txt', { Range: 'bytes=2-3' }, ['content-length'], '206, content-length: 2'],
  [
    'a range beyond the end',
    'nums.txt',
    { Range: 'bytes=2-50' },
    ['content-range', 'content-length'],
    '206, content-range: bytes 2-8/9, content-length: 7',
  ],
  ['a range behind the end', 'nums.txt', { Range: 'bytes=9-50' }, ['content-range'], '416, content-range: bytes */9'],
  [
    'adjacent ranges',
    'nums.txt',
    { Range: 'bytes=1-2,3-5' },
    ['content-range', 'body'],
    '206, content-range: bytes 1-5/9, body: 23456',
    'Several ranges are answered with the whole content: RFC 9110 §14.2 allows a server to ignore Range.',
  ],
  ['If-Range with the tag', 'nums.txt', { 'If-Range': ETAG, Range: 'bytes=0-0' }, ['body'], '206, body: 1'],
  [
    'If-Range with another tag',
    'nums.txt',
    { 'If-Range': OTHER_ETAG, Range: 'bytes=0-0' },
    ['body'],
    '200, body: 123456789',
  ],
  ['If-Range, unmodified', 'nums.txt', { 'If-Range': MODIFIED, Range: 'bytes=0-0' }, ['body'], '206, body: 1'],
  ['If-Range, modified', 'nums.txt', { 'If-Range': EARLIER, Range: 'bytes=0-0' }, ['body'], '200, body: 123456789'],
  ['If-Range, malformed', 'nums.txt', { 'If-Range': 'foo', Range: 'bytes=0-0' }, ['body'], '200, body: 123456789'],
  ['a dot file', '.hidden.txt', {}, [], '404'],
  ['a file in a dot folder', '.mine/name.txt', {}, [], '404'],
  ['a dot folder', '.mine', {}, [], '404'],
  ['a dot folder with a slash', '.mine/', {}, [], '404'],
  ['no such dot file', '.nothere', {}, [], '404'],
  ['no such dot folder', '.what/name.txt', {}, [], '404'],
  ['a dot file in a folder', 'pets/.hidden', {}, [], '404'],
  ['.. within the root', 'pets/../name.txt', {}, ['body'], '200, body: tobi', HIDES],
  ['.. out of the root', 'pets/../../outside.txt', {}, [], '403', HIDES],
  ['.. out of the root and back', 'pets/../../files/name.txt', {}, [], '403', HIDES],
]

function ranges(rows: readonly (readonly [range: string, outcome: string])[]): FileRow[] {
  return rows.map(([range, outcome]) => [`Range: ${range}`, 'nums.txt', { Range: range }, ['body'], outcome])
}

const DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/

/** Returns a status and fields, without validators and dates, which differ. */
function outcomeOf({ status, headers, body }: Received, shown: readonly string[]): string {
  const fields = shown.map((name) => {
    if (name === 'body') return `body: ${String(body).replace(/\s+/g, ' ')}`
    const value = headers[name] ?? 'none'
    return `${name}: ${DATE.test(value) ? 'date' : value.replace(/"[^"]*"/, '"…"')}`
  })
  return [status, ...fields].join(', ')
}

/** Fills validators of a file into the fields of a request. */
async function filled(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (!Object.values(fields).some((value) => value.includes('{'))) return fields
  const { headers } = await send(port, { path })
  const { etag = 'none', 'last-modified': modified = 'none' } = headers
  const earlier = new Date(Date.parse(modified) - 60_000)
  const values: Readonly<Record<string, string>> = {
    [ETAG]: etag,
    [OTHER_ETAG]: etag.replace('"', '"0'),
    [MODIFIED]: modified,
    [EARLIER]: Number.isNaN(earlier.getTime()) ? 'none' : earlier.toUTCString(),
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value.replace(/\{\w+\}/, (placeholder) => values[placeholder] ?? placeholder),
    ]),
  )
}

/** Ranges of files of 200 and 1000 bytes. A malformed field is ignored (200), an unsatisfiable one is 416, and a range is 206. */
type RangeRow = readonly [size: 200 | 1000, range: string, outcome: string, reason?: string]

const SEVERAL = 'Several ranges are answered with the whole content: RFC 9110 §14.2 allows a server to ignore Range.'
const MALFORMED = 'RFC 9110 §14.2 allows a server to ignore the whole field if one range is malformed.'
const BACKWARDS = 'RFC 9110 §14.1.1 calls the range invalid, and §14.2 allows a server to ignore it.'

const RANGE_ROWS: readonly RangeRow[] = [
  [200, 'bytes=100200', '200'],
  [200, 'bytes=,100200', '200'],
  [200, 'malformed', '200'],
  [200, 'bytes=x-100', '200'],
  [200, 'bytes=100-x', '200'],
  [200, 'bytes=--100', '200'],
  [200, 'bytes=100--200', '200'],
  [200, 'bytes=-', '200'],
  [200, 'bytes= - ', '200'],
  [200, 'bytes=', '200'],
  [200, 'bytes=,', '200'],
  [200, 'bytes= , , ', '200'],
  [200, 'bytes=100-200-300', '200'],
  [200, 'bytes=-100-150', '200'],
  [200, 'bytes=01a-150', '200'],
  [200, 'bytes=100-15b0', '200'],
  [200, 'bytes=y-v,x-', '200'],
  [200, 'bytes=500-600', '416'],
  [200, 'bytes=500-600,601-700', '416', SEVERAL],
  [200, 'bytes=500-20', '416', BACKWARDS],
  [200, 'bytes=500-999', '416'],
  [200, 'bytes=abc-def,500-999', '416', MALFORMED],
  [1000, 'bytes=0-499', '206 0-499'],
  [200, 'bytes=0-499', '206 0-199'],
  [1000, 'bytes=40-80', '206 40-80'],
  [1000, 'bytes=-400', '206 600-999'],
  [1000, 'bytes=400-', '206 400-999'],
  [1000, 'bytes=0-', '206 0-999'],
  [1000, 'bytes=0-0', '206 0-0'],
  [1000, 'bytes=-1', '206 999-999'],
  [1000, 'bytes=100-200,x-', '206 100-200', MALFORMED],
  [1000, 'bytes=x-,0-100,y-', '206 0-100', MALFORMED],
  [1000, 'bytes=40-80,81-90,-1', '206 40-80,81-90,999-999', SEVERAL],
  [200, 'bytes=0-499,1000-,500-999', '206 0-199', SEVERAL],
  [1000, 'bytes= , 0-10', '206 0-10', MALFORMED],
  [
    1000,
    'items=0-5',
    '206 0-5',
    'RFC 9110 §14.2 requires to ignore an unknown unit. Callers of range-parser check the unit.',
  ],
]

describe('staticFiles', () => {
  const folder = folderWith(FILES)
  const port = servedFor(() => {
    const map = new Mapper()
      .connect('/files/{path_info:.*}', { controller: 'files' })
      .connect('/outside.txt', { controller: 'outside' })
    const controllers = { files: staticFiles(join(folder(), 'public')), outside: new HTTPNotFound().wsgi }
    return new FrameworkApp({ map, controllers })
  })

  // https://github.com/pillarjs/send/blob/092f3fc77f0e796519ac328c543c11cced8f2244/test/send.js
  agrees(
    'send 1.2.1',
    FILE_ROWS.map(([name, path, fields, shown, outcome, reason]) => ({
      name,
      input: { path: `/files/${path}`, fields, shown },
      allowed: [outcome],
      reason,
    })),
    async ({ path, fields, shown }) =>
      outcomeOf(await send(port(), { path, headers: await filled(port(), path, fields) }), shown),
  )

  // https://github.com/jshttp/range-parser/tree/b49e00f6d3c51f3a417fe8da5ed63c0af7621450/test
  agrees(
    'range-parser 1.2.1',
    RANGE_ROWS.map(([size, range, outcome, reason]) => ({
      name: `${range} of ${size} bytes`,
      input: { path: `/files/${size}.txt`, headers: { Range: range } },
      allowed: [outcome],
      reason,
    })),
    async (input) => {
      const { status, headers } = await send(port(), input)
      const [, positions] = /^bytes (\d+-\d+)\//.exec(headers['content-range'] ?? '') ?? []
      return positions === undefined ? String(status) : `${status} ${positions}`
    },
  )
})
