/**
 * Runs every code block of the documentation, and prints how many ran, were compiled as fragments, and were neither.
 *
 * Usage: npm run docs:test. `npm test -- --all` runs the same tests, but for the pages that are followed from an
 * empty folder, which need the packed package and the npm registry.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { PAGES, pagesIn } from '../test/docs/blocks.ts'
import { commandsOf } from '../test/docs/shell.ts'

const root = new URL('../', import.meta.url)
const { status } = spawnSync(
  process.execPath,
  [
    '--conditions=propylon-source',
    '--test',
    '--test-timeout=600000',
    '--test-reporter=./scripts/testing/reporter.ts',
    ...globSync(['test/docs/*.test.ts', 'test/package/guides.test.ts', 'test/{documentation,readme}*.test.ts'], {
      cwd: root,
    }).sort(),
  ],
  { cwd: root, stdio: 'inherit' },
)

const pages = pagesIn(...PAGES)
const blocks = pages.flatMap((page) => page.blocks)
const ofKind = (kind: string) => blocks.filter((block) => block.kind === kind)
const commands = ofKind('shell').flatMap(({ code }) => commandsOf(code))
const walks = pages.filter(({ isWalk }) => isWalk).map(({ path }) => path)
const recipes = pagesIn('docs/recipes/*.md').flatMap((page) => page.blocks)

console.log(`
${pages.length} pages, ${walks.length} of them followed from an empty folder
ran: ${ofKind('run').length + ofKind('shell').length} (${ofKind('run').length} modules, ${ofKind('shell').length} blocks of ${commands.length} commands)
compiled as fragments: ${ofKind('fragment').length}
neither: ${ofKind('unmarked').length}
other languages (output, templates, configuration): ${ofKind('data').length}
docs/recipes: ${recipes.length} blocks, which test/interop/recipes runs against the real servers`)
process.exit(status ?? 1)
