import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { CookieJar } from 'propylon/testing'

const at = (url: string) => new URL(url, 'http://localhost')

describe('a cookie is sent back', () => {
  for (const [title, setCookie, from, to, expected] of [
    ['to the site that set it', 'a=1', '/', '/', 'a=1'],
    ['with its value as it travelled', 'a="x%20y"', '/', '/', 'a="x%20y"'],
    ['without white space around', ' a = 1 ; Path=/', '/', '/', 'a=1'],
    ['with equals signs in its value', 'a=b=c', '/', '/', 'a=b=c'],
    ['below its path', 'a=1; Path=/docs', '/', '/docs/x', 'a=1'],
    ['at its path', 'a=1; path=/docs', '/', '/docs', 'a=1'],
    ['not beside its path', 'a=1; Path=/docs', '/', '/docsx', ''],
    ['not above its path', 'a=1; Path=/docs', '/', '/', ''],
    ['below a path with a slash at its end', 'a=1; Path=/docs/', '/', '/docs/x', 'a=1'],
    ['by default below the folder of the page', 'a=1', '/users/new', '/users/1', 'a=1'],
    ['by default not above the folder of the page', 'a=1', '/users/new', '/', ''],
    ['as by default when the path is no path', 'a=1; Path=docs', '/users/new', '/users', 'a=1'],
    ['to its very host alone', 'a=1', '/', 'http://www.localhost/', ''],
    [
      'to sub-domains of its domain',
      'a=1; Domain=example.org',
      'http://example.org/',
      'http://www.example.org/',
      'a=1',
    ],
    [
      'to its domain from a sub-domain',
      'a=1; Domain=.Example.org',
      'http://www.example.org/',
      'http://example.org/',
      'a=1',
    ],
    [
      'not to a host that only ends alike',
      'a=1; Domain=example.org',
      'http://example.org/',
      'http://badexample.org/',
      '',
    ],
    ['over https when secure', 'a=1; Secure', 'https://localhost/', 'https://localhost/', 'a=1'],
    ['not over http when secure', 'a=1; secure', '/', '/', ''],
    ['from a page on another port', 'a=1', '/', 'http://localhost:8080/', 'a=1'],
    ['while Max-Age lasts', 'a=1; Max-Age=10', '/', '/', 'a=1'],
    ['not with Max-Age 0', 'a=1; Max-Age=0', '/', '/', ''],
    ['not with a negative Max-Age', 'a=1; Max-Age=-1', '/', '/', ''],
    ['when Max-Age is no number', 'a=1; Max-Age=soon', '/', '/', 'a=1'],
    ['before Expires', 'a=1; Expires=Fri, 02 Jan 2170 00:00:00 GMT', '/', '/', 'a=1'],
    ['not after Expires', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', '/', '/', ''],
    ['not after Expires written the old way', 'a=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT', '/', '/', ''],
    ['when Expires is no date', 'a=1; Expires=0', '/', '/', 'a=1'],
    ['by Max-Age rather than Expires', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9', '/', '/', 'a=1'],
    ['with the last of a repeated attribute', 'a=1; Path=/x; Path=/', '/', '/', 'a=1'],
    [
      'with a prefix that it honours',
      '__Host-a=1; Secure; Path=/',
      'https://localhost/',
      'https://localhost/',
      '__Host-a=1',
    ],
  ] as const) {
    test(title, () => {
      const jar = new CookieJar()
      assert.equal(jar.store(setCookie, at(from)), true)
      assert.equal(jar.header(at(to)), expected)
    })
  }
})

describe('a cookie is refused', () => {
  for (const [title, setCookie, from] of [
    ['for another host', 'a=1; Domain=example.com', 'http://example.org/'],
    ['for a sub-domain', 'a=1; Domain=www.example.org', 'http://example.org/'],
    ['for a whole top-level domain', 'a=1; Domain=org', 'http://example.org/'],
    ['for part of an address', 'a=1; Domain=0.0.1', 'http://127.0.0.1/'],
    ['when it is empty', '', 'http://localhost/'],
    ['when it has neither name nor value', '=; Path=/', 'http://localhost/'],
    ['with control characters', 'a=1\u0001', 'http://localhost/'],
    ['over 4,096 characters', `a=${'x'.repeat(4096)}`, 'http://localhost/'],
    ['named __Secure- without Secure', '__Secure-a=1', 'https://localhost/'],
    ['named __Host- with a domain', '__Host-a=1; Secure; Path=/; Domain=localhost', 'https://localhost/'],
    ['named __Host- with another path', '__Host-a=1; Secure; Path=/x', 'https://localhost/'],
  ] as const) {
    test(title, () => {
      const jar = new CookieJar()
      assert.equal(jar.store(setCookie, at(from)), false)
      assert.deepEqual([...jar], [])
    })
  }
})

test('cookies are sent with longer paths first, then in the order of setting', () => {
  const jar = new CookieJar()
  for (const cookie of ['a=1; Path=/', 'b=2; Path=/x/y', 'c=3; Path=/x', 'd=4; Path=/']) jar.store(cookie, at('/'))
  jar.store('a=5; Path=/', at('/'))
  assert.equal(jar.header(at('/x/y')), 'b=2; c=3; a=5; d=4')
})

test('a cookie expires once Max-Age has passed, however often it was sent', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const jar = new CookieJar()
  jar.store('a=1; Max-Age=10', at('/'))
  t.mock.timers.setTime(9_999)
  assert.equal(jar.header(at('/')), 'a=1')
  t.mock.timers.setTime(10_000)
  assert.equal(jar.header(at('/')), '')
  assert.equal(jar.get('a'), undefined)
})

test('a cookie that is set again with an expiry in the past is deleted', () => {
  const jar = new CookieJar()
  jar.store('a=1; Path=/', at('/'))
  jar.store('a=; Path=/; Max-Age=0', at('/'))
  assert.deepEqual([...jar], [])
})

test('a cookie of the same name with another path is another cookie', () => {
  const jar = new CookieJar()
  jar.store('a=1; Path=/', at('/'))
  jar.store('a=2; Path=/x', at('/'))
  assert.equal(jar.header(at('/x')), 'a=2; a=1')
  assert.equal(jar.get('a'), '2')
})

test('get decodes a value, and returns a malformed one unchanged', () => {
  const jar = new CookieJar()
  jar.store('a=x%20y', at('/'))
  jar.store('b=%zz', at('/'))
  assert.equal(jar.get('a'), 'x y')
  assert.equal(jar.get('b'), '%zz')
  assert.equal(jar.get('c'), undefined)
})

test('any text that is set is returned by get and sent as one cookie', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const jar = new CookieJar()
      jar.set('name', value)
      assert.equal(jar.get('name'), value)
      assert.match(jar.header(at('/')), /^name=[^;,\s]*$/)
    }),
  )
})

