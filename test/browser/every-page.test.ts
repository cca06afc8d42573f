/** Opens every page of the examples and of a created project, and expects no message in the console. Needs Chromium. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { kitchen } from '../examples/kitchen.ts'
import { temporaryFolder } from '../tools/cli/command-line.ts'
import { createdProject, propylon } from '../tools/cli/command-process.ts'
import { startChromium } from './chromium.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CHEAP_HASHES = join(ROOT, 'test/examples/cheap-hashes.ts')
const PASSWORD = 'correct horse battery'

/** Returns the settings of a site with an empty database. */
function settings() {
  const folder = temporaryFolder()
  return {
    NODE_ENV: 'production',
    SECRET: 'x'.repeat(40),
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'site.db')}`,
    UPLOADS: join(folder, 'uploads'),
    ADMIN_PASSWORD: PASSWORD,
  }
}

/** Runs a program, and returns the URL that it prints and a function that ends it. */
async function running(cwd: string, words: readonly string[], env: ReturnType<typeof settings>) {
  const options = ['--conditions=propylon-source', `--import=${CHEAP_HASHES}`]
  const child = spawn(process.execPath, [...options, ...words], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+\d/.exec(line) ?? []
    if (url !== undefined) return { url, end: () => child.kill('SIGKILL') }
  }
  throw new Error('It printed no URL')
}

/** Makes the tables of a project and serves it. */
const SERVE = `
import { serve } from 'propylon/node'
import app from './app.ts'
import { migrator } from './config/migrator.ts'

await migrator.migrateToLatest()
console.log((await serve(app, { port: 0 })).url)
`

async function project(folder: string) {
  const env = settings()
  return { env, ...(await running(folder, ['--input-type=module', '--eval', SERVE], env)) }
}

/** Submits the form whose fields are given. */
async function send(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`main [name="${name}"]`, value)
  const form = page.locator('main form', { has: page.locator(`[name="${Object.keys(fields)[0]}"]`) })
  await form.locator('button').first().click()
}

describe('a browser has nothing to say of', () => {
  let browser: Browser
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())

  /** Opens a site, calls `visit` with a page of it, and fails for each message of its console. */
  async function look(url: string, visit: (page: Page, crawl: () => Promise<number>) => Promise<unknown>) {
    const page = await browser.newPage({ baseURL: url })
    const messages: string[] = []
    page.on('console', (message) => {
      // The page is an error, or has no icon.
      const { url: place } = message.location()
      const isExpected = place === page.url() || place.endsWith('/favicon.ico')
      // The test has focused a field before the page did.
      const isFocus = message.text().startsWith('Autofocus processing was blocked')
      if (!isFocus && !(isExpected && /status of [45]\d\d/.test(message.text())))
        messages.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => messages.push(`${page.url()}: ${error}`))
    const seen = new Set<string>()
    /** Follows all links from the first page and this one to pages that are new, and returns how many have been seen. */
    const crawl = async () => {
      const waiting = ['/', new URL(page.url()).pathname]
      for (const path of waiting) {
        const kind = (await page.request.head(path)).headers()['content-type']
        if (!kind?.startsWith('text/html')) continue
        await page.goto(path)
        const links = await page.locator('a[href]').evaluateAll((all) => all.map(String))
        for (const link of links.map((each) => new URL(each))) {
          const key = link.pathname + link.search
          if (link.origin !== new URL(url).origin || seen.has(key)) continue
          seen.add(key)
          waiting.push(key)
        }
      }
      return seen.size
    }
    await page.goto('/')
    try {
      await visit(page, crawl)
    } finally {
      await page.close()
    }
    assert.deepEqual(messages, [])
  }

  it('a created project', async () => {
    const folder = await createdProject('--login', '--database', 'sqlite', '--example')
    const { url, end, env } = await project(folder)
    try {
      await look(url, async (page, crawl) => {
        await page.goto('/nowhere')
        await page.goto('/password/forgot')
        await page.goto('/password/reset?token=x')
        await send(page, { password: PASSWORD })
        await page.goto('/register')
        await send(page, { name: '1', email: 'ann@example.com', password: PASSWORD })
        await page.goto('/notes/new')
        await send(page, { name: 'Buy tea' })
        await crawl()
        await page.goto('/register')
        await send(page, { name: 'ann', email: 'ann@example.com', password: PASSWORD })
        const become = `await (await import('./model/users.ts')).setRole('ann', 'admin')\n`
        assert.equal((await propylon(['shell'], { cwd: folder, env, input: become })).status, 0)
        await page.goto('/account')
        await send(page, { name: 'a script' })
        await page.goto('/account')
        await page.goto('/account/password')
        await page.goto('/admin/users')
        assert.ok((await crawl()) >= 9)
      })
    } finally {
      end()
    }
  })

  it('the kitchen of the tutorial', async () => {
    const { url, end } = await project(kitchen())
    try {
      await look(url, async (page, crawl) => {
        await page.goto('/recipes/new')
        await send(page, { title: ' ' })
        await send(page, { title: 'Apple pie', text: 'Slice six apples.\nBake.' })
        const style = "getComputedStyle(document.querySelector('.lines')).whiteSpace"
        assert.equal(await page.evaluate(style), 'pre-line')
        await page.goto('/recipes')
        assert.ok((await crawl()) >= 3)
      })
    } finally {
      end()
    }
  })

  it('the users', async () => {
    const { url, end } = await running(ROOT, ['examples/users/serve.ts'], settings())
    try {
      await look(url, async (page, crawl) => {
        await page.goto('/nowhere')
        await page.goto('/users/new')
        await send(page, { name: '' })
        await send(page, { name: 'ann', full_name: 'Ann', email: 'ann@example.com', password: PASSWORD })
        assert.ok((await crawl()) >= 4)
      })
    } finally {
      end()
    }
  })

  it('the wiki', async () => {
    const { url, end } = await running(ROOT, ['examples/wiki/serve.ts'], settings())
    try {
      await look(url, async (page, crawl) => {
        await page.goto('/nowhere')
        await page.goto('/register')
        await page.goto('/login')
        await send(page, { name: 'admin', password: 'wrong' })
        await send(page, { name: 'admin', password: PASSWORD })
        await page.goto('/page/new')
        await send(page, { title: 'Tea', content: 'Some *text*.' })
        await page.goto('/page/Tea;edit')
        await send(page, { content: 'Other text.' })
        await page.goto('/search?q=text')
        assert.ok((await crawl()) >= 8)
      })
    } finally {
      end()
    }
  })

  for (const name of ['events', 'form', 'hello', 'upload']) {
    it(`examples/${name}.ts`, async () => {
      const { url, end } = await running(ROOT, [`examples/${name}.ts`], settings())
      try {
        await look(url, (page) => page.waitForSelector('body'))
      } finally {
        end()
      }
    })
  }
})
