import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEnviron, type EnvironInit } from 'propylon/wsgi'
import { hostOf } from '../../src/wsgi/host.ts'
import { urlOf } from '../../src/wsgi/request-url.ts'

const SERVER = { SERVER_NAME: 'server.internal', SERVER_PORT: '8080' }

describe('hostOf', () => {
  const rows: [string, string][] = [
    ['example.com', 'example.com'],
    ['Example.COM:8080', 'example.com:8080'],
    ['example.com:80', 'example.com'],
    ['my_service', 'my_service'],
    ['127.0.0.1:5000', '127.0.0.1:5000'],
    ['[::1]:5000', '[::1]:5000'],
    ['example.com.', 'example.com.'],
    ['', 'server.internal:8080'],
    ['evil.com/path', 'server.internal:8080'],
    ['user@evil.com', 'server.internal:8080'],
    ['evil.com?x', 'server.internal:8080'],
    ['evil.com:80:80', 'server.internal:8080'],
    ['evil.com:99999', 'server.internal:8080'],
    ['evil com', 'server.internal:8080'],
    ['evil.com"><script>', 'server.internal:8080'],
    ['a, b', 'server.internal:8080'],
    ['-evil.com', 'server.internal:8080'],
    [`${'a'.repeat(300)}.com`, 'server.internal:8080'],
  ]
  for (const [sent, host] of rows) {
    it(`returns ${host} for the Host header ${JSON.stringify(sent)}`, () => {
      assert.equal(hostOf(createEnviron({ extra: { ...SERVER, HTTP_HOST: sent } })), host)
    })
  }

  it('returns the server’s name if there is no Host header', () => {
    assert.equal(
      hostOf(createEnviron({ extra: { ...SERVER, HTTP_HOST: undefined } })),
      'server.internal:8080',
    )
    assert.equal(
      hostOf(createEnviron({ extra: { SERVER_NAME: '::1', SERVER_PORT: '80', HTTP_HOST: undefined } })),
      '[::1]',
    )
  })

  it('omits the default port of https', () => {
    assert.equal(hostOf(createEnviron({ url: 'https://example.com:443/' })), 'example.com')
    assert.equal(hostOf(createEnviron({ url: 'https://example.com:80/' })), 'example.com:80')
  })

  it('ignores forwarding headers', () => {
    const headers: [string, string][] = [
      ['X-Forwarded-Host', 'evil.com'],
      ['X-Forwarded-Proto', 'https'],
      ['Forwarded', 'host=evil.com'],
    ]
    assert.equal(urlOf(createEnviron({ url: 'http://example.com/', headers })), 'http://example.com/')
  })

  it('returns only valid hosts', () => {
    fc.assert(
      fc.property(fc.string(), (sent) => {
        const host = hostOf(createEnviron({ extra: { ...SERVER, HTTP_HOST: sent } }))
        assert.match(host, /^[a-z0-9_.:[\]-]+$/)
      }),
    )
  })
})

describe('urlOf', () => {
  const rows: [EnvironInit, string][] = [
    [{}, 'http://localhost/'],
    [{ url: 'https://example.com/a%20b/%C3%BC?x=%20&y' }, 'https://example.com/a%20b/%C3%BC?x=%20&y'],
    [{ url: '/app/a%2Fb', scriptName: '/app' }, 'http://localhost/app/a%2Fb'],
    [{ url: '/', extra: { SCRIPT_NAME: '/ü', PATH_INFO: '/a?b#c' } }, 'http://localhost/%C3%BC/a%3Fb%23c'],
    [{ url: '/', extra: { SCRIPT_NAME: '/app', PATH_INFO: '' } }, 'http://localhost/app'],
    [{ url: '*', method: 'OPTIONS' }, 'http://localhost/'],
    [{ url: 'http://Example.COM:80/p' }, 'http://example.com/p'],
  ]
  for (const [init, url] of rows) {
    it(`returns ${url}`, () => {
      assert.equal(urlOf(createEnviron(init)), url)
    })
  }

  it('equals the URL that createEnviron received, except for an empty query', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] }), (url) => {
        const { href, search } = new URL(url)
        const expected = search === '' ? href.replace(/\?$/, '') : href
        assert.equal(new URL(urlOf(createEnviron({ url }))).href, expected)
      }),
    )
  })

  it('keeps SCRIPT_NAME', () => {
    assert.equal(
      urlOf(createEnviron({ url: 'http://h:81/blog/a%2Fb?x', scriptName: '/blog' })),
      'http://h:81/blog/a%2Fb?x',
    )
  })

  it('uses the name of the server when the host would end the authority early', () => {
    for (const host of ['evil/..', 'a@b', 'a?b', 'a#b', 'a b', 'a\\b']) {
      const environ = createEnviron({ url: 'http://good/x', headers: [['Host', host]] })
      assert.equal(urlOf(environ), 'http://good/x')
    }
  })
})
