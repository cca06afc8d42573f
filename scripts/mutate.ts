/**
 * Runs the tests of one folder or file of src/ against mutants of it and prints the mutation score.
 *
 *     npm run mutate -- src/routing
 *     npm run mutate -- src/wsgi/response-head.ts
 *
 * Stryker changes the source in one place at a time. A mutant that no test notices has survived: either a test is missing,
 * or the code has no effect. The report is written to reports/mutation/.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const tools = join(root, 'test', 'mutation')
const [target, ...rest] = process.argv.slice(2)
if (target === undefined || rest.length > 0 || !/^src\//.test(target) || !existsSync(join(root, target))) {
  console.error(
    `Usage: npm run mutate -- FOLDER, where FOLDER is a folder or file below src/. Got: ${process.argv.slice(2).join(' ') || 'nothing'}`,
  )
  process.exit(2)
}

const isFolder = statSync(join(root, target)).isDirectory()
const folder = relative('src', isFolder ? target : dirname(target))
// The hostile corpora take too long for thousands of runs, and the TAP parser cannot read the names of their tests.
const tests = globSync(`test/${folder}/**/*.test.ts`, { cwd: root })
  .filter((file) => !file.endsWith('hostile.test.ts'))
  .sort()
if (tests.length === 0) {
  console.error(`There are no tests in test/${folder}.`)
  process.exit(2)
}

run('npm', ['install', '--no-audit', '--no-fund', '--silent'], tools)
const scratch = mkdtempSync(join(tmpdir(), 'propylon-mutation-'))
const config = join(scratch, 'stryker.json')
writeFileSync(
  config,
  JSON.stringify({
    mutate: [isFolder ? `${target.replace(/\/$/, '')}/**/*.ts` : target],
    testRunner: 'tap',
    plugins: [join(tools, 'node_modules/@stryker-mutator/tap-runner/dist/src/index.js')],
    tap: {
      testFiles: tests,
      nodeArgs: [
        '--conditions=propylon-source',
        '--test-reporter=tap',
        // The hook of the runner ends the process on SIGHUP.
        '--test-skip-pattern=SIGHUP',
        // The sandbox has no compiler.
        '--test-skip-pattern=/compile/',
        '--require',
        '{{hookFile}}',
        '{{testFile}}',
      ],
    },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 20_000,
    ignorePatterns: ['bench', 'reports', 'test/interop', 'test/runtimes', 'test/browser'],
    reporters: ['clear-text', 'progress', 'html'],
    disableTypeChecks: false,
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

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}`)
}
