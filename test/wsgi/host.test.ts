import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isHost, isLocalHost } from '../../src/wsgi/host.ts'

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
    'evil.com:',
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
