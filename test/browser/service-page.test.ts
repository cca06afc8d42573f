/** Checks the accessibility of pages that the framework makes, with axe in light and dark mode. Needs Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { type ServerHandle, serve } from 'propylon/node'
import { stockApp } from '../rpc/faces/stock.ts'
import { faultsOf, startChromium } from './chromium.ts'

let server: ServerHandle
let browser: Browser

before(async () => {
  // Debug mode, in which errors have a page.
  server = await serve(stockApp({ debug: true }), { port: 0 })
  browser = await startChromium()
})

after(async () => {
  await browser?.close()
  await server?.close()
})

/** Returns what axe finds on a page: the rule and the elements that break it. */
async function findings(path: string, colorScheme: 'light' | 'dark'): Promise<string[]> {
  // The policy of the page refuses scripts.
  const context = await browser.newContext({ bypassCSP: true, colorScheme })
  const page = await context.newPage()
  await page.goto(server.url + path)
  const faults = await faultsOf(page)
  await context.close()
  return faults
}

for (const [title, path] of [
  ['the page of a service', '/stock'],
  ['the page of a request without a route', '/stcok'],
] as const) {
  describe(title, () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has no findings of axe in ${colorScheme} mode`, async () => {
        assert.deepEqual(await findings(path, colorScheme), [])
      })
    }
  })
}
