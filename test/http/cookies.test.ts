import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type CookieOptions, Response } from 'propylon'
import { formatCookie, parseCookies } from 'propylon/http'

describe('parseCookies', () => {
  const rows: [string, Record<string, string>][] = [
    ['', {}],
    ['a=1; b=2', { a: '1', b: '2' }],
    ['a=1; a=2', { a: '1' }],
    ['a=%20x; b=%zz', { a: ' x', b: '%zz' }],
    ['a; b=2;;', { b: '2' }],
    ['a=b=c', { a: 'b=c' }],
    ['a="x y"; b=""; c="; d="x', { a: 'x y', b: '', c: '"', d: '"x' }],
    ['a="x\\073 \\"y\\" \\\\ caf\\303\\251"', { a: 'x; "y" \\ café' }],
    ['a="\\377"; b=%22x%22', { a: '%ff', b: '"x"' }],
  ]
  for (const [header, cookies] of rows) {
    it(`parses ${JSON.stringify(header)}`, () => {
      assert.deepEqual({ ...parseCookies(header) }, cookies)
    })
  }

  it('returns a record without a prototype, in which __proto__ is an ordinary key', () => {
    const cookies = parseCookies('__proto__=x; constructor=y')
    assert.equal(Object.getPrototypeOf(cookies), null)
    assert.deepEqual(Object.entries(cookies), [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  it('parses any text without throwing', () => {
    fc.assert(fc.property(fc.string(), (header) => typeof parseCookies(header) === 'object'))
  })
})

describe('formatCookie', () => {
  const rows: [CookieOptions | undefined, string][] = [
    [undefined, 'a=1; Path=/; HttpOnly; SameSite=Lax'],
    [{ path: '/x', httpOnly: false, sameSite: false }, 'a=1; Path=/x'],
    [{ secure: true, sameSite: 'none' }, 'a=1; Path=/; HttpOnly; Secure; SameSite=None'],
    [{ maxAge: 60, domain: 'example.com' }, 'a=1; Max-Age=60; Domain=example.com; Path=/; HttpOnly; SameSite=Lax'],
    [{ expires: new Date(0) }, 'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax'],
  ]
  for (const [options, text] of rows) {
    it(`formats ${text}`, () => {
      assert.equal(formatCookie('a', '1', options), text)
    })
  }

  const refused: [string, string, CookieOptions][] = [
    ['', '1', {}],
    ['a b', '1', {}],
    ['a=b', '1', {}],
    ['a;b', '1', {}],
    ['a\r\nSet-Cookie: b', '1', {}],
    ['a', '1', { path: '/;x' }],
    ['a', '1', { path: '/\r\nX: y' }],
    ['a', '1', { domain: 'x;y' }],
    ['a', '1', { maxAge: 1.5 }],
    ['a', '1', { expires: new Date(Number.NaN) }],
    ['a', '1', { sameSite: 'none' }],
    ['__Host-a', '1', { secure: true, path: '/x' }],
    ['__Secure-a', '1', {}],
    ...['', 'x', 'id', 'sid', 'session'].flatMap((rest): [string, string, CookieOptions][] => [
      [`__Host-${rest}`, '1', {}],
      [`__HOST-${rest}`, '1', { secure: true, domain: 'a.org' }],
      [`__Host-${rest}`, '1', { secure: true, path: '/x' }],
      [`__secure-${rest}`, '1', {}],
      [`__Http-${rest}`, '1', {}],
      [`__Http-${rest}`, '1', { secure: true, httpOnly: false }],
      [`__Host-Http-${rest}`, '1', { secure: true, httpOnly: false }],
    ]),
  ]
  for (const [name, value, options] of refused) {
    it(`refuses ${JSON.stringify([name, value, options])}`, () => {
      assert.throws(() => formatCookie(name, value, options), TypeError)
    })
  }

  for (const prefix of ['__Host-', '__Secure-', '__Http-', '__Host-Http-']) {
    it(`sets and deletes cookies whose names begin with ${prefix}, of any length`, () => {
      for (const name of [prefix, `${prefix}x`, `${prefix}id`, `${prefix}session`]) {
        const response = new Response('')
        assert.throws(() => response.setCookie(name, '1'), /must have the Secure attribute/)
        assert.throws(() => response.deleteCookie(name), /must have the Secure attribute/)
        assert.deepEqual(response.headers.getAll('set-cookie'), [])
        response.setCookie(name, '1', { secure: true })
        response.deleteCookie(name, { secure: true })
        assert.equal(response.headers.getAll('set-cookie').length, 2)
      }
    })
  }

  it('escapes text that would end the value', () => {
    assert.match(formatCookie('a', 'x; Domain=evil\r\nX: y'), /^a=x%3B%20Domain%3Devil%0D%0AX%3A%20y; Path/)
  })

  it('formats values that parseCookies restores', () => {
    const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
    fc.assert(
      fc.property(name, fc.string({ unit: 'binary' }), (key, value) => {
        fc.pre(!/^__(?:host|secure)-/i.test(key))
        const [pair = ''] = formatCookie(key, value).split('; ')
        assert.deepEqual(Object.entries(parseCookies(pair)), [[key, value.toWellFormed()]])
      }),
    )
  })
})
