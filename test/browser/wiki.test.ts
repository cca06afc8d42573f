/** A browser uses the wiki, with scripts and without. Needs Chromium; run by .ci/run. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_PASSWORD, Client, type Place, sqlitePlace, Wiki } from '../examples/wiki/wiki.ts'
import { startChromium } from './chromium.ts'

let place: Place
let wiki: Wiki
let browser: Browser

before(async () => {
  place = await sqlitePlace()
  wiki = await Wiki.start(place.variables)
  browser = await startChromium()
})

after(async () => {
  await browser?.close()
  await wiki?.stop()
  await place?.remove()
})

/** Opens a page, and fails the test for whatever the browser complains of. */
async function open(path: string, javaScriptEnabled = true): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 390, height: 800 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(wiki.url + path)
  return { page, complaints }
}

async function signIn(page: Page): Promise<void> {
  await page.fill('main [name=name]', 'admin')
  await page.fill('main [name=password]', ADMIN_PASSWORD)
  await page.click('main button')
}

describe('a browser at the wiki', () => {
  it('works without scripts', async () => {
    const { page } = await open('/page/new', false)
    await page.click('main .notice a')
    await signIn(page)
    assert.equal(new URL(page.url()).pathname, '/page/new')
    await page.fill('#title', 'By hand')
    await page.fill('#content', 'Some *text*.')
    await page.click('main button')
    assert.equal(await page.textContent('article'), 'Some text.\n')
    await page.click('text=Edit')
    await page.fill('#content', 'Other text.')
    await page.click('main button')
    assert.equal(await page.textContent('[role=status]'), 'Saved.')
    await page.fill('.search input', 'other')
    await page.click('.search button')
    assert.equal(await page.textContent('#results mark'), 'Other')
    await page.context().close()
  })

  it('searches while you type', async () => {
    const { page, complaints } = await open('/search')
    await page.locator('.search input').pressSequentially('frontp')
    await page.waitForSelector('#results a')
    assert.equal(new URL(page.url()).search, '?q=frontp')
    assert.deepEqual(complaints, [])
    await page.context().close()
  })

  it('shows a note when the open page changes', async () => {
    const { page, complaints } = await open('/page/FrontPage')
    const ann = await Client.user(wiki, 'ann')
    // The stream of the page is open once one of the changes has arrived.
    const note = page.waitForSelector('[data-events] a')
    let version = 1
    let isShown = false
    const end = () => {
      isShown = true
    }
    note.then(end, end)
    while (!isShown) {
      await ann.put('/page/FrontPage', { content: `change ${version}`, version: String(version) })
      version += 1
    }
    await note
    assert.match((await page.textContent('[data-events]')) ?? '', /^ann has changed this page\. Show version \d+$/)
    await page.click('[data-events] a')
    assert.match((await page.textContent('article')) ?? '', /^change \d+/)
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
})
