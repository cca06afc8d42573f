/** Looks at the page of an OpenAPI document, under the policy of `secureHeaders()` and its own. Needs Chromium. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { FrameworkApp, Mapper } from 'propylon'
import { secureHeaders } from 'propylon/middleware'
import { type ServerHandle, serve } from 'propylon/node'
import type { Middleware } from 'propylon/wsgi'
import { BooksController, reset, TEMPLATES } from '../controllers/declarations/books.ts'
import { startChromium } from './chromium.ts'

/** Removes the policy of the page, so that the middleware around it sends its own. */
const withoutPolicy: Middleware = (app) => (environ, start_response) =>
  app(environ, (status, headers, error) =>
    start_response(
      status,
      headers.filter(([name]) => name.toLowerCase() !== 'content-security-policy'),
      error,
    ),
  )

function site(...middleware: Middleware[]): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().resource('book', 'books'),
    controllers: { books: BooksController },
    templates: TEMPLATES,
    logger: { info() {}, warn() {}, error() {} },
    middleware: [secureHeaders(), ...middleware],
    openapi: {
      title: 'Books',
      version: '1.0.0',
      page: true,
      servers: [{ url: 'https://books.example' }],
    },
  })
}

describe('the page of the OpenAPI document', () => {
  let browser: Browser
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())

  for (const [policy, app, scriptName] of [
    ['its own policy', site(), ''],
    ['the policy of secureHeaders()', site(withoutPolicy), ''],
    ['a mount point', site(), '/store'],
  ] as const) {
    it(`lists operations and sends requests to its server, under ${policy}`, async () => {
      reset()
      const server = await serve(app, { port: 0, scriptName })
      try {
        const page = await browser.newPage()
        const { errors, others } = observed(page, server)
        await page.goto(`${server.url}/openapi`)
        await page.waitForSelector('.opblock')
        assert.equal(await page.title(), 'Books')
        const summaries = await page.locator('.opblock-summary-path').allInnerTexts()
        assert.ok(summaries.length > 3)
        assert.equal(await page.locator('.servers select').inputValue(), scriptName || '/')
        await page.locator('.opblock-get .opblock-summary-control').first().click()
        await page.locator('.try-out__btn').first().click()
        await page.locator('.execute').first().click()
        const status = page.locator('.live-responses-table .response-col_status').last()
        assert.match((await status.textContent()) ?? '', /^200/)
        assert.deepEqual([errors, others], [[], []])
        await page.close()
      } finally {
        await server.close()
      }
    })
  }
})

/** Collects the errors of a page, among them what its policy refuses, and its requests to other servers. */
function observed(page: Page, server: ServerHandle): { errors: string[]; others: string[] } {
  const errors: string[] = []
  const others: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(server.url).origin) && !request.url().startsWith('data:')) {
      others.push(request.url())
    }
  })
  return { errors, others }
}
