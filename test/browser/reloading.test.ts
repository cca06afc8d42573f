/** Open pages reload by themselves while a developer edits. Needs Chromium; run by .ci/run. */
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { controller, Project } from '../tools/reload/project.ts'
import { startChromium } from './chromium.ts'

const view = (text: string) => `<!doctype html><html><body><p>${text}</p></body></html>`

let browser: Browser
let project: Project
let page: Page

before(async () => {
  browser = await startChromium()
})

after(() => browser?.close())

beforeEach(async () => {
  project = await Project.create()
  page = await browser.newPage()
})

afterEach(async () => {
  await page.close()
  await project[Symbol.asyncDispose]()
})

/** Serves a page and opens it. Its files are written before anybody watches them, because a change would reload the page. */
async function open(expression = "this.render('page')"): Promise<void> {
  await project.write({
    'templates/page.eta': view('first'),
    'controllers/page.ts': controller(expression),
  })
  await project.start({ live: true })
  await page.goto(`${project.url}/page`)
  await shows('first')
}

/** Waits until the page shows a text. */
const shows = (text: string) => page.getByText(text).first().waitFor()

describe('an open page', () => {
  it('shows a changed template, and the next change too', async () => {
    await open()
    await project.write({ 'templates/page.eta': view('second') })
    await shows('second')
    await project.write({ 'templates/page.eta': view('third') })
    await shows('third')
  })

  it('shows what is wrong with a controller, and the page again once it is mended', async () => {
    await open()
    await project.write({ 'controllers/page.ts': 'export const = 1' })
    await shows('controllers/page.ts:1:14 does not load')
    await project.write({ 'controllers/page.ts': controller("this.render('page')") })
    await shows('first')
  })

  it('loads once where nothing changes, validators or not', async () => {
    let loads = 0
    page.on('load', () => loads++)
    await open(
      "(this.response.headers.set('ETag', '\"same\"'), this.response.headers.set('Cache-Control', 'max-age=60'), this.render('page'))",
    )
    // One change: a file that is written in place is empty for a moment.
    await project.write({ '../second.eta': view('second') })
    await rename(project.path('../second.eta'), project.path('templates/page.eta'))
    await shows('second')
    assert.equal(loads, 2)
  })

  it('keeps to a content security policy that allows scripts of its own origin only', async () => {
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await open("(this.response.headers.set('Content-Security-Policy', \"default-src 'self'\"), this.render('page'))")
    await project.write({ 'templates/page.eta': view('second') })
    await shows('second')
    assert.deepEqual(
      complaints.filter((text) => /policy/i.test(text)),
      [],
    )
  })
})
