/**
 * `propylon create`: creates a project.
 *
 * @module
 */

import { lstatSync, readdirSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import {
  argument,
  type Command,
  type Context,
  type ParsedArguments,
} from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print, styled } from '../../../base/command-line/terminal.ts'
import { errorMessage, memberOf } from '../../../base/thrown.ts'
import { writeFiles } from '../files.ts'
import { choiceOf } from '../option-values.ts'
import { type DatabaseName, type Parts, projectFiles } from '../project-files.ts'

/** `propylon create DIR` */
export const create: Command = {
  name: 'create',
  summary: 'Create a project in a new or empty folder',
  arguments: [{ name: 'DIR', summary: 'The folder, created if necessary; . for the current one' }],
  options: {
    propylon: {
      value: 'SPEC',
      summary: 'The propylon to depend on: a version, range or tarball, as for npm',
    },
    database: {
      value: 'NAME',
      summary: 'Add Kysely, migrations and sessions: sqlite, postgres, or both (default: none)',
    },
    sessions: {
      value: 'NAME',
      summary: 'Keep sessions in Redis: redis (default: the database, or a cookie)',
    },
    login: { summary: 'Add users who register and sign in (with sqlite unless --database says otherwise)' },
    worker: { summary: 'Add background work and a worker (with sqlite unless --database says otherwise)' },
    example: { summary: 'Add an example: the resource notes, with pages, JSON and a test, in memory' },
    'dry-run': { short: 'n', summary: 'List the files without writing them' },
  },
  examples: [
    'propylon create my-site',
    'propylon create my-site --example',
    'propylon create my-site --database postgres --login --worker',
    'propylon create my-site --database sqlite --database postgres',
    'propylon create my-site --sessions redis',
  ],
  run: (parsed, context) =>
    createProject(argument(parsed, 0), { ...choicesOf(parsed), dryRun: parsed.flag('dry-run') }, context),
}

/**
 * Returns the parts that options name. Parts that need a database bring SQLite unless the options name another one.
 *
 * @throws UsageError - the database or the store of sessions is unknown, or a part needs a database and there is none.
 */
export function choicesOf(parsed: ParsedArguments): Parts {
  const login = parsed.flag('login')
  const worker = parsed.flag('worker')
  const names = parsed.values('database')
  const needing = login ? '--login' : worker ? '--worker' : undefined
  if (needing !== undefined && names.includes('none'))
    throw new UsageError(`${needing} needs a database`, "omit '--database none'")
  const database = names.length > 0 ? databaseNamed(...names) : needing === undefined ? undefined : 'sqlite'
  return {
    propylon: parsed.value('propylon'),
    database,
    sessions: choiceOf(parsed, 'sessions', ['redis']),
    login,
    worker,
    example: parsed.flag('example'),
  }
}

/**
 * Creates a project and prints the next steps.
 *
 * @param typed - the folder, as typed, relative to the working directory.
 * @returns the exit status, 0.
 * @throws UsageError - the folder cannot be used. Nothing was written.
 */
export function createProject(
  typed: string,
  { dryRun, ...parts }: Parts & { readonly dryRun: boolean },
  context: Context,
): number {
  const folder = newFolder(typed, context)
  const files = projectFiles(packageName(folder), parts)
  if (!dryRun) writeFiles(folder, files)
  const done = styled('green', dryRun ? 'would create' : 'created')
  print(context, ...files.map(({ path }) => [done, ` ${path}`]), '', 'Next:')
  const way = relative(context.cwd, folder)
  if (way !== '') print(context, `  cd ${/^[\w./-]+$/.test(way) ? way : `"${way}"`}`)
  const migrate = parts.database === undefined ? [] : ['  npx propylon migrate']
  if (parts.database === 'postgres') print(context, '  # Set DATABASE_URL in .env to your database.')
  if (parts.sessions === 'redis') print(context, '  # Set REDIS_URL in .env to your Redis.')
  print(context, '  npm install', ...migrate, '  npm test', '  npm run dev')
  return 0
}

/**
 * Returns the absolute path of the folder for a new project.
 *
 * @throws UsageError - the name cannot be a folder's, or the folder is not empty.
 */
export function newFolder(typed: string, { cwd }: Context): string {
  if (typed.trim() === '')
    throw new UsageError('the folder has no name', "write one like 'propylon create my-site'")
  if (/\p{Cc}/u.test(typed))
    throw new UsageError(`the folder ${quoted(typed)} contains a control character`, 'choose another name')
  const folder = resolve(cwd, typed)
  checkEmpty(folder, typed)
  return folder
}

/**
 * Returns the database of one name or of two.
 *
 * @throws UsageError - no project can be created with them.
 */
export function databaseNamed(...names: readonly string[]): DatabaseName | undefined {
  const wrong = names.find((name) => !['none', 'sqlite', 'postgres'].includes(name))
  if (wrong !== undefined)
    throw new UsageError(`--database is ${quoted(wrong)}`, "write 'sqlite' or 'postgres', or 'none'")
  const chosen = new Set(names)
  if (chosen.has('none') && chosen.size > 1)
    throw new UsageError('--database names one and none', "omit '--database none'")
  if (chosen.has('sqlite') && chosen.has('postgres')) return 'both'
  return chosen.has('sqlite') ? 'sqlite' : chosen.has('postgres') ? 'postgres' : undefined
}

function checkEmpty(folder: string, typed: string): void {
  let entries: readonly string[]
  try {
    entries = readdirSync(folder)
  } catch (error) {
    const code = memberOf(error, 'code')
    const isMissing = code === 'ENOENT'
    if (isMissing && lstatSync(folder, { throwIfNoEntry: false }) === undefined) return
    const problem = isMissing ? 'a symbolic link to a missing file' : 'not a folder'
    throw new UsageError(
      isMissing || code === 'ENOTDIR' ? `${quoted(typed)} is ${problem}` : errorMessage(error),
      'choose another folder',
    )
  }
  if (entries.length > 0) {
    throw new UsageError(`the folder ${quoted(typed)} is not empty`, 'choose a new or an empty one')
  }
}

/** Returns a valid package name for a folder: `Möbel & Söhne` → `mobel-sohne`. */
function packageName(folder: string): string {
  const name = basename(folder)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
  return ['', 'propylon', 'node_modules', 'favicon-ico'].includes(name) ? 'my-site' : name
}
