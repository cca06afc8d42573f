import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run } from '../../../src/tools/cli/run.ts'

/** The root of this package. */
export const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))

/** Result of a command. */
export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
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

/** Runs a command as {@link propylonHere} in a terminal of a size, and returns what it shows. */
export async function propylonInTerminal(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  size: { readonly columns: number; readonly rows: number },
): Promise<string> {
  let written = ''
  const stream = () =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        written += text
        done()
      },
    })
  const stdout = Object.assign(stream(), { isTTY: true, ...size })
  const stdin = Readable.from([])
  const status = await run(words, { cwd, env, stdin, stdout, stderr: stream() })
  if (status !== 0) throw new Error(written)
  return written
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
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : `→ ${readlinkSync(path)}`
}

/** Creates a minimal project. */
export function bareProject(): string {
  const folder = temporaryFolder()
  writeTree(folder, { 'package.json': '{ "type": "module" }\n' })
  mkdirSync(join(folder, 'controllers'))
  return folder
}
