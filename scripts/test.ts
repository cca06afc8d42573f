/**
 * Runs the tests that need nothing but this checkout, and says what they left out.
 *
 * Usage: npm test [-- PATTERN…], where a pattern is a part of a test file's path.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Directories under test/ whose tests need more than the checkout, and what they need. */
const needsMore: Record<string, string> = {
  browser: 'Chromium',
  interop: "other people's XML-RPC clients and servers",
  package: 'the packed package and the npm registry',
  runtimes: 'other runtimes and bundlers: Node 22 and 26, Bun, Deno, workerd, esbuild, Rollup, Vite',
}

const root = new URL('../', import.meta.url)
const patterns = process.argv.slice(2)
const all = globSync(['test/**/*.test.ts', 'examples/*/tests/**/test_*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).sort()
const isLeftOut = (file: string) => Object.keys(needsMore).some((name) => file.startsWith(`test/${name}/`))
const files = all.filter((file) =>
  patterns.length === 0 ? !isLeftOut(file) : patterns.some((pattern) => file.includes(pattern)),
)

const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=propylon-source',
    '--test',
    '--test-timeout=300000',
    // Much of what tests do is waiting.
    `--test-concurrency=${availableParallelism() + 1}`,
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
  },
)

if (patterns.length === 0) {
  console.log('\nLeft out here, run by .ci/run:')
  for (const [name, need] of Object.entries(needsMore)) {
    const count = all.filter((file) => file.startsWith(`test/${name}/`)).length
    if (count > 0) console.log(`  test/${name} (${count} files): needs ${need}`)
  }
  if (process.env.PROPYLON_TEST_POSTGRES === undefined) {
    console.log('  the examples and sessions on PostgreSQL: set PROPYLON_TEST_POSTGRES=postgres://…')
  }
  if (process.env.PROPYLON_TEST_REDIS === undefined) {
    console.log('  the wiki and sessions in Redis: set PROPYLON_TEST_REDIS=redis://…')
  }
}
process.exit(status ?? 1)
