/**
 * Runs test files in a few processes that share the work.
 *
 * A process imports one test file after the other, so that the modules of the framework are loaded once for many
 * files. The claims of files are folders, which only one process can create.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './files.ts'
import type { Work } from './worker.ts'

const REPORTER = new URL('reporter.ts', import.meta.url).href

/** Time that one process may take for all its files, in milliseconds. */
const WORKER_TIMEOUT = 3_600_000

/** Default of the time that the tests of one file may take, in milliseconds. */
const FILE_TIMEOUT = 1_200_000

/**
 * Time beyond the limit of a file after which its process is ended, because its event loop is blocked. In
 * milliseconds.
 */
const BLOCKED_TIMEOUT = 60_000

/**
 * Runs test files, and prints the results.
 *
 * @param files paths from the root of the checkout, or absolute ones.
 * @param options options of `node --test`. The reporter is `reporter.ts` by default.
 * @param timeout time that the tests of one file may take, in milliseconds.
 * @returns the exit status.
 */
export async function runFiles(
  files: readonly string[],
  options: readonly string[] = [],
  timeout: number = FILE_TIMEOUT,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-tests-'))
  try {
    const work: Work = { files, timeout }
    writeFileSync(join(folder, 'work.json'), JSON.stringify(work))
    // Much of what tests do is waiting.
    const count = Math.min(files.length, availableParallelism() + 1)
    const workers = Array.from({ length: count }, (_, i) => join(folder, `worker-${i + 1}.mjs`))
    const module = JSON.stringify(new URL('worker.ts', import.meta.url).href)
    for (const worker of workers) {
      writeFileSync(worker, `import { runClaimed } from ${module}\nawait runClaimed(import.meta.dirname)\n`)
    }
    const status = await runWorkers(workers, options, folder, timeout)
    const ends = [...unfinished(folder).values()]
    for (const file of ends) console.error(`\n✖ ${file}: the process ended during this file`)
    const missing = files.filter((_, i) => !names(folder).has(`claim-${i}`))
    if (missing.length > 0) console.error(`\n✖ not run, because no process was left:\n  ${missing.join('\n  ')}`)
    return status === 0 && (ends.length > 0 || missing.length > 0) ? 1 : status
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runWorkers(
  workers: readonly string[],
  options: readonly string[],
  folder: string,
  timeout: number,
): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=propylon-source',
      '--test',
      `--test-timeout=${WORKER_TIMEOUT}`,
      `--test-concurrency=${workers.length}`,
      ...(options.some((option) => option.startsWith('--test-reporter=')) ? [] : [`--test-reporter=${REPORTER}`]),
      ...options,
      ...workers,
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      // Types are stripped once for all processes of all runs. The cache compares the sources.
      env: {
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tests'),
        ...process.env,
        // A test of this runner runs within another run.
        NODE_TEST_CONTEXT: undefined,
      },
    },
  )
  const watch = setInterval(() => endBlocked(folder, timeout + BLOCKED_TIMEOUT), 5000)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (status) => resolve(status ?? 1))
    })
  } finally {
    clearInterval(watch)
  }
}

const names = (folder: string) => new Set(readdirSync(folder))

/** Returns the files that processes have begun and not completed, by the process id. */
function unfinished(folder: string): Map<number, string> {
  const files = new Map<number, string>()
  for (const name of names(folder)) {
    if (!name.startsWith('running-')) continue
    const file = textIn(join(folder, name))
    if (file !== undefined) files.set(Number(name.slice('running-'.length)), file)
  }
  return files
}

/** Returns the text of a file. Undefined if its process has removed it since it was listed. */
function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Ends the processes whose current file takes longer than its time limit, which they would have noticed themselves. */
function endBlocked(folder: string, timeout: number): void {
  for (const [pid, file] of unfinished(folder)) {
    const since = statSync(join(folder, `running-${pid}`), { throwIfNoEntry: false })?.mtimeMs
    if (since === undefined || Date.now() - since < timeout) continue
    console.error(`\n✖ ${file}: blocks its process for ${timeout / 1000} s`)
    endProcess(pid)
  }
}

/** Ends a process, unless it has ended by itself. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