test('the jar sends only well-formed pairs for any Set-Cookie', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (cookies) => {
      const jar = new CookieJar()
      for (const cookie of cookies) jar.store(cookie, at('/'))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      assert.doesNotMatch(jar.header(at('/')), /[\u0000-\u0008\u000a-\u001f\u007f]/)
    }),
  )
})

describe('set and delete', () => {
  test('a cookie is set for the application’s host and for its domain', () => {
    const jar = new CookieJar('http://example.org/')
    jar.set('a', '1')
    jar.set('b', '2', { domain: 'example.org', path: '/x' })
    assert.equal(jar.header(at('http://www.example.org/x')), 'b=2')
    assert.equal(jar.header(at('http://example.org/')), 'a=1')
  })

  for (const name of ['', 'a b', 'a;b', 'a=b', 'é']) {
    test(`${JSON.stringify(name)} cannot name a cookie`, () => {
      assert.throws(() => new CookieJar().set(name, ''), /is not a cookie name/)
    })
  }

  test('cookies are deleted and cleared', () => {
    const jar = new CookieJar()
    for (const name of ['a', 'b', 'c']) jar.set(name, name)
    jar.delete('a')
    assert.deepEqual(
      [...jar].map((cookie) => cookie.name),
      ['b', 'c'],
    )
    jar.clear()
    assert.equal(jar.header(at('/')), '')
  })
})
