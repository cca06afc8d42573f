/** Looks at the first pages of created projects on a phone, with axe in light and dark mode. Needs Chromium. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { type ServerHandle, serve } from 'propylon/node'
import { createdProject } from '../tools/cli/command-process.ts'

describe('the pages of a created project', () => {
  let server: ServerHandle
  let browser: Browser
  before(async () => {
    const project = await createdProject('--login', '--example')
    process.env.DATABASE_URL = 'sqlite::memory:'
    const { default: app } = await import(pathToFileURL(join(project, 'app.ts')).href)
    server = await serve(app, { port: 0 })
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  for (const path of ['/', '/notes', '/notes/new', '/login', '/register', '/nowhere']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has no faults at ${path} in ${colorScheme} mode on a phone`, async () => {
        const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } })
        const page = await context.newPage()
        await page.goto(server.url + path)
        assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 390)
        const axe = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
        const faults = await page.evaluate<string[]>(
          `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].failureSummary))`,
        )
        await context.close()
        assert.deepEqual(faults, [])
      })
    }
  }
})
