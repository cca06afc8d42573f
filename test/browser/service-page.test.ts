/** Checks the accessibility of pages that the framework makes, with axe in light and dark mode. Needs Chromium. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { type ServerHandle, serve } from 'propylon/node'
import { stockApp } from '../rpc/faces/stock.ts'

let server: ServerHandle
let browser: Browser

before(async () => {
  // Debug mode, in which errors have a page.
  server = await serve(stockApp({ debug: true }), { port: 0 })
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  })
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
  await page.addScriptTag({
    content: await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8'),
  })
  const found: AxeResults = await page.evaluate('axe.run()')
  await context.close()
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.failureSummary}`)
}

/** The part of the results of axe that the tests use. */
interface AxeResults {
  readonly violations: { readonly id: string; readonly nodes: { readonly failureSummary: string }[] }[]
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
