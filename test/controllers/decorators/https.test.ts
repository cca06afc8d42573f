import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { decorate, https } from 'propylon/decorators'
import type { HeaderPair } from 'propylon/wsgi'
import { appWith } from './sending.ts'

class SecureController extends WSGIController {
  page(id = 'none') {
    return `page ${id}`
  }
  elsewhere() {
    return 'elsewhere'
  }
  path() {
    return 'path'
  }
  made(id: string) {
    return `made ${id}`
  }
  wrong() {
    return 'wrong'
  }
  same() {
    return 'same'
  }

  static {
    decorate(this, {
      page: [https()],
      elsewhere: [https('https://login.test:8443/in')],
      path: [https('/login?from=path')],
      made: [https((controller) => `/login/${controller.request.routeParams.id}`)],
      wrong: [https(() => 'http://other.test/')],
      same: [https((controller) => controller.request.url)],
    })
  }
}

const { send } = appWith(SecureController)

describe('https', () => {
  const rows: [label: string, url: string, path: string, method: string, status: string, location?: string][] = [
    ['accepts GET over https', 'https://shop.test', '/page/a', 'GET', '200 OK'],
    ['accepts POST over https', 'https://shop.test', '/page/a', 'POST', '200 OK'],
    [
      'redirects to the same host, path and query',
      'http://shop.test',
      '/page/a%2Fb%20%C3%BC?x=1&y=%26',
      'GET',
      '302 Found',
      'https://shop.test/test/page/a%2Fb%20%C3%BC?x=1&y=%26',
    ],
    ['redirects HEAD', 'http://shop.test', '/page', 'HEAD', '302 Found', 'https://shop.test/test/page'],
    [
      'leaves out the port of http',
      'http://shop.test:8080',
      '/page',
      'GET',
      '302 Found',
      'https://shop.test/test/page',
    ],
    ['keeps an IPv6 host', 'http://[::1]:8080', '/page', 'GET', '302 Found', 'https://[::1]/test/page'],
    ['refuses POST', 'http://shop.test', '/page', 'POST', '403 Forbidden'],
    ['refuses PUT', 'http://shop.test', '/page', 'PUT', '403 Forbidden'],
    ['refuses DELETE', 'http://shop.test', '/page', 'DELETE', '403 Forbidden'],
    ['redirects to the URL given', 'http://shop.test', '/elsewhere', 'GET', '302 Found', 'https://login.test:8443/in'],
    [
      'redirects to a path over https',
      'http://shop.test',
      '/path',
      'GET',
      '302 Found',
      'https://shop.test/login?from=path',
    ],
    ['redirects where a function says', 'http://shop.test', '/made/7', 'GET', '302 Found', 'https://shop.test/login/7'],
    [
      'redirects to an http URL of this host over https',
      'http://shop.test:8080',
      '/same?x=%26',
      'GET',
      '302 Found',
      'https://shop.test/test/same?x=%26',
    ],
    ['refuses POST if there is a URL', 'http://shop.test', '/elsewhere', 'POST', '403 Forbidden'],
  ]
  for (const [label, url, path, method, status, location] of rows) {
    it(label, async () => {
      const received = await send(path, { url, method })
      assert.deepEqual([received.status, received.header('location')], [status, location])
    })
  }

  const forwarding: HeaderPair[] = [
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'proto=https;host=evil.test'],
    ['X-Forwarded-Host', 'evil.test'],
    ['X-Forwarded-Ssl', 'on'],
  ]
  for (const header of forwarding) {
    it(`ignores ${header[0]}`, async () => {
      const received = await send('/page', { headers: [['Host', 'shop.test'], header] })
      assert.equal(received.header('location'), 'https://shop.test/test/page')
    })
  }

  it('does not redirect to a malformed Host', async () => {
    const received = await send('/page', { headers: [['Host', 'evil.test/path?']] })
    assert.doesNotMatch(received.header('location') ?? '', /evil/)
  })

  for (const url of ['http://shop.test/', 'javascript:alert(1)', 'https://', 'ftp://shop.test/']) {
    it(`refuses the URL ${url}`, () => {
      assert.throws(() => https(url), TypeError)
    })
  }

  it('refuses an http URL of another host', async () => {
    await assert.rejects(send('/wrong'), /Give an https URL or a path/)
  })
})
