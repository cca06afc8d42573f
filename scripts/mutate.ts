/**
 * Runs tests against mutants of files and folders of src/ and prints the mutation scores.
 *
 *     node scripts/mutate.ts src/routing
 *     node scripts/mutate.ts src/controllers/lifecycle.ts test/controllers test/app/thrown.test.ts
 *     node scripts/mutate.ts --threshold 85 src/routing
 *     node scripts/mutate.ts --sample 150 src/app
 *
 * Stryker changes the source in one place at a time. A mutant that no test notices has survived: either a test is missing,
 * or the code has no effect. The tests are the named ones, or the tests of the same folders if none is named.
 * `test/mutation/runner.ts` runs them. The report is written to reports/mutation/. If the score of all files together is below
 * `--threshold`, in percent, the script ends with 1. `--sample` changes only about so many lines, in random places.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isProcessTest } from './testing/files.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const tools = join(root, 'test', 'mutation')
const { paths, threshold, sample } = wanted()
const targets = paths.filter((path) => path.startsWith('src/'))
if (
  targets.length === 0 ||
  !paths.every((path) => /^(?:src|test)\//.test(path) && existsSync(join(root, path)))
) {
  fail(`The paths are ${paths.join(' ') || 'missing'}.`)
}

const sources = targets.flatMap((path) => filesIn(path, '.ts'))
const folders = targets.map((path) =>
  join('test', relative('src', path.endsWith('.ts') ? dirname(path) : path)),
)
const named = paths.filter((path) => path.startsWith('test/'))
const tests = named.length > 0 ? named : folders
const testFiles = [...new Set(tests.flatMap((path) => filesIn(path, '.test.ts')))].filter(isFast)
if (testFiles.length === 0) {
  console.error(`There are no fast tests in ${tests.join(' or ')}. Name others.`)
  process.exit(2)
}

run('npm', ['install', '--no-audit', '--no-fund', '--silent'], tools)
const scratch = mkdtempSync(join(tmpdir(), 'propylon-mutation-'))
const config = join(scratch, 'stryker.json')
writeFileSync(
  config,
  JSON.stringify({
    mutate: sample === undefined ? sources : windows(sources, sample),
    testRunner: 'in-process',
    plugins: [join(tools, 'runner.ts')],
    testRunnerNodeArgs: ['--conditions=propylon-source'],
    inProcess: { testFiles, modules: ['src/index.ts', ...sources] },
    coverageAnalysis: 'perTest',
    // The first two only colour the report.
    thresholds: { high: 80, low: 60, break: threshold ?? null },
    concurrency: 1,
    timeoutMS: 10_000,
    // Modules are never unloaded.
    maxTestRunnerReuse: 300,
    ignorePatterns: ['bench', 'docs/site', 'reports', 'test/interop', 'test/runtimes', 'test/browser'],
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    clearTextReporter: { reportTests: false, allowColor: false },
    disableTypeChecks: false,
    warnings: { unknownOptions: false, slow: false },
    // Stryker would rewrite the paths of a tsconfig.json with an API that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    tempDirName: join(scratch, 'sandbox'),
  }),
)
try {
  run(join(tools, 'node_modules', '.bin', 'stryker'), ['run', config], root)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Returns the arguments. */
function wanted(): {
  readonly paths: readonly string[]
  readonly threshold: number | undefined
  readonly sample: number | undefined
} {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { threshold: { type: 'string' }, sample: { type: 'string' } },
    })
    const threshold = numberOf('threshold', values.threshold, 0, 100)
    const sample = numberOf('sample', values.sample, 1, 100_000)
    return { paths: positionals, threshold, sample }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

function numberOf(name: string, text: string | undefined, from: number, to: number): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (text.trim() === '' || !(number >= from && number <= to))
    fail(`The ${name} is ${JSON.stringify(text)}. Write a number from ${from} to ${to}.`)
  return number
}

/** Returns random windows of ten lines in files, as Stryker writes them, with about so many lines of code together. */
function windows(files: readonly string[], lines: number): string[] {
  const all = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8').split('\n')
    return Array.from({ length: Math.ceil(text.length / 10) }, (_, index) => ({
      range: `${file}:${index * 10 + 1}-${Math.min(index * 10 + 10, text.length)}`,
      code: text
        .slice(index * 10, index * 10 + 10)
        .filter((line) => !/^\s*(?:\/?\*|\/\/|import |export (?:type|interface)|$)/.test(line)).length,
    }))
  })
  const chosen: string[] = []
  for (let left = lines; left > 0 && all.length > 0; ) {
    const [window] = all.splice(Math.floor(Math.random() * all.length), 1)
    if (window === undefined || window.code === 0) continue
    chosen.push(window.range)
    left -= window.code
  }
  return chosen
}

function fail(problem: string): never {
  console.error(
    `${problem}\nUsage: node scripts/mutate.ts [--threshold PERCENT] [--sample LINES] PATH…, where the paths are files and folders that exist: those below src/ are changed, those below test/ are run.`,
  )
  process.exit(2)
}

/** Returns a file, or the files of a folder, whose names have an ending. */
function filesIn(path: string, ending: string): string[] {
  if (path.endsWith('.ts')) return path.endsWith(ending) ? [path] : []
  return globSync(`${path}/**/*${ending}`, { cwd: root }).sort()
}

/** Returns false for test files that start processes, which takes too long for thousands of runs. */
function isFast(file: string): boolean {
  return !isProcessTest(file)
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`)
}
