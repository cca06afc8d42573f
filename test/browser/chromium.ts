/** Starts Chromium, and checks pages for accessibility. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Programs that have the rendering of Chromium. The shell without windows takes a third of the CPU time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Time after which a step of a test fails, in milliseconds: a slow machine needs more than the 30 s of Playwright. */
const TIMEOUT = 120_000

/** Starts the Chromium of the variable CHROMIUM, or an installed one. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PROGRAMS.find((path) => existsSync(path))
  if (executablePath === undefined)
    throw new Error(`There is no Chromium at ${PROGRAMS.join(' or ')}. Set CHROMIUM to its path.`)
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    timeout: TIMEOUT,
  })
  browser.on('context', (context) => context.setDefaultTimeout(TIMEOUT))
  return browser
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the rules of axe that a page breaks, each with its first reason. */
export function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].failureSummary))`,
  )
}
