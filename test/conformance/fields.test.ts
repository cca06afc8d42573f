/** Header fields: cases of cookie, content-disposition and fresh, which Express uses. */
import { join } from 'node:path'
import { describe } from 'node:test'
import { Request } from 'propylon'
import { sendFile } from 'propylon/files'
import { type CookieOptions, evaluatePreconditions, formatCookie, parseCookies, parseHttpDate } from 'propylon/http'
import { createEnviron, run, type WSGIApplication } from 'propylon/wsgi'
import { agrees } from './cases.ts'
import { folderWith } from './client.ts'

const QUOTES =
  'Quotes around a value are its wrapper (RFC 6265 §4.1.1): WebOb and Werkzeug remove them, so that values of their applications stay readable.'

const PARSED: readonly (readonly [header: string, cookies: Readonly<Record<string, string>>, reason?: string])[] = [
  ['foo=bar', { foo: 'bar' }],
  ['foo=123', { foo: '123' }],
  ['FOO    = bar;   baz  =   raz', { FOO: 'bar', baz: 'raz' }],
  ['', {}],
  [' \t ', {}],
  ['foo=; bar=', { foo: '', bar: '' }],
  ['f=', { f: '' }],
  ['f=;b=', { f: '', b: '' }],
  ['foo="bar=123456789&name=Magic+Mouse"', { foo: '"bar=123456789&name=Magic+Mouse"' }, QUOTES],
  ['email=%20%22%2c%3b%2f', { email: ' ",;/' }],
  ['  foo  =  "bar"  ', { foo: '"bar"' }, QUOTES],
  ['  foo  =  bar  ;  fizz  =  buzz  ', { foo: 'bar', fizz: 'buzz' }],
  [' foo = " a b c " ', { foo: '" a b c "' }, QUOTES],
  [' = bar ', { '': 'bar' }],
  ['   =   ', { '': '' }],
  ['\tfoo\t=\tbar\t', { foo: 'bar' }],
  ['foo=%1;bar=bar', { foo: '%1', bar: 'bar' }],
  ['foo=bar;fizz  ;  buzz', { foo: 'bar' }],
  ['  fizz; foo=  bar', { foo: 'bar' }],
  ['foo=%1;bar=bar;foo=boo', { foo: '%1', bar: 'bar' }],
  ['foo=;bar=bar;foo=boo', { foo: '', bar: 'bar' }],
  ['toString=foo;valueOf=bar', { toString: 'foo', valueOf: 'bar' }],
]

type Formatted = readonly [
  name: string,
  value: string,
  options: CookieOptions,
  /** The field, or null if the arguments are invalid. */
  field: string | null,
  reason?: string,
]

const FORMATTED: readonly Formatted[] = [
  ['foo', 'bar', {}, 'foo=bar'],
  ['foo', 'bar +baz', {}, 'foo=bar%20%2Bbaz'],
  ['foo', '100%', {}, 'foo=100%25'],
  ['foo', '', {}, 'foo='],
  ['foo,bar', 'baz', {}, 'foo,bar=baz'],
  ['foo|bar', 'baz', {}, 'foo|bar=baz'],
  ['foo[bar', 'baz', {}, 'foo[bar=baz'],
  ['foo"bar', 'baz', {}, 'foo"bar=baz'],
  ['foo\n', 'bar', {}, null],
  ['foo\u280a', 'bar', {}, null],
  ['foo=bar', 'bar', {}, null],
  ['foo;bar', 'bar', {}, null],
  ['foo bar', 'bar', {}, null],
  ['foo\tbar', 'bar', {}, null],
  ['foo', 'bar', { domain: 'sub.example.com' }, 'foo=bar; Domain=sub.example.com'],
  ['foo', 'bar', { domain: '.example.com' }, 'foo=bar; Domain=.example.com'],
  ['foo', 'bar', { domain: 'localhost' }, 'foo=bar; Domain=localhost'],
  ['foo', 'bar', { domain: 'example.com\n' }, null],
  ['foo', 'bar', { domain: 'my site.org' }, null],
  ['foo', 'bar', { domain: 'domain..com' }, null],
  ['foo', 'bar', { domain: 'example.com; Path=/' }, null],
  [
    'foo',
    'bar',
    { expires: new Date(Date.UTC(2000, 11, 24, 10, 30, 59, 900)) },
    'foo=bar; Expires=Sun, 24 Dec 2000 10:30:59 GMT',
  ],
  ['foo', 'bar', { expires: new Date(Number.NaN) }, null],
  ['foo', 'bar', { maxAge: 1000 }, 'foo=bar; Max-Age=1000'],
  ['foo', 'bar', { maxAge: 0 }, 'foo=bar; Max-Age=0'],
  ['foo', 'bar', { maxAge: Number.POSITIVE_INFINITY }, null],
  ['foo', 'bar', { maxAge: 3.14 }, null],
  ['foo', 'bar', { path: '/foo=bar?baz' }, 'foo=bar; Path=/foo=bar?baz'],
  ['foo', 'bar', { path: '../foo/' }, 'foo=bar; Path=../foo/'],
  ['foo', 'bar', { path: '/\n' }, null],
  ['foo', 'bar', { path: '/foo\0' }, null],
  ['foo', 'bar', { path: '/; Path=/sensitive-data' }, null],
  [
    'foo',
    'bar',
    { path: '/login"><script>alert(1)</script>' },
    null,
    'RFC 6265 §4.1.1 allows every character in a path but control characters and semicolons.',
  ],
  ['foo', 'bar', { httpOnly: true, secure: true, partitioned: true }, 'foo=bar; HttpOnly; Secure; Partitioned'],
  ['foo', 'bar', { priority: 'medium' }, 'foo=bar; Priority=Medium'],
  ['foo', 'bar', { sameSite: 'strict' }, 'foo=bar; SameSite=Strict'],
  ['foo', 'bar', { sameSite: 'none', secure: true }, 'foo=bar; SameSite=None; Secure'],
]

