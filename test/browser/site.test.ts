import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { staticFiles } from 'propylon/files'
import { type ServerHandle, serve } from 'propylon/node'
import { repositoryPages } from '../../docs/site/pages.ts'
import { faultsOf, startChromium } from './chromium.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DIST = join(ROOT, 'docs/site/dist')

describe('the site of the documentation', { timeout: 600_000 }, () => {
  let browser: Browser
  let server: ServerHandle
  before(async () => {
    // As npm run docs, but without building dist/ again, which other tests use at the same time.
    for (const words of [
      ['ci', '--no-audit', '--no-fund'],
      ['run', 'build'],
    ]) {
      execFileSync('npm', ['--prefix', 'docs/site', ...words], {
        cwd: ROOT,
        stdio: 'pipe',
        timeout: 300_000,
      })
    }
    server = await serve(staticFiles(DIST, { index: true }), { port: 0, signals: false })
    browser = await startChromium()
  })
  // Pages that stay open take time from the next ones.
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    page.on('console', (line) => {
      // The server answers the address of the page itself with 404.
      if (['error', 'warning'].includes(line.type()) && path !== '/404.html') errors.push(line.text())
    })
    await page.goto(new URL(path, server.url).href, { waitUntil: 'networkidle' })
    // Vue sets the property when every component is mounted: from then on keys and links do something.
    await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
    assert.deepEqual(errors, [])
    return page
  }

  it('has every page as HTML and as Markdown', () => {
    const files = new Set(globSync('**/*.{html,md}', { cwd: DIST }))
    const entries: string[] = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).exports)
    const api = entries.filter((entry) => !entry.endsWith('.json')).map((entry) => entry.replace('./', ''))
    const routes = [
      ...repositoryPages().map(({ route }) => route),
      ...api.map((name) => `api/${name === '.' ? 'propylon' : name}`),
    ]
    assert.deepEqual(
      routes.flatMap((route) => [`${route}.html`, `${route}.md`]).filter((file) => !files.has(file)),
      [],
    )
  })

  it('lists every page in llms.txt, and links to no file that is missing', () => {
    const list = readFileSync(join(DIST, 'llms.txt'), 'utf8')
    const targets = [...list.matchAll(/\]\(https:\/\/[^/]+\/(.*?\.md)\)/g)].map(([, target = '']) => target)
    const pages = globSync('**/*.md', { cwd: DIST }).filter((file) => file !== 'index.md')
    assert.deepEqual(targets.toSorted(), pages.toSorted())
    assert.ok(readFileSync(join(DIST, 'llms/reference.txt'), 'utf8').length > 100_000)
  })

  it('has no dead link in the Markdown pages', () => {
    const files = new Set(globSync('**/*', { cwd: DIST }))
    const dead = [...files]
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const text = readFileSync(join(DIST, file), 'utf8').replaceAll(/^ *(`{3,}).*?^ *\1 *$|`[^`\n]*`/gms, '')
        const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link = '']) => link)
        return links
          .filter((link) => !files.has(posix.join(posix.dirname(file), link)))
          .map((link) => `${file}: ${link}`)
      })
    assert.deepEqual(dead, [])
  })

  it('documents functions, members of classes and options', () => {
    for (const [name, part] of [
      ['propylon', /^\| \[`abort`\]\(\.?\/?propylon\/functions\.md#abort\) \| Ends the request/m],
      ['propylon/WSGIController', /^# WSGIController\n\n```ts\nimport .*\n```\n\n```ts\nclass WSGIController/m],
      ['propylon/WSGIController', /^## `render\(\)`\n\n```ts\nrender\(/m],
      ['propylon/functions', /^## abort\n\n```ts\nfunction abort\(.*\n```\n\nEnds the request/m],
      ['propylon/functions', /^\*\*Throws\*\* `\w+`: /m],
      ['propylon/exceptions', /^\| `HTTPNotFound` \| 404 /m],
      ['files', /^ {3}\*.*\n {3}\*\/\n {2}readonly maxAge\?: number$/m],
    ] as const) {
      const page = readFileSync(join(DIST, `api/${name}.md`), 'utf8')
      assert.ok(part.test(page), `api/${name}.md lacks ${part}`)
      assert.equal(/\{@link|#private/.exec(page), null)
    }
  })

  it('has no page of the API over 15,000 pixels', async () => {
    // The scripts of a page change nothing that is measured, and take most of its time.
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false })
    const tall: string[] = []
    for (const path of globSync('api/**/*.html', { cwd: DIST })) {
      await page.goto(new URL(path, server.url).href)
      const height = await page.evaluate<number>('document.documentElement.scrollHeight')
      if (height > 15_000) tall.push(`${path}: ${height}`)
    }
    assert.deepEqual(tall, [])
  })

  it('shows pictures and output of programs within their column', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false })
    const wide: string[] = []
    for (const file of globSync('**/*.md', { cwd: DIST })) {
      if (!readFileSync(join(DIST, file), 'utf8').includes('```text')) continue
      await page.goto(new URL(file.replace(/md$/, 'html'), server.url).href)
      const widths = await page.evaluate<number[][]>(
        '[...document.querySelectorAll(".language-text pre")].map((pre) => [pre.scrollWidth, pre.clientWidth])',
      )
      assert.ok(widths.length > 0)
      for (const [inner = 0, outer = 0] of widths) if (inner > outer) wide.push(`${file}: ${inner} > ${outer}`)
    }
    assert.deepEqual(wide, [])
  })

  it('shows its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const path of ['/', '/guides/sessions.html']) {
      const page = await open(path)
      assert.ok(await page.locator('.VPNavBarMenu', { hasText: version }).isVisible())
      assert.ok(await page.locator('.VPFooter', { hasText: `Propylon ${version}` }).isVisible())
    }
  })

  it('has commands for other package managers', async () => {
    const page = await open('/guides/ten-minutes.html')
    await page.getByText('pnpm', { exact: true }).first().click()
    assert.ok(await page.getByText('pnpm create propylon@latest my-site').isVisible())
  })

  for (const [words, first] of [
    ['sessions', /^\/guides\/sessions/],
    ['jwt', /^\/guides\/authorization/],
    ['pagination', /^\/reference\/paginate/],
    ['logging', /^\/guides\/logging/],
    ['getting started', /^\/guides\/ten-minutes/],
    ['csrf', /^\/guides\/forms/],
    ['middleware', /^\/guides\/middleware/],
  ] as const) {
    it(`finds the page for ${words} first`, async () => {
      const page = await open('/')
      await page.keyboard.press('Control+k')
      await page.locator('.VPLocalSearchBox input').fill(words)
      const result = page.locator('.VPLocalSearchBox .result').first()
      await result.waitFor()
      assert.match((await result.getAttribute('href')) ?? '', first)
    })
  }

  it('lists the reference by subject', async () => {
    const page = await open('/reference/routing.html')
    const subjects = await page.locator('.VPSidebar .level-1.collapsible > .item .text').allTextContents()
    assert.ok(subjects.includes('Applications') && subjects.includes('APIs and services'), subjects.join())
    assert.ok(await page.locator('.VPSidebar a[href="/reference/routing.html"]').isVisible())
  })

  it('leads from guide to guide', async () => {
    const page = await open('/guides/forms.html')
    const next = page.locator('.pager-link.next')
    const href = (await next.getAttribute('href')) ?? ''
    assert.match(href, /^\/guides\//)
    await next.click()
    // Waits for the page, which replaces the links after the address.
    await page.locator('.pager-link.prev[href="/guides/forms.html"]').waitFor()
    assert.equal(new URL(page.url()).pathname, href)
  })

  it('is dark for those who want it', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/guides/forms.html', { colorScheme })
      const isDark = await page.evaluate<boolean>('document.documentElement.classList.contains("dark")')
      assert.equal(isDark, colorScheme === 'dark')
    }
  })

  for (const path of [
    '/',
    '/guides/tutorial.html',
    '/reference/routing.html',
    '/api/propylon.html',
    '/api/propylon/FrameworkApp.html',
    '/404.html',
  ]) {
    it(`has no faults at ${path}`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(path, { colorScheme })
        const faults = await faultsOf(page)
        await page.close()
        // The theme's search button is named "Search" and shows its keys.
        assert.deepEqual(
          faults.filter((fault) => !fault.startsWith('label-content-name-mismatch')),
          [],
        )
      }
    })
  }

  it('shows the heading that an address names', async () => {
    const page = await open('/api/propylon/functions.html#redirect')
    // The page scrolls smoothly. Waits until the heading is below the bar.
    await page.waitForFunction(
      '((top) => top > 0 && top < 300)(document.getElementById("redirect").getBoundingClientRect().top)',
    )
    await page.close()
  })

  it('has few elements, which browsers would have to lay out', async () => {
    for (const [path, links, elements] of [
      ['/guides/tutorial.html', 60, 2500],
      ['/api/propylon.html', 30, 2500],
    ] as const) {
      const page = await open(path)
      assert.ok((await page.locator('.VPSidebar a').count()) < links)
      assert.ok((await page.evaluate<number>('document.querySelectorAll("*").length')) < elements)
      await page.close()
    }
  })

  it('describes each page to those who share it', async () => {
    const page = await open('/guides/sessions.html')
    assert.equal(await page.getAttribute('html', 'lang'), 'en')
    assert.ok(await page.getAttribute('meta[name="description"]', 'content'))
    for (const property of ['title', 'description', 'url', 'image'])
      assert.ok(await page.getAttribute(`meta[property="og:${property}"]`, 'content'), property)
  })

  it('fits a phone', async () => {
    const viewport = { width: 360, height: 740 }
    for (const path of ['/', '/guides/production.html', '/api/propylon.html', '/decisions/']) {
      const page = await open(path, { viewport })
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= viewport.width, `${path} is ${width} wide`)
    }
  })
})
