/** Runs the command line as users do: in processes of its own, and in created projects. */
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Outcome, PACKAGE, propylonHere, temporaryFolder } from './command-line.ts'

const MAIN = join(PACKAGE, 'src/tools/cli/main.ts')

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

/** Creates a project by `propylon create` with some options, and links this package into it. */
export async function createdProject(...options: string[]): Promise<string> {
  const folder = join(temporaryFolder(), 'my site')
  const outcome = await propylonHere(['create', folder, ...options], dirname(folder))
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
    'ioredis',
    'valibot',
    '@valibot/to-json-schema',
    'typescript',
    'oxlint',
    'swagger-ui-dist',
    'oxlint-tsgolint',
  ]) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(project, 'node_modules', name), 'dir')
  }
  mkdirSync(join(project, 'node_modules', '.bin'))
  for (const [name, path] of [
    ['oxlint', 'oxlint/bin/oxlint'],
    ['propylon', 'propylon/dist/cli/main.js'],
    ['tsgolint', 'oxlint-tsgolint/bin/tsgolint.js'],
  ] as const) {
    symlinkSync(join('..', path), join(project, 'node_modules', '.bin', name))
  }
}
