/**
 * `propylon migrate`: runs and creates migrations of the database.
 *
 * @module
 */

import { parse } from 'node:path'
import type { MigrationInfo, MigrationResult, MigrationResultSet, Migrator } from 'kysely/migration'
import { isUnavailable } from '../../../app/unavailable.ts'
import type { Command, Context, ParsedArguments } from '../../../base/command-line/command.ts'
import { CommandError, didYouMean, quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { Progress } from '../../../base/command-line/progress.ts'
import { columns, print, styled } from '../../../base/command-line/terminal.ts'
import { isRecord } from '../../../base/record.ts'
import { applicationFirst } from '../../../base/stack.ts'
import { nearest } from '../../../base/suggest.ts'
import { errorMessage, isInstance, memberOf } from '../../../base/thrown.ts'
import { failureLine, loadFailure } from '../../reload/load-failure.ts'
import { projectWithSettings } from '../env-file.ts'
import { migrationFiles, nextStamp } from '../migration-files.ts'
import { findFile, importFile, loadFile, type Project, pathIn } from '../project.ts'
import { carryOut } from '../scaffold.ts'
import { template } from '../templates.ts'

const ACTIONS = ['up', 'down', 'status', 'make'] as const
type Action = (typeof ACTIONS)[number]

/** File that exports a project's `migrator`. */
const MIGRATOR_FILES = ['config/migrator.ts', 'config/migrator.js']

/** `propylon migrate [up | down | status | make NAME]` */
export const migrate: Command = {
  name: 'migrate',
  summary: "Run the migrations of the project's database",
  arguments: [
    {
      name: 'ACTION',
      optional: true,
      summary: 'up (default): run the new ones; down: undo the last one; status: list them; make: create one',
    },
    { name: 'NAME', optional: true, summary: 'With make: name of the migration, such as add_titles' },
  ],
  options: {},
  details: [
    'The files in migrations/ run in the order of their names, in one transaction where the database allows\nthat, and once, also if several processes start at the same time. config/migrator.ts exports the\nMigrator of Kysely that runs them.',
  ],
  examples: ['propylon migrate', 'propylon migrate status', 'propylon migrate make add_titles'],
  importsProject: 'always',
  async run(parsed, context) {
    const action = actionOf(parsed)
    const project = projectWithSettings(context.cwd)
    if (action === 'make') return make(project, parsed.arguments[1], context)
    const migrator = await loadMigrator(project)
    Error.stackTraceLimit = STACK_FRAMES
    if (action === 'status') return status(await stateOf(migrator, project), context)
    const { error, results = [] } = await migrated(migrator, action, context)
    if (error !== undefined) throw await failure(error, results, project)
    if (results.length === 0) print(context, action === 'up' ? 'All migrations have run.' : 'No migration has run.')
    const done = styled('green', action === 'up' ? 'ran' : 'undid')
    for (const { migrationName } of results) print(context, [done, ` ${migrationName}`])
    return 0
  },
}

/** Enough frames for the line of a migration, which is behind the frames of Kysely. */
const STACK_FRAMES = 50

async function migrated(
  migrator: ProjectMigrator,
  action: 'up' | 'down',
  context: Context,
): Promise<MigrationResultSet> {
  using _progress = new Progress(context, action === 'up' ? 'Running the migrations …' : 'Undoing the last migration …')
  return action === 'up' ? await migrator.migrateToLatest() : await migrator.migrateDown()
}

/** The members of Kysely's Migrator that the command uses. The project imports it, so this package need not. */
type ProjectMigrator = Pick<Migrator, 'getMigrations' | 'migrateToLatest' | 'migrateDown'>

function actionOf({ arguments: [typed = 'up', name] }: ParsedArguments): Action {
  const action = ACTIONS.find((known) => known === typed)
  if (action === undefined) {
    const fix = didYouMean(nearest(typed, ACTIONS), `write one of ${ACTIONS.join(', ')}`)
    throw new UsageError(`'propylon migrate' has no action ${quoted(typed)}`, fix)
  }
  if (action !== 'make' && name !== undefined) {
    throw new UsageError(`'propylon migrate ${action}' takes no argument ${quoted(name)}`, 'omit it')
  }
  return action
}

/**
 * @throws UsageError - the project has no migrator.
 * @throws CommandError - the file does not load.
 */
async function loadMigrator(project: Project): Promise<ProjectMigrator> {
  const file = findFile(project, MIGRATOR_FILES)
  if (file === undefined) {
    throw new UsageError(
      'the project has no config/migrator.ts',
      "create a project with one by 'propylon create DIR --database sqlite', and copy its config/ and migrations/",
    )
  }
  const { migrator } = await loadFile(project, file)
  if (isMigrator(migrator)) return migrator
  const fix = 'export one: export const migrator = new Migrator({ db, provider })'
  throw new UsageError(`${file} exports no migrator`, fix)
}

function isMigrator(value: unknown): value is ProjectMigrator {
  return isRecord(value) && typeof value.migrateToLatest === 'function'
}

/** Returns the error to show for a run that failed. The database has undone what the run did before. */
async function failure(error: unknown, results: readonly MigrationResult[], project: Project): Promise<CommandError> {
  const failed = results.find((result) => result.status === 'Error')
  if (failed === undefined) return unusable(error, project)
  const file = migrationFiles(project).find((file) => parse(file).name === failed.migrationName)
  const { place } = loadFailure(error, project.root, () => [])
  const reason = reasonOf(error)
  const line = place === undefined ? `${file}: ${reason}` : failureLine({ reason, place }, project.root)
  // The frame of the migration comes first.
  if (isInstance(error, Error)) error.stack = applicationFirst(error.stack ?? '', error.message, 0)
  return new CommandError(`the migration ${failed.migrationName} failed\n${line}`, { cause: error })
}

async function stateOf(migrator: ProjectMigrator, project: Project): Promise<readonly MigrationInfo[]> {
  try {
    return await migrator.getMigrations()
  } catch (error) {
    throw await unusable(error, project)
  }
}

/**
 * Returns the error for migrations that did not run. If one of their files does not load, it has the file and the
 * line.
 */
async function unusable(error: unknown, project: Project): Promise<CommandError> {
  for (const file of migrationFiles(project)) {
    try {
      await importFile(project, file)
    } catch (thrown) {
      const failure = loadFailure(thrown, project.root, () => [pathIn(project, file)])
      return new CommandError(`the migration ${file} does not load: ${failureLine(failure, project.root)}`)
    }
  }
  return new CommandError(`the migrations cannot run: ${reasonOf(error)}${fixOf(error)}`)
}

/** Returns what to do about an error of the connection, as a sentence, or nothing. */
function fixOf(error: unknown): string {
  const code = memberOf(error, 'code')
  if (code === '3D000') return '. Create it (createdb NAME), or correct DATABASE_URL in .env'
  if (code === '28P01' || code === '28000') return '. Correct the user and the password of DATABASE_URL in .env'
  return isUnavailable(error) ? '. Start the database, or correct DATABASE_URL in .env' : ''
}

/** Returns the message of an error. A refused connection is an AggregateError with an error for each address. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return errorMessage(error)
}

function status(states: readonly MigrationInfo[], context: Context): number {
  if (states.length === 0) print(context, 'The project has no migrations.')
  const rows = states.map(({ name, executedAt }) => [
    executedAt === undefined ? styled('yellow', 'new') : styled('green', executedAt.toISOString()),
    name,
  ])
  print(context, ...columns(rows))
  return 0
}

/** Creates a migration. Its name begins with the time in UTC, so that it runs after the existing ones. */
function make(project: Project, typed: string | undefined, context: Context): number {
  const path = `migrations/${nextStamp(migrationFiles(project))}_${migrationName(typed)}.ts`
  carryOut(project, { created: [{ path, text: template('migration.ts') }], changed: [] }, context, false)
  return 0
}

function migrationName(typed: string | undefined): string {
  if (typed === undefined) {
    const fix = "write one like 'propylon migrate make add_titles'"
    throw new UsageError("'propylon migrate make' takes the name of the migration", fix)
  }
  if (/^[A-Za-z][A-Za-z0-9_-]{0,79}$/.test(typed)) return typed.replaceAll('-', '_')
  throw new UsageError(
    `${quoted(typed)} is not a name for a migration`,
    'begin it with a letter, and use letters, digits, dashes and underscores, at most 80',
  )
}
