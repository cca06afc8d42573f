/** A browser walks through the example as a person would. Needs Chromium; run by .ci/run. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { FrameworkApp } from 'propylon'
import type { ServerHandle } from 'propylon/node'
import { serve } from 'propylon/node'
import { startChromium } from './chromium.ts'

const directory = await mkdtemp(join(tmpdir(), 'propylon-browser-'))
process.env.DATABASE_URL = `sqlite:${join(directory, 'users.db')}`
// Not a literal, because the example registers its routes for the whole program that imports it.
const example = new URL('../../examples/users/app.ts', import.meta.url).href
const { default: app }: { default: FrameworkApp } = await import(example)
const { disconnect } = await import('../../examples/users/model/meta.ts')

let server: ServerHandle
let browser: Browser
let page: Page
/** Complaints of the browser: failed requests, blocked styles, errors of scripts. */
const complaints: string[] = []

before(async () => {
  server = await serve(app, { port: 0 })
  browser = await startChromium()
  page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (400|404|409)/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
})

after(async () => {
  await browser?.close()
  await server?.close()
  await disconnect()
  await rm(directory, { recursive: true })
})

const path = () => new URL(page.url()).pathname

async function fill(values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.fill(`[name=${name}]`, value)
}

/** Submits a form and waits for the page that answers it. */
async function submit(form: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator(`${form} [type=submit]`).click()])
}

describe('a person with a browser', { concurrency: false }, () => {
  it('finds the users from the home page', async () => {
    await page.goto(server.url)
    await page.locator('a[href="/users"]').first().click()
    assert.equal(path(), '/users')
  })

  it('sees what is wrong at the fields of the form, and what was typed but the password', async () => {
    await page.goto(`${server.url}/users/new`)
    await page
      .locator('form[action="/users"]')
      .evaluate((form: HTMLFormElementLike) => form.setAttribute('novalidate', ''))
    await fill({ name: 'not a name', full_name: 'Ann Example', email: 'ann', password: 'short' })
    await submit('form[action="/users"]')
    assert.equal(await page.inputValue('[name=full_name]'), 'Ann Example')
    assert.equal(await page.inputValue('[name=password]'), '')
    assert.equal(await page.getAttribute('[name=name]', 'aria-invalid'), 'true')
    assert.equal(await page.getAttribute('[name=full_name]', 'aria-invalid'), null)
    await page.fill('[name=full_name]', '')
    await submit('form[action="/users"]')
    assert.ok(await page.getByText('Full name must be given').isVisible())
    assert.equal(await page.getByText('full_name').isVisible(), false)
  })

  it('creates a user', async () => {
    await page.goto(`${server.url}/users/new`)
    await fill({
      name: 'ann',
      full_name: 'Ann <b>Example</b>',
      email: 'ann@example.org',
      password: 'long enough',
    })
    await submit('form[action="/users"]')
    assert.match((await page.textContent('main')) ?? '', /Ann <b>Example<\/b>/)
  })

  it('sees that a name is taken', async () => {
    await page.goto(`${server.url}/users/new`)
    await fill({ name: 'ann', full_name: 'Another', email: 'other@example.org', password: 'long enough' })
    await submit('form[action="/users"]')
    assert.match((await page.textContent('main')) ?? '', /409 Conflict/)
  })

  it('changes and renames a user through the edit form', async () => {
    await page.goto(`${server.url}/users`)
    await page.getByRole('link', { name: /^Edit/ }).first().click()
    assert.equal(path(), '/users/ann;edit')
    await fill({ full_name: 'Ann Changed' })
    await page.locator('main form [type=submit]').first().click()
    await page.waitForURL(`${server.url}/users/ann`)
    assert.match((await page.textContent('main')) ?? '', /Ann Changed/)
    await page.goto(`${server.url}/users/ann;edit`)
    await fill({ name: 'anna' })
    await page.locator('main form [type=submit]').first().click()
    await page.waitForURL(`${server.url}/users/anna`)
    assert.match((await page.textContent('main')) ?? '', /Ann Changed/)
  })

  it('deletes a user, but not before having confirmed', async () => {
    await page.goto(`${server.url}/users/anna`)
    await page
      .getByRole('button', { name: /Delete/ })
      .first()
      .click()
    assert.equal(path(), '/users/anna')
    await page.locator('form:has([name=_method][value=DELETE]) [type=submit]').click()
    await page.waitForURL(`${server.url}/users`)
    assert.equal((await page.goto(`${server.url}/users/anna`))?.status(), 404)
  })

  it('can use every page on a phone without scrolling sideways', async () => {
    for (const target of ['/', '/users', '/users/new', '/users/missing']) {
      await page.goto(server.url + target)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, target)
    }
  })

  it('hears no complaint from the browser', () => {
    assert.deepEqual(complaints, [])
  })
})

interface HTMLFormElementLike {
  setAttribute(name: string, value: string): void
}
