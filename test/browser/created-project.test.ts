/** Looks at the first and the error pages of created projects on a phone, with axe in light and dark mode. Needs Chromium. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { type ServerHandle, serve } from 'propylon/node'
import { createdProject } from '../tools/cli/command-process.ts'
import { faultsOf, startChromium } from './chromium.ts'

/** A controller whose actions are refused and fail. */
const FAULTS = `
import { abort } from 'propylon'
import { BaseController } from '../lib/base.ts'

export class FaultsController extends BaseController {
  refused() {
    abort(403)
  }
  broken() {
    throw new Error('hidden')
  }
}
`

describe('the pages of a created project', () => {
  let server: ServerHandle
  let browser: Browser
  before(async () => {
    const project = await createdProject('--login', '--example')
    await writeFile(join(project, 'controllers/faults.ts'), FAULTS)
    Object.assign(process.env, {
      NODE_ENV: 'production',
      SECRET: 'x'.repeat(40),
      DATABASE_URL: 'sqlite::memory:',
    })
    const { default: app } = await import(pathToFileURL(join(project, 'app.ts')).href)
    server = await serve(app, { port: 0 })
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  for (const path of [
    '/',
    '/notes',
    '/notes/new',
    '/login',
    '/register',
    '/nowhere',
    '/faults/refused',
    '/faults/broken',
  ]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has no faults at ${path} in ${colorScheme} mode on a phone`, async () => {
        const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } })
        const page = await context.newPage()
        await page.goto(server.url + path)
        assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 390)
        const description = await page.getAttribute('meta[name="description"]', 'content')
        assert.notEqual(description ?? '', '')
        const faults = await faultsOf(page)
        await context.close()
        assert.deepEqual(faults, [])
      })
    }
  }

  for (const [path, status, heading] of [
    ['/nowhere', 404, 'Not found'],
    ['/faults/refused', 403, 'Not allowed'],
    ['/faults/broken', 500, 'Something went wrong'],
  ] as const) {
    it(`leads home from the page of an error with status ${status}`, async () => {
      const page = await browser.newPage()
      const response = await page.goto(server.url + path)
      assert.equal(response?.status(), status)
      assert.equal(await page.textContent('h1'), heading)
      const text = (await page.textContent('main')) ?? ''
      const id = response?.headers()['x-request-id'] ?? ''
      assert.equal(text.includes(id), status === 500)
      assert.doesNotMatch(text, /hidden/)
      await page.click('main a')
      assert.equal(new URL(page.url()).pathname, '/')
      await page.close()
    })
  }

  it('needs no script or style that the policy of the pages refuses', async () => {
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    const response = await page.goto(server.url)
    assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'self'/)
    assert.deepEqual(refused, [])
    await page.close()
  })
})
