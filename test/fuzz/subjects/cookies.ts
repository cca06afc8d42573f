/** Cookies: what is written is read, by the framework and by tough-cookie. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { formatCookie, parseCookies } from 'propylon/http'
import { Cookie } from 'tough-cookie'
import { soup, text, token } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'

const attributes = fc.record(
  {
    path: fc.oneof(fc.constantFrom('/', '/a', '/a b', '/a;b', '/\r\nX: y'), text(8)),
    domain: fc.oneof(fc.constantFrom('example.test', '.example.test', 'a;b'), text(8)),
    maxAge: fc.integer({ min: -10, max: 100_000 }),
    httpOnly: fc.boolean(),
    secure: fc.boolean(),
    sameSite: fc.constantFrom('lax' as const, 'strict' as const, false as const),
  },
  { requiredKeys: [] },
)

export const cookies: Subject = {
  name: 'cookies',
  properties: [
    property(
      'the values of a Cookie header are those that were set, and the first of a name wins',
      fc.array(fc.tuple(token, text()), { maxLength: 5 }),
      (pairs) => {
        const header = pairs.map(([name, value]) => formatCookie(name, value).split(';', 1)[0]).join('; ')
        const expected: Record<string, string> = Object.create(null)
        for (const [name, value] of pairs) expected[name] ??= value
        assert.deepEqual({ ...parseCookies(header) }, { ...expected })
      },
    ),
    property(
      'a Set-Cookie value is refused, or means to tough-cookie what it was made from, and nothing else',
      fc.record({ name: fc.oneof(token, text(8)), value: text(), attributes }),
      ({ name, value, attributes }) => {
        let header: string
        try {
          header = formatCookie(name, value, attributes)
        } catch (error) {
          assert.ok(error instanceof TypeError, String(error))
          return
        }
        assert.match(header, /^[\t\x20-\x7e\x80-\xff]*$/)
        const cookie = Cookie.parse(header)
        assert.ok(cookie)
        assert.equal(cookie.key, name)
        assert.equal(decodeURIComponent(cookie.value), value)
        assert.equal(cookie.httpOnly, attributes.httpOnly ?? true)
        assert.equal(cookie.secure, attributes.secure ?? false)
        assert.equal(cookie.path, attributes.path === undefined ? '/' : (cookie.path ?? null))
        const names = header
          .split(';')
          .slice(1)
          .map((part) => part.trim().split('=', 1)[0]?.toLowerCase())
        assert.equal(new Set(names).size, names.length, `an attribute occurs twice in ${header}`)
        const known = ['path', 'domain', 'max-age', 'httponly', 'secure', 'samesite']
        assert.deepEqual(
          names.filter((each) => !known.includes(each ?? '')),
          [],
          header,
        )
      },
    ),
    property(
      'any Cookie header is read as pairs that are in it',
      soup([';', '; ', '=', '"', '%', '%41', '%ff', ',', '__proto__', 'constructor', 'a', 'b', ' ']),
      (header) => {
        const parsed = parseCookies(header)
        assert.equal(Object.getPrototypeOf(parsed), null)
        for (const [name, value] of Object.entries(parsed)) {
          const pairs = header
            .split(';')
            .filter((each) => each.split('=', 1)[0]?.replace(/^[ \t]+|[ \t]+$/g, '') === name)
          const readings = pairs
            .map((pair) => pair.slice(pair.indexOf('=') + 1).replace(/^[ \t]+|[ \t]+$/g, ''))
            .flatMap((raw) => [raw, raw.replace(/^"|"$/g, '')])
            .flatMap((raw) => [raw, decoded(raw)])
          assert.ok(readings.includes(value), `${header} has no ${name} with the value ${value}`)
        }
      },
    ),
  ],
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
