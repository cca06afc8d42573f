/** Cases of cookie, which Express and many others use: Cookie fields and their values, and Set-Cookie fields. */
import { type CookieOptions, formatCookie, parseCookies } from 'propylon/http'
import { judge, type Referee } from './referee.ts'

const QUOTES =
  'Quotes around a value are its wrapper (RFC 6265 §4.1.1): WebOb and Werkzeug remove them, so that values of their applications stay readable.'

const PARSED: readonly (readonly [
  header: string,
  cookies: Readonly<Record<string, string>>,
  reason?: string,
])[] = [
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
  [
    'foo',
    'bar',
    { httpOnly: true, secure: true, partitioned: true },
    'foo=bar; HttpOnly; Secure; Partitioned',
  ],
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

export const cookie: Referee = {
  name: 'cookie',
  version: '2.0.1 (51c4854)',
  source: 'https://github.com/jshttp/cookie/tree/51c485421a95ee796de6d8dab53a5ade0a20db8a/src',
  judges: '`parseCookies`, `formatCookie`',
  run: () =>
    judge(
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
    ),
}

function optionsText(options: CookieOptions): string {
  return Object.entries(options)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`)
    .join(', ')
}
