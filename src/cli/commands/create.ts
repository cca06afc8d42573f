import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { isRecord } from '../../wsgi/record.ts'
import { argument, type Command } from '../command.ts'
import { quoted, UsageError } from '../errors.ts'
import { checkNewFiles, type NewFile, writeFiles } from '../files.ts'
import { projectTemplate } from '../templates.ts'
import { print, styled } from '../terminal.ts'

/** devDependencies of a new project, in the versions of this package. */
const DEVELOPMENT = ['@types/node', 'css-select', 'node', 'parse5', 'tough-cookie', 'typescript'] as const

/** `propylon create DIR` */
export const create: Command = {
  name: 'create',
  summary: 'Create a project in a new or empty folder',
  arguments: [{ name: 'DIR', summary: 'The folder, created if necessary; . for the current one' }],
  options: {
    propylon: {
      type: 'string',
      value: 'SPEC',
      summary: 'The propylon to depend on: a version, range or tarball, as for npm',
    },
    'dry-run': { type: 'boolean', short: 'n', summary: 'List the files without writing them' },
  },
  examples: ['propylon create my-site'],
  run(parsed, context) {
    const typed = argument(parsed, 0)
    checkFolderName(typed)
    const folder = resolve(context.cwd, typed)
    checkEmpty(folder, typed)
    const files = projectFiles(packageName(folder), parsed.value('propylon'))
    const dryRun = parsed.flag('dry-run')
    if (!dryRun) writeInto(folder, files)
    const done = styled('green', dryRun ? 'would create' : 'created')
    print(context, ...files.map(({ path }) => [done, ` ${path}`]), '', 'Next:')
    const way = relative(context.cwd, folder)
    if (way !== '') print(context, `  cd ${/^[\w./-]+$/.test(way) ? way : `"${way}"`}`)
    print(context, '  npm install', '  npm test', '  npm run dev')
    return 0
  },
}

function checkFolderName(typed: string): void {
  if (typed.trim() === '')
    throw new UsageError('the folder has no name', "write one like 'propylon create my-site'")
  if (/\p{Cc}/u.test(typed))
    throw new UsageError(`the folder ${quoted(typed)} contains a control character`, 'choose another name')
}

function checkEmpty(folder: string, typed: string): void {
  const stats = statsAt(folder)
  if (stats === undefined) return
  if (stats.isSymbolicLink())
    throw new UsageError(`${quoted(typed)} is a symbolic link to a missing file`, 'choose another folder')
  if (!stats.isDirectory()) throw new UsageError(`${quoted(typed)} is a file`, 'choose another name')
  if (readdirSync(folder).length > 0) {
    throw new UsageError(`the folder ${quoted(typed)} is not empty`, 'choose a new or an empty one')
  }
}

/** Returns the stats of a path, or of a link without a target; undefined if the path does not exist. */
function statsAt(path: string): Stats | undefined {
  const look = { throwIfNoEntry: false } as const
  try {
    return statSync(path, look) ?? lstatSync(path, look)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), 'choose another folder')
  }
}

/** Writes files into a folder. Creates the folder if necessary, and removes it again if writing fails. */
function writeInto(folder: string, files: readonly NewFile[]): void {
  let first: string | undefined
  try {
    first = mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), 'choose another folder')
  }
  try {
    checkNewFiles(folder, files)
    writeFiles(folder, files)
  } catch (error) {
    if (first !== undefined) {
      for (let made = folder; made.startsWith(first); made = dirname(made)) rmdirSync(made)
    }
    throw error
  }
}

function projectFiles(name: string, propylon: string | undefined): NewFile[] {
  const own = ownPackage()
  const development = DEVELOPMENT.map((dependency) => {
    const version = own.devDependencies[dependency]
    if (version === undefined) throw new Error(`package.json has no devDependency ${dependency}`)
    return [dependency, version]
  })
  const described = projectTemplate().map(({ path, text }) => {
    const named = text.replaceAll('project-name', name)
    if (path !== 'package.json') return { path, text: named }
    const description = {
      ...JSON.parse(named),
      dependencies: { propylon: propylon ?? `^${own.version}` },
      devDependencies: Object.fromEntries(development),
      allowScripts: { node: true },
    }
    return { path, text: `${JSON.stringify(description, null, 2)}\n` }
  })
  return [...described, ownSettings()]
}

/** Returns the settings of the machine that creates the project, with a secret. Others copy `.env.example`. */
function ownSettings(): NewFile {
  const secret = randomBytes(32).toString('base64')
  const text = `# Settings of this machine. See .env.example.\nSECRET=${secret}\n`
  return { path: '.env', text, mode: 0o600 }
}

/** Returns a valid package name for a folder: `Möbel & Söhne` → `mobel-sohne`. */
export function packageName(folder: string): string {
  const name = basename(folder)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
  return ['', 'propylon', 'node_modules', 'favicon-ico'].includes(name) ? 'my-site' : name
}

/** Reads version and devDependencies of this package. */
export function ownPackage(): { version: string; devDependencies: Readonly<Record<string, string>> } {
  const own: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  if (!isRecord(own) || typeof own.version !== 'string') throw new Error('package.json has no version')
  return { version: own.version, devDependencies: strings(own.devDependencies) }
}

function strings(value: unknown): Record<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