/** Returns the field with its attributes in alphabetical order, which has no meaning. `Path=/` is a default here, and added. */
function normal(field: string, options: CookieOptions): string {
  const [pair = '', ...attributes] = field.split('; ')
  if (options.path === undefined && !attributes.includes('Path=/')) attributes.push('Path=/')
  return [pair, ...attributes.sort()].join('; ')
}

function formatted(name: string, value: string, options: CookieOptions): string {
  try {
    return normal(formatCookie(name, value, { httpOnly: false, sameSite: false, ...options }), options)
  } catch (error) {
    if (error instanceof TypeError) return 'TypeError'
    throw error
  }
}

function optionsText(options: CookieOptions): string {
  return Object.entries(options)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`)
    .join(', ')
}

describe('parseCookies and formatCookie', () => {
  // https://github.com/jshttp/cookie/tree/51c485421a95ee796de6d8dab53a5ade0a20db8a/src
  agrees(
    'cookie 2.0.1',
    [
      ...PARSED.map(([header, cookies, reason]) => ({
        name: `Cookie: ${JSON.stringify(header)}`,
        input: () => JSON.stringify(parseCookies(header)),
        allowed: [JSON.stringify(cookies)],
        reason,
      })),
      ...FORMATTED.map(([name, value, options, field, reason]) => ({
        name: `${JSON.stringify(name)}, ${JSON.stringify(value)}, ${optionsText(options)}`,
        input: () => formatted(name, value, options),
        allowed: [field === null ? 'TypeError' : normal(field, options)],
        reason,
      })),
    ],
    (outcome) => outcome(),
  )
})

const FILE_NAMES: readonly (readonly [filename: string, parameters: string])[] = [
  ['plans.pdf', 'filename=plans.pdf'],
  ['/path/to/plans.pdf', 'filename="/path/to/plans.pdf"'],
  ['\\path\\to\\plans.pdf', 'filename="\\\\path\\\\to\\\\plans.pdf"'],
  ['C:\\path\\to\\plans.pdf\\', 'filename="C:\\\\path\\\\to\\\\plans.pdf\\\\"'],
  ['/path/to/plans.pdf///', 'filename="/path/to/plans.pdf///"'],
  ['the "plans".pdf', 'filename="the \\"plans\\".pdf"'],
  ['«plans».pdf', `filename="?plans?.pdf"; filename*=UTF-8''%C2%ABplans%C2%BB.pdf`],
  [
    'the "plans" (1µ).pdf',
    `filename="the \\"plans\\" (1?).pdf"; filename*=UTF-8''the%20%22plans%22%20%281%C2%B5%29.pdf`,
  ],
  ['foo-ä.html', `filename="foo-?.html"; filename*=UTF-8''foo-%C3%A4.html`],
  ['планы.pdf', `filename="?????.pdf"; filename*=UTF-8''%D0%BF%D0%BB%D0%B0%D0%BD%D1%8B.pdf`],
  ['£ and € rates.pdf', `filename="? and ? rates.pdf"; filename*=UTF-8''%C2%A3%20and%20%E2%82%AC%20rates.pdf`],
  ["€'*%().pdf", `filename="?'*%().pdf"; filename*=UTF-8''%E2%82%AC%27%2A%25%28%29.pdf`],
  ['the%20plans.pdf', `filename=the%20plans.pdf; filename*=UTF-8''the%2520plans.pdf`],
  ['€%20£.pdf', `filename="?%20?.pdf"; filename*=UTF-8''%E2%82%AC%2520%C2%A3.pdf`],
]

describe('sendFile with attachment', () => {
  const folder = folderWith({ file: 'x' })

  // https://github.com/jshttp/content-disposition/tree/1a542fe19e982569c5fb0162b3a1997ad02da1fe/src
  agrees(
    'content-disposition 3.0.0',
    FILE_NAMES.map(([filename, parameters]) => ({
      name: filename,
      input: filename,
      allowed: [`attachment; ${parameters}`],
    })),
    async (filename) => {
      const app: WSGIApplication = async (environ, start_response) => {
        const options = { filename, attachment: true }
        const response = await sendFile(Request.of(environ), join(folder(), 'file'), options)
        return response.wsgi(environ, start_response)
      }
      const { headers, body } = await run(app, createEnviron())
      await body.close()
      return headers.find(([name]) => name === 'Content-Disposition')?.[1] ?? 'none'
    },
  )
})

/** Header fields of a GET and of the response. */
interface Conditions {
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

const CONDITIONS: readonly (readonly [name: string, fields: Conditions, status: 200 | 304, reason?: string])[] = [
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

describe('evaluatePreconditions', () => {
  // https://github.com/jshttp/fresh/tree/ee7367318cf86a77e8259c63ee014ff0f8853437/test
  agrees(
    'fresh 2.0.0',
    CONDITIONS.map(([name, input, status, reason]) => ({ name, input, allowed: [String(status)], reason })),
    ({ match, since, etag, modified }) =>
      STATUS[
        evaluatePreconditions(
          { method: 'GET', ifNoneMatch: match, ifModifiedSince: since },
          { etag, lastModified: modified === undefined ? undefined : parseHttpDate(modified) },
        )
      ],
  )
})
