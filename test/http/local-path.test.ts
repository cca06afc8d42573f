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
  ] as const) {
    it(`returns ${path} for ${JSON.stringify(url)} at ${JSON.stringify(scriptName)}`, () => {
      assert.equal(Request.of({ ...createEnviron({}), SCRIPT_NAME: scriptName }).localPath(url), path)
    })
  }
})
