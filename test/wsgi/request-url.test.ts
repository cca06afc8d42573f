import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEnviron, decodePath, type EnvironInit, encodePath, rawPathInfo } from 'propylon/wsgi'
import { hostOf, isHost, isLocalHost, targetPath, urlOf } from '../../src/wsgi/request-url.ts'

const SERVER = { SERVER_NAME: 'server.internal', SERVER_PORT: '8080' }

describe('hostOf', () => {
  const rows: [string, string][] = [
    ['example.com', 'example.com'],
    ['Example.COM:8080', 'example.com:8080'],
    ['example.com:80', 'example.com'],
    ['my_service', 'my_service'],
    ['example.com:', 'example.com'],
    ['[::1]:', '[::1]'],
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
    assert.equal(hostOf(createEnviron({ extra: { ...SERVER, HTTP_HOST: undefined } })), 'server.internal:8080')
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
    const urls = fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] })
    fc.assert(
      fc.property(urls, (url) => {
        fc.pre(!url.includes('%00'))
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

const anyPath = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed())

describe('decodePath', () => {
  const cases: [raw: string, path: string | undefined][] = [
    ['/a', '/a'],
    ['/caf%C3%A9', '/café'],
    ['/a%2fb', '/a/b'],
    ['/a+b', '/a+b'],
    ['/%25', '/%'],
    ['/%', undefined],
    ['/%2', undefined],
    ['/%zz', undefined],
    ['/%ff', undefined],
    ['/%c0%af', undefined],
    ['/%ed%a0%80', undefined],
    ['/%00', undefined],
    ['/\0', undefined],
  ]
  for (const [raw, path] of cases)
    it(`${JSON.stringify(raw)} → ${JSON.stringify(path)}`, () => assert.equal(decodePath(raw), path))

  it('is the inverse of encodePath', () => {
    fc.assert(fc.property(anyPath, (path) => assert.equal(decodePath(encodePath(path)), path)))
  })
})

describe('encodePath', () => {
  it('does not encode characters that a path may contain', () => {
    const path = "/a-b.c_d~e/;x=1,2:@!$&'()*+"
    assert.equal(encodePath(path), path)
  })

  it('encodes ? and #', () => {
    assert.equal(encodePath('/a?b#c%d'), '/a%3Fb%23c%25d')
  })

  it('encodes a lone surrogate', () => assert.equal(encodePath('/\ud800'), '/%EF%BF%BD'))
})

describe('targetPath', () => {
  const cases: [target: string, path: string][] = [
    ['/a?b', '/a'],
    ['//a', '//a'],
    ['http://h/a?b', '/a'],
    ['http://h', '/'],
    ['http://host.example:80/a/b', '/a/b'],
    ['/a/http://h/b', '/a/http://h/b'],
    ['?b', ''],
    ['*', '*'],
  ]
  for (const [target, path] of cases) it(`${target} → ${path}`, () => assert.equal(targetPath(target), path))
})

describe('rawPathInfo', () => {
  const cases: [what: string, environ: Parameters<typeof createEnviron>[0], raw: string][] = [
    ['a plain path', { url: '/a/b' }, '/a/b'],
    ['a query', { url: '/a/b?c=/d' }, '/a/b'],
    ['an encoded slash', { url: '/a%2Fb' }, '/a%2Fb'],
    ['an absolute target', { extra: { REQUEST_URI: 'http://h/a%2Fb?c', PATH_INFO: '/a/b' } }, '/a%2Fb'],
    ['a mounted application', { url: '/blog/a%2Fb', scriptName: '/blog' }, '/a%2Fb'],
    ['a mount point that is encoded', { url: '/caf%C3%A9%F0%9F%98%80/%C3%A9', scriptName: '/café😀' }, '/%C3%A9'],
    ['an empty PATH_INFO', { url: '/blog', scriptName: '/blog' }, ''],
    ['a PATH_INFO that middleware has changed', { url: '/old', extra: { PATH_INFO: '/new é' } }, '/new%20%C3%A9'],
    ['no REQUEST_URI', { extra: { REQUEST_URI: undefined, PATH_INFO: '/a b' } }, '/a%20b'],
    ['a percent sign that is one', { url: '/100%25' }, '/100%25'],
  ]
  for (const [what, init, raw] of cases) it(what, () => assert.equal(rawPathInfo(createEnviron(init)), raw))

  it('decodes to PATH_INFO wherever the application is mounted', () => {
    fc.assert(
      fc.property(anyPath, anyPath, (mount, rest) => {
        const scriptName = `/${mount}`
        const environ = createEnviron({ url: encodePath(`${scriptName}/${rest}`), scriptName })
        assert.equal(decodePath(rawPathInfo(environ)), `/${rest}`)
      }),
    )
  })
})

describe('isHost', () => {
  const wellFormed = [
    'localhost',
    'localhost:5000',
    'Example.COM',
    'example.com.',
    'a-b.example',
    'my_service:80',
    '_dmarc.example.com',
    'xn--bcher-kva.example',
    '127.0.0.1:5000',
    '[::1]',
    '[::1]:80',
    'example.com:',
    '[2001:DB8::1]:65535',
    '[::ffff:10.0.0.1]',
    'x:0',
    `${'a'.repeat(63)}.example`,
  ]
  for (const host of wellFormed) {
    it(`accepts ${host}`, () => assert.equal(isHost(host), true))
  }

  const malformed = [
    '',
    '.',
    'a..b',
    '.example.com',
    '-evil.com',
    'evil-.com',
    'evil.com::',
    ':',
    'evil.com:99999',
    'evil.com:65536',
    'evil.com:0080',
    'evil.com:80:80',
    'evil.com:-1',
    'evil.com:8a',
    '[::1',
    '::1',
    '[::1]x',
    '[1:2:3]',
    '[fe80::1%25eth0]',
    '[v1.a]',
    'a,b',
    'a b',
    ' a',
    'a\t',
    'a\n',
    'a\0',
    'evil.com/a',
    'evil.com?a',
    'evil.com#a',
    'evil.com\\a',
    'user@evil',
    'a%41b',
    'caf\u00e9',
    '1.2.3.256',
    'a.1',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}abc`,
    '"><script>',
  ]
  for (const host of malformed) {
    it(`refuses ${JSON.stringify(host)}`, () => assert.equal(isHost(host), false))
  }

  it('accepts only hosts from which a URL can be built, without any other part', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aA1.-_:[]@/ %x\t', 'xn--', '::') })
    fc.assert(
      fc.property(text, (host) => {
        if (!isHost(host)) return
        const url = new URL(`http://${host}/p`)
        assert.deepEqual([url.pathname, url.username, url.search, url.hash], ['/p', '', '', ''])
      }),
      { numRuns: 2000 },
    )
  })
})

describe('isLocalHost', () => {
  const rows: [host: string, isLocal: boolean][] = [
    ['localhost', true],
    ['LOCALHOST.:80', true],
    ['app.localhost:5000', true],
    ['app.test', true],
    ['127.0.0.1:5000', true],
    ['127.8.9.1', true],
    ['[::1]:5000', true],
    ['test', false],
    ['localhost.evil.com', false],
    ['notlocalhost', false],
    ['127.0.0.1.evil.com', false],
    ['10.0.0.1', false],
    ['[::2]', false],
  ]
  for (const [host, isLocal] of rows) {
    it(`returns ${isLocal} for ${host}`, () => assert.equal(isLocalHost(host), isLocal))
  }
})
