/** Calls an application by a generated client in Chromium. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type ServerHandle, serve } from 'propylon/node'
import { libraryApp } from '../rpc/client/library-app.ts'
import { startChromium } from './chromium.ts'

describe('a generated client in a browser', () => {
  let server: ServerHandle
  let browser: Browser
  let page: Page
  before(async () => {
    server = await serve(libraryApp(), { port: 0, scriptName: '/library' })
    browser = await startChromium()
    page = await browser.newPage()
    await page.goto(`${server.url}/library/pages`)
    const client = await readFile(new URL('../rpc/client/library-client.ts', import.meta.url), 'utf8')
    const content = `${stripTypeScriptTypes(client)}\nObject.assign(globalThis, { createClient })`
    await page.addScriptTag({ type: 'module', content })
    await page.waitForFunction('globalThis.createClient !== undefined')
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  for (const [what, call, expected] of [
    ['sends JSON', "books.create({ book: { title: 'Emma' } })", { id: 2, title: 'Emma', year: null }],
    ['sends files', "books.cover({ id: 3, cover: { photo: new File(['abc'], 'a.png') } })", { size: 1 }],
    ['returns undefined for 204', 'books.delete({ id: 3 }).then(String)', 'undefined'],
    ['returns text', "books.text({ id: 'a/b' })", 'The text of a/b'],
    [
      'throws problem details',
      'books.show({ id: 404 }).catch((error) => [error.name, error.status, error.problem.detail])',
      ['ApiError', 404, 'No such book.'],
    ],
    [
      'does not repeat a body after a redirect',
      "books.create({ book: { title: 'redirected' } }).catch((error) => error.message)",
      /^POST \/books was redirected to another URL\. Bodies are not sent there\.$/,
    ],
    [
      'ends a call by its signal',
      'books.show({ id: 3 }, { signal: AbortSignal.abort() }).catch((error) => error.name)',
      'AbortError',
    ],
  ] as const) {
    it(what, async () => {
      const result = await page.evaluate(`createClient({ baseUrl: '/library' }).${call}`)
      if (expected instanceof RegExp) assert.match(String(result), expected)
      else assert.deepEqual(result, expected)
    })
  }
})
