import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import { decorate, https } from '../../src/decorators/index.ts'
import type { HeaderPair } from '../../src/wsgi/types.ts'
import { appWith } from './asking.ts'

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

  static {
    decorate(this, {
      page: [https()],
      elsewhere: [https('https://login.test:8443/in')],
      path: [https('/login?from=path')],
      made: [https((controller) => `/login/${controller.request.routeParams.id}`)],
      wrong: [https(() => 'http://shop.test/')],
    })
  }
}

const { ask } = appWith(SecureController)

describe('https', () => {
  const rows: [
    label: string,
    url: string,
    path: string,
    method: string,
    status: string,
    location?: string,
  ][] = [
    ['lets https pass', 'https://shop.test', '/page/a', 'GET', '200 OK'],
    ['lets a POST over https pass', 'https://shop.test', '/page/a', 'POST', '200 OK'],
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
    [
      'redirects to the URL given',
      'http://shop.test',
      '/elsewhere',
      'GET',
      '302 Found',
      'https://login.test:8443/in',
    ],
    [
      'redirects to a path over https',
      'http://shop.test',
      '/path',
      'GET',
      '302 Found',
      'https://shop.test/login?from=path',
    ],
    [
      'redirects where a function says',
      'http://shop.test',
      '/made/7',
      'GET',
      '302 Found',
      'https://shop.test/login/7',
    ],
    ['refuses POST where a URL is given', 'http://shop.test', '/elsewhere', 'POST', '403 Forbidden'],
  ]
  for (const [label, url, path, method, status, location] of rows) {
    it(label, async () => {
      const asked = await ask(path, { url, method })
      assert.deepEqual([asked.status, asked.header('location')], [status, location])
    })
  }

  const forwarding: HeaderPair[] = [
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'proto=https;host=evil.test'],
    ['X-Forwarded-Host', 'evil.test'],
    ['X-Forwarded-Ssl', 'on'],
  ]
  for (const header of forwarding) {
    it(`does not trust ${header[0]}`, async () => {
      const asked = await ask('/page', { headers: [['Host', 'shop.test'], header] })
      assert.equal(asked.header('location'), 'https://shop.test/test/page')
    })
  }

  it('makes no redirect of a Host header that is no host', async () => {
    const asked = await ask('/page', { headers: [['Host', 'evil.test/path?']] })
    assert.doesNotMatch(asked.header('location') ?? '', /evil/)
  })

  for (const url of ['http://shop.test/', 'javascript:alert(1)', 'https://', 'ftp://shop.test/']) {
    it(`refuses the URL ${url}`, () => {
      assert.throws(() => https(url), TypeError)
    })
  }

  it('refuses a URL over http that a function makes', async () => {
    await assert.rejects(ask('/wrong'), /is no https URL/)
  })
})
