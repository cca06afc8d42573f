/**
 * Runs tests and says what it left out.
 *
 *     npm test                          tests without a process, a compiler, a browser or a database server
 *     npm test -- PATTERN…              test files of any kind whose path contains a pattern
 *     npm test -- --all                 all that need nothing but the checkout
 *     npm test -- --rest                those of them that npm test leaves out
 *
 * Prints failed tests and a summary, with `--verbose` each test. Options that begin with `--test-` are passed on to
 * Node.
 */
import { isProcessTest, NEEDS_MORE, needOf, testFiles } from './testing/files.ts'
import { runFiles } from './testing/run.ts'

const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('--test-'))
const [mode, ...others] = words.filter((word) => /^--(?!test-|verbose$)/.test(word))
const patterns = words.filter((word) => !word.startsWith('--'))
if (others.length > 0 || !['--all', '--rest', undefined].includes(mode)) {
  console.error(`${[mode, ...others].join(' ')}: use --all, --rest or --verbose, or parts of paths.`)
  process.exit(2)
}
if (words.includes('--verbose')) options.push('--test-reporter=spec')

const all = testFiles()
const files = chosenFiles()
if (files.length === 0) {
  console.error(`No test file has a path with ${patterns.join(' or ')}.`)
  process.exit(1)
}
const status = await runFiles(files, options)
if (patterns.length === 0) printLeftOut()
process.exit(status)

function chosenFiles(): readonly string[] {
  if (patterns.length > 0) return all.filter((file) => patterns.some((pattern) => file.includes(pattern)))
  const here = all.filter((file) => needOf(file) === undefined)
  return mode === '--all' ? here : here.filter((file) => isProcessTest(file) === (mode === '--rest'))
}

function printLeftOut(): void {
  const left = all.filter((file) => !files.includes(file))
  if (left.length > 0) console.log('\nLeft out here, run by .ci/run:')
  const processes = left.filter((file) => needOf(file) === undefined && isProcessTest(file))
  if (processes.length > 0) {
    console.log(`  *.process.test.ts (${processes.length} files): start processes or compilers: npm test -- --all`)
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
