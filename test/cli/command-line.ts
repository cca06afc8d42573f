import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/cli/run.ts'

/** The root of this package. */
export const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

const MAIN = join(PACKAGE, 'src/cli/main.ts')

/** What a run of the command line came to. */
export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where and how to run. */
export interface Running {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
}

/** Starts the command line from its sources in a process of its own. */
export function start(words: readonly string[], { cwd, env = {} }: Running) {
  const child = spawn(process.execPath, ['--conditions=propylon-source', MAIN, ...words], {
    cwd,
    env: { ...process.env, NO_COLOR: undefined, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

/** Runs the command line to its end. */
export async function propylon(words: readonly string[], running: Running): Promise<Outcome> {
  const child = start(words, running)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text: string) => {
    stdout += text
  })
  child.stderr.on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // A command that reads nothing may be gone before the input is written.
  child.stdin.end(running.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
}

/** Runs the command line in this process: for tables of what it refuses before it does anything. */
export async function propylonHere(words: readonly string[], cwd: string): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        written[name] += text
        done()
      },
    })
  const stdin = Readable.from([])
  const status = await run(words, { cwd, env: {}, stdin, stdout: stream('stdout'), stderr: stream('stderr') })
  return { status, ...written }
}

const temporary: string[] = []
process.once('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
})

/** A folder of its own with a blank and letters beyond ASCII in its name, removed at the end. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon Größe ')))
  temporary.push(folder)
  return folder
}

/** Writes files, given by their paths, below a folder. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The paths of all files below a folder, without installed packages. */
export function tree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('node_modules'))
    .sort()
}

/** Everything below a folder with its text, to see that nothing has changed. */
export function contents(folder: string): Record<string, string> {
  return Object.fromEntries(tree(folder).map((path) => [path, textOf(join(folder, path))]))
}

function textOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile()
    ? readFileSync(path, 'utf8')
    : `→ ${readlinkSync(path)}`
}

/** A project with nothing in it but what makes it one. */
export function bareProject(): string {
  const folder = temporaryFolder()
  writeTree(folder, { 'package.json': '{ "type": "module" }\n' })
  mkdirSync(join(folder, 'controllers'))
  return folder
}

/** A project as `propylon create` makes it, with this package in place of the installed one. */
export async function createdProject(): Promise<string> {
  const folder = join(temporaryFolder(), 'my site')
  const outcome = await propylon(['create', folder], { cwd: dirname(folder) })
  if (outcome.status !== 0) throw new Error(outcome.stderr)
  install(folder)
  return folder
}

/** Links this package and its development dependencies into a project's node_modules. */
export function install(project: string): void {
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true })
  symlinkSync(PACKAGE, join(project, 'node_modules', 'propylon'), 'dir')
  for (const name of ['@types/node', 'css-select', 'entities', 'parse5', 'tough-cookie', 'undici-types']) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(project, 'node_modules', name), 'dir')
  }
}
