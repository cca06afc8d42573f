import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

describe('without its optional packages', () => {
  // A copy outside of the checkout, so that no node_modules folder is found.
  const folder = mkdtempSync(join(tmpdir(), 'propylon-'))
  let testing: typeof import('propylon/testing')

  before(async () => {
    for (const part of ['base', 'wsgi', 'tools/testing']) {
      cpSync(new URL(`../../../src/${part}`, import.meta.url), join(folder, part), { recursive: true })
    }
    testing = await import(pathToFileURL(join(folder, 'tools/testing/index.ts')).href)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('propylon/testing sends requests', async () => {
    const app = new testing.TestApp((_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'application/json']])
      return ['{"a": 1}']
    })
    assert.deepEqual((await app.get('/')).json(), { a: 1 })
  })

  for (const [use, name, run] of [
    ['parsing a page', 'parse5', () => new testing.HtmlDocument('')],
    ['setting a cookie', 'tough-cookie', () => new testing.CookieJar().set('a', '1')],
  ] as const) {
    test(`${use} throws an error that names ${name}`, () => {
      assert.throws(run, {
        message: new RegExp(`requires the package ${name},.* npm install --save-dev ${name}$`),
      })
    })
  }
})
