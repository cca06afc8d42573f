/** Cases of fresh, which Express uses for conditional requests: header fields of a GET and of the response. */
import { evaluatePreconditions, parseHttpDate } from 'propylon/http'
import { judge, type Referee } from './referee.ts'

interface Fields {
  /** If-None-Match. */
  readonly match?: string
  /** If-Modified-Since. */
  readonly since?: string
  /** Cache-Control of the request. */
  readonly control?: string
  readonly etag?: string
  /** Last-Modified. */
  readonly modified?: string
}

const EARLY = 'Sat, 01 Jan 2000 00:00:00 GMT'
const LATE = 'Sat, 01 Jan 2000 01:00:00 GMT'
const NO_CACHE =
  'RFC 9111 §5.2.1.4 addresses caches. The origin has validated the representation when it responds with 304.'

const ROWS: readonly (readonly [name: string, fields: Fields, status: 200 | 304, reason?: string])[] = [
  ['no condition', {}, 200],
  ['the same tag', { match: '"foo"', etag: '"foo"' }, 304],
  ['another tag', { match: '"foo"', etag: '"bar"' }, 200],
  ['the second tag of a list', { match: ' "bar" , "foo"', etag: '"foo"' }, 304],
  ['a list with a tab', { match: '"bar",\t"foo"', etag: '"foo"' }, 304],
  ['a tag and no ETag', { match: '"foo"' }, 200],
  ['a weak tag twice', { match: 'W/"foo"', etag: 'W/"foo"' }, 304],
  ['a weak tag for a strong ETag', { match: 'W/"foo"', etag: '"foo"' }, 304],
  ['a strong tag for a weak ETag', { match: '"foo"', etag: 'W/"foo"' }, 304],
  ['If-None-Match: *', { match: '*', etag: '"foo"' }, 304],
  ['* in a list', { match: '*, "bar"', etag: '"foo"' }, 200],
  ['modified since', { since: EARLY, modified: LATE }, 200],
  ['not modified since', { since: LATE, modified: EARLY }, 304],
  ['a date and no Last-Modified', { since: EARLY }, 200],
  ['a malformed If-Modified-Since', { since: 'foo', modified: EARLY }, 200],
  ['a malformed Last-Modified', { since: EARLY, modified: 'foo' }, 200],
  ['tag and date match', { match: '"foo"', since: LATE, etag: '"foo"', modified: EARLY }, 304],
  ['only the tag matches', { match: '"foo"', since: EARLY, etag: '"foo"', modified: LATE }, 304],
  ['only the date matches', { match: '"foo"', since: LATE, etag: '"bar"', modified: EARLY }, 200],
  ['neither matches', { match: '"foo"', since: EARLY, etag: '"bar"', modified: LATE }, 200],
  ['no-cache and no condition', { control: ' no-cache' }, 200],
  ['no-cache and the same tag', { control: ' no-cache', match: '"foo"', etag: '"foo"' }, 200, NO_CACHE],
  ['no-cache and not modified', { control: ' no-cache', since: LATE, modified: EARLY }, 200, NO_CACHE],
]

const STATUS = { proceed: '200', 'not-modified': '304', failed: '412' } as const

export const fresh: Referee = {
  name: 'fresh',
  version: '2.0.0 (ee73673)',
  source: 'https://github.com/jshttp/fresh/tree/ee7367318cf86a77e8259c63ee014ff0f8853437/test',
  judges: '`evaluatePreconditions`, which responses use for 304',
  run: () =>
    judge(
      ROWS.map(([name, input, status, reason]) => ({ name, input, allowed: [String(status)], reason })),
      ({ match, since, etag, modified }) =>
        STATUS[
          evaluatePreconditions(
            { method: 'GET', ifNoneMatch: match, ifModifiedSince: since },
            { etag, lastModified: modified === undefined ? undefined : parseHttpDate(modified) },
          )
        ],
    ),
}
