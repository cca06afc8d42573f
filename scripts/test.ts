/**
 * Runs tests and says what it left out.
 *
 *     npm test                          tests without a process, a compiler, a browser or a database server
 *     npm test -- PATTERN…              test files of any kind whose path contains a pattern
 *     npm run test:all                  all that need nothing but the checkout
 *     npm run test:changed [-- BASE]    those of them that a change since BASE can affect, by imports
 *
 * BASE is a commit or a branch: `origin/main`, or `main` if there is none. Options that begin with `--test-` are passed on to
 * Node. `--rest` runs those files of `test:all` that `npm test` leaves out.
 */
import { testFilesOf } from './testing/changed.ts'
import { isProcessTest, NEEDS_MORE, needOf, testFiles } from './testing/files.ts'
import { runFiles } from './testing/run.ts'

const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('--test-'))
const [mode] = words.filter((word) => word.startsWith('--') && !word.startsWith('--test-'))
const patterns = words.filter((word) => !word.startsWith('--'))

const all = testFiles()
const files = chosenFiles()
if (files.length === 0) {
  console.error(
    mode === '--changed'
      ? 'The change can affect no test.'
      : `No test file has a path with ${patterns.join(' or ')}.`,
  )
  process.exit(mode === '--changed' ? 0 : 1)
}
const status = await runFiles(files, options)
if (patterns.length === 0 || mode !== undefined) printLeftOut()
process.exit(status)

function chosenFiles(): readonly string[] {
  const here = all.filter((file) => needOf(file) === undefined)
  switch (mode) {
    case '--all':
      return here
    case '--rest':
      return here.filter(isProcessTest)
    case '--changed':
      return testFilesOf(here, patterns[0])
    case undefined:
      if (patterns.length === 0) return here.filter((file) => !isProcessTest(file))
      return all.filter((file) => patterns.some((pattern) => file.includes(pattern)))
    default:
      console.error(`The option ${mode} is unknown. Use --all, --rest or --changed, or a part of a path.`)
      process.exit(2)
  }
}

function printLeftOut(): void {
  const left = all.filter((file) => !files.includes(file))
  if (left.length > 0) console.log('\nLeft out here, run by .ci/run:')
  const processes = left.filter((file) => needOf(file) === undefined && isProcessTest(file))
  if (processes.length > 0 && mode !== '--changed') {
    console.log(
      `  *.process.test.ts (${processes.length} files): start processes or compilers: npm run test:all`,
    )
  }
  for (const [name, need] of Object.entries(NEEDS_MORE)) {
    const count = left.filter((file) => file.startsWith(`test/${name}/`)).length
    if (count > 0) console.log(`  test/${name} (${count} files): needs ${need}`)
  }
  if (process.env.PROPYLON_TEST_POSTGRES === undefined) {
    console.log('  the examples and sessions on PostgreSQL: set PROPYLON_TEST_POSTGRES=postgres://…')
  }
  if (process.env.PROPYLON_TEST_REDIS === undefined) {
    console.log('  the wiki and sessions in Redis: set PROPYLON_TEST_REDIS=redis://…')
  }
}
