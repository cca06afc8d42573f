import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Request } from 'propylon'
import { createEnviron } from 'propylon/wsgi'

describe('request.localPath()', () => {
  for (const [scriptName, url, path] of [
    ['', '/', '/'],
    ['', '/page/%C3%BC?x=1#top', '/page/%C3%BC?x=1'],
    ['', '/ü', '/%C3%BC'],
    ['', '/a/../b', '/b'],
    ['', '', undefined],
    ['', 'page', undefined],
    ['', '?x=1', undefined],
    ['', 'https://evil.example/', undefined],
    ['', 'javascript:alert(1)', undefined],
    ['', '//evil.example/', undefined],
    ['', '/\\evil.example/', undefined],
    ['', '/\t/evil.example/', undefined],
    ['', '/\n/evil.example/', undefined],
    ['', '/./\\/evil.example/', undefined],
    ['', '/.//evil.example/', undefined],
    ['', '//', undefined],
    ['/team', '/team/', '/team/'],
    ['/team', '/team/page?x', '/team/page?x'],
    ['/team', '/team', undefined],
    ['/team', '/teams/', undefined],
    ['/team', '/team/../other', undefined],
    ['/team', '/', undefined],
    ['/ü', '/%C3%BC/page', '/%C3%BC/page'],
    ['/100%', '/100%25/page', '/100%25/page'],
    ['/a|b', '/a|b/page', '/a|b/page'],
    ['/a|b', '/a%7Cb/page', '/a%7Cb/page'],
    ['/a/b', '/a%2Fb/page', undefined],
  ] as const) {
    it(`returns ${path} for ${JSON.stringify(url)} at ${JSON.stringify(scriptName)}`, () => {
      assert.equal(Request.of({ ...createEnviron({}), SCRIPT_NAME: scriptName }).localPath(url), path)
    })
  }

  for (const [site, url, path] of [
    ['http://example.org', 'http://example.org/page?x#top', '/page?x'],
    ['http://example.org', 'HTTP://EXAMPLE.org:80', '/'],
    ['https://example.org', 'https://example.org:443/', '/'],
    ['https://example.org', 'http://example.org/', undefined],
    ['https://example.org:8443', 'https://example.org:8443/a', '/a'],
    ['https://example.org:8443', 'https://example.org/a', undefined],
    ['http://[::1]:5000', 'http://[::1]:5000/a', '/a'],
    ['http://example.org', 'http://example.org.evil.example/', undefined],
    ['http://example.org', 'http://example.org@evil.example/', undefined],
    ['http://example.org', 'http://example.org\\@evil.example/', '/@evil.example/'],
    ['http://example.org', 'http://example.org//evil.example/', undefined],
    ['http://example.org', 'http:evil.example/', undefined],
    ['http://example.org', 'http:/a', undefined],
    ['http://example.org', '//example.org/a', '/a'],
    ['http://site.invalid', 'http://evil.example/', undefined],
  ] as const) {
    it(`returns ${path} for ${url} on ${site}`, () => {
      assert.equal(Request.of(createEnviron({ url: site })).localPath(url), path)
    })
  }

  it('refuses an absolute URL outside of the mount point', () => {
    const request = Request.of({ ...createEnviron({ url: 'http://example.org' }), SCRIPT_NAME: '/team' })
    assert.equal(request.localPath('http://example.org/team/a'), '/team/a')
    assert.equal(request.localPath('http://example.org/other'), undefined)
  })

  it('accepts paths where the server has no host', () => {
    const environ = createEnviron({})
    environ.SERVER_NAME = ''
    delete environ.HTTP_HOST
    assert.equal(Request.of(environ).localPath('/a'), '/a')
  })
})
