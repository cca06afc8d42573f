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
import { run } from '../../../src/tools/cli/run.ts'

/** The root of this package. */
export const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))

const MAIN = join(PACKAGE, 'src/tools/cli/main.ts')

/** Result of a command. */
export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Working directory, environment and input of a command. */
export interface Running {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
  /** Redirection of a shell, for instance `2>/dev/full`. */
  readonly redirection?: string
}

/** Starts a command from its sources in a new process. */
export function start(words: readonly string[], { cwd, env = {}, redirection = '' }: Running) {
  const command = [process.execPath, '--conditions=propylon-source', MAIN, ...words]
  const [program = '', ...rest] =
    redirection === '' ? command : ['sh', '-c', `exec "$@" ${redirection}`, 'sh', ...command]
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, NO_COLOR: undefined, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

/** Runs a command in a new process. */
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
  child.stdin.on('error', () => undefined) // A command that reads no input may end before it is written.
  child.stdin.end(running.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
}

/** Runs a command in this process, which is faster for tables of refused commands. */
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

/** Creates a folder with a blank and non-ASCII letters in its name. It is removed at exit. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon Größe ')))
  temporary.push(folder)
  return folder
}

/** Writes files below a folder, given by path. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Returns the paths of all files below a folder, without installed packages. */
export function tree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('node_modules'))
    .sort()
}

/** Returns all files below a folder with their texts. */
export function contents(folder: string): Record<string, string> {
  return Object.fromEntries(tree(folder).map((path) => [path, textOf(join(folder, path))]))
}

function textOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile()
    ? readFileSync(path, 'utf8')
    : `→ ${readlinkSync(path)}`
}

/** Creates a minimal project. */
export function bareProject(): string {
  const folder = temporaryFolder()
  writeTree(folder, { 'package.json': '{ "type": "module" }\n' })
  mkdirSync(join(folder, 'controllers'))
  return folder
}

/** Creates a project by `propylon create` with some options, and links this package into it. */
export async function createdProject(...options: string[]): Promise<string> {
  const folder = join(temporaryFolder(), 'my site')
  const outcome = await propylon(['create', folder, ...options], { cwd: dirname(folder) })
  if (outcome.status !== 0) throw new Error(outcome.stderr)
  install(folder)
  return folder
}

/** Links this package and its development dependencies into a project's node_modules. */
export function install(project: string): void {
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true })
  mkdirSync(join(project, 'node_modules', '@valibot'), { recursive: true })
  symlinkSync(PACKAGE, join(project, 'node_modules', 'propylon'), 'dir')
  for (const name of [
    '@types/node',
    'css-select',
    'entities',
    'parse5',
    'tough-cookie',
    'undici-types',
    'kysely',
    'pg',
    '@types/pg',
    'valibot',
    '@valibot/to-json-schema',
  ]) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(project, 'node_modules', name), 'dir')
  }
}
