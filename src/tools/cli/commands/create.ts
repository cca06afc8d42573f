/**
 * `propylon create`: creates a project.
 *
 * @module
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { argument, type Command, type Context, type ParsedArguments } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { complain, print, styled } from '../../../base/command-line/terminal.ts'
import { errorMessage, memberOf } from '../../../base/thrown.ts'
import { writeFiles } from '../files.ts'
import { choiceOf } from '../option-values.ts'
import { type DatabaseName, type Parts, projectFiles } from '../project-files.ts'
import { Questions, yesOrNo } from '../questions.ts'

/** `propylon create DIR` */
export const create: Command = {
  name: 'create',
  summary: 'Create a project in a new or empty folder',
  arguments: [{ name: 'DIR', summary: 'The folder, created if necessary; . for the current one' }],
  options: {
    propylon: { value: 'SPEC', summary: 'The propylon to depend on: a version, range or tarball, as for npm' },
    database: {
      value: 'NAME',
      summary: 'Add Kysely, migrations and sessions: sqlite, postgres, or both (default: none)',
    },
    sessions: { value: 'NAME', summary: 'Keep sessions in Redis: redis (default: the database, or a cookie)' },
    login: { summary: 'Add users who register and sign in (with sqlite unless --database says otherwise)' },
    worker: { summary: 'Add background work and a worker (with sqlite unless --database says otherwise)' },
    example: { summary: 'Add an example: the resource notes, with pages, JSON and a test, in memory' },
    'no-git': { summary: 'Do not offer to make it a git repository' },
    'no-install': { summary: 'Do not offer to install the dependencies' },
    'dry-run': { short: 'n', summary: 'List the files without writing them' },
  },
  examples: [
    'propylon create my-site',
    'propylon create my-site --example',
    'propylon create my-site --database postgres --login --worker',
    'propylon create my-site --database sqlite --database postgres',
    'propylon create my-site --sessions redis',
  ],
  async run(parsed, context) {
    const [typed, parts] = [argument(parsed, 0), choicesOf(parsed)]
    newFolder(typed, context) // Refuses a wrong folder before any question.
    using questions = Questions.in(context)
    return await createProject(typed, parts, parsed, context, questions)
  },
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

/** Package managers, and how they run a command of a package, the tests and a script. */
const MANAGERS = [
  { name: 'npm', command: 'npx', test: 'npm test', script: 'npm run' },
  { name: 'pnpm', command: 'pnpm exec', test: 'pnpm test', script: 'pnpm' },
  { name: 'yarn', command: 'yarn', test: 'yarn test', script: 'yarn' },
  { name: 'bun', command: 'bunx', test: 'bun run test', script: 'bun run' },
] as const

/**
 * Creates a project and prints the next steps. In a terminal it offers to make it a git repository and to install the
 * dependencies.
 *
 * @param typed - the folder, as typed, relative to the working directory.
 * @returns the exit status, 0.
 * @throws UsageError - the folder cannot be used. Nothing was written.
 */
export async function createProject(
  typed: string,
  parts: Parts,
  parsed: ParsedArguments,
  context: Context,
  questions: Questions | undefined,
): Promise<number> {
  const folder = newFolder(typed, context)
  const dryRun = parsed.flag('dry-run')
  // pnpm, yarn and bun call themselves as npm does: pnpm/10.0.0 npm/? node/v24.0.0 linux x64.
  const agent = context.env.npm_config_user_agent ?? ''
  const manager = MANAGERS.find(({ name }) => agent.startsWith(`${name}/`)) ?? MANAGERS[0]
  const asks = (option: string) => questions !== undefined && !dryRun && !parsed.flag(option)
  const question = (text: string) => questions?.ask(`${text}: yes or no (yes):`, yesOrNo(true))
  const hasGit = asks('no-git') && canBeRepository(folder, context) && (await question('A git repository'))
  const installs = asks('no-install') && (await question(`Install the dependencies with ${manager.name}`))
  const files = projectFiles(packageName(folder), parts)
  // Without node_modules programs that read the files of packages, such as the compiler, do not find them.
  if (/^yarn\/(?!1\.)/.test(agent)) files.push({ path: '.yarnrc.yml', text: 'nodeLinker: node-modules\n' })
  // As allowScripts of package.json, which npm reads.
  const builds = "allowBuilds:\n  '@scarf/scarf': false\n  node: true\n"
  if (manager.name === 'pnpm') files.push({ path: 'pnpm-workspace.yaml', text: builds })
  if (!dryRun) writeFiles(folder, files)
  const done = styled('green', dryRun ? 'would create' : 'created')
  print(context, ...files.map(({ path }) => [done, ` ${path}`]))
  if (hasGit) runs('git', ['init', '--quiet'], folder, context)
  const isInstalled = installs && runs(manager.name, ['install'], folder, context)
  print(context, '', 'Next:')
  const way = relative(context.cwd, folder)
  if (way !== '') print(context, `  cd ${/^[\w./-]+$/.test(way) ? way : `"${way}"`}`)
  if (parts.database === 'postgres') print(context, '  # Set DATABASE_URL in .env to your database.')
  if (parts.sessions === 'redis') print(context, '  # Set REDIS_URL in .env to your Redis.')
  if (!isInstalled) print(context, `  ${manager.name} install`)
  if (parts.database !== undefined) print(context, `  ${manager.command} propylon migrate`)
  print(context, `  ${manager.test}`, `  ${manager.script} dev`)
  return 0
}

/** Returns whether git is there, and no repository above the folder of a project. */
function canBeRepository(folder: string, { env }: Context): boolean {
  let cwd = folder
  while (!existsSync(cwd)) cwd = dirname(cwd)
  const { error, status } = spawnSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd, env })
  return error === undefined && status !== 0
}

/** Runs a program in the folder of a new project, with its output. Returns whether it succeeded. */
function runs(program: string, words: readonly string[], cwd: string, context: Context): boolean {
  const shell = process.platform === 'win32' // npm is a script there.
  const { status } = spawnSync(program, words, { cwd, env: context.env, stdio: 'inherit', shell })
  if (status !== 0) complain(context, `'${program} ${words.join(' ')}' failed: run it yourself`)
  return status === 0
}

/**
 * Returns the absolute path of the folder for a new project.
 *
 * @throws UsageError - the name cannot be a folder's, or the folder is not empty.
 */
export function newFolder(typed: string, { cwd }: Context): string {
  if (typed.trim() === '') throw new UsageError('the folder has no name', "write one like 'propylon create my-site'")
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
    if (code === 'ENOENT') return
    const problem = code === 'ENOTDIR' ? `${quoted(typed)} is not a folder` : errorMessage(error)
    throw new UsageError(problem, 'choose another folder')
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
