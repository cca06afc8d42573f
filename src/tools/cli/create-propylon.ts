/**
 * `npm create propylon`: prompts for the parts of a new project and creates it.
 *
 * @module
 */

import type { Command, Context, ParsedArguments } from '../../base/command-line/command.ts'
import { report, UsageError } from '../../base/command-line/command-errors.ts'
import { ownTerminal, print, type Terminal } from '../../base/command-line/terminal.ts'
import { parse } from './arguments.ts'
import { choicesOf, create, createProject, databaseNamed, newFolder } from './commands/create.ts'
import { informationOf } from './help.ts'
import { ownPackage, type Parts } from './project-files.ts'
import { Questions, yesOrNo } from './questions.ts'

const DEFAULT_FOLDER = 'my-site'

/** `npm create propylon [DIR]`: `propylon create`, with prompts for what the words leave open. */
const command: Command = {
  ...create,
  typed: { program: 'npm create propylon', options: '[-- options]' },
  arguments: create.arguments.map((spec) => ({ ...spec, optional: true })),
  details: [
    'In a terminal it asks for the folder unless DIR is given, and for the database, the login and the example unless\n--database, --login, --worker or --example is given. It offers git and the installation unless --no-git and --no-install are given.',
  ],
  examples: [
    'npm create propylon@latest',
    'npm create propylon@latest my-site -- --example',
    'npm create propylon@latest my-site -- --database sqlite --login',
  ],
  async run(parsed, context) {
    const typed = parsed.arguments[0]
    using questions = Questions.in(context)
    if (typed === undefined && questions === undefined) {
      throw new UsageError('the project has no folder', `write 'npm create propylon ${DEFAULT_FOLDER}'`)
    }
    const given = choicesOf(parsed)
    if (typed !== undefined) newFolder(typed, context) // Refuses a wrong folder before any question.
    const { folder, parts } =
      questions === undefined
        ? { folder: typed ?? DEFAULT_FOLDER, parts: given }
        : await answers(typed, given, parsed, context, questions)
    return await createProject(folder, parts, parsed, context, questions)
  },
}

/** Asks for the folder, unless one was typed, and for the parts, unless options name them. */
async function answers(
  typed: string | undefined,
  given: Parts,
  parsed: ParsedArguments,
  context: Context,
  questions: Questions,
): Promise<{ readonly folder: string; readonly parts: Parts }> {
  const folder =
    typed ??
    (await questions.ask(`Folder of the project (${DEFAULT_FOLDER}):`, (answer) => {
      const name = answer || DEFAULT_FOLDER
      newFolder(name, context)
      return name
    }))
  if (given.login || given.worker || given.example || parsed.value('database') !== undefined)
    return { folder, parts: given }
  const database = await questions.ask('Database: none, sqlite, postgres or both (none):', (answer) =>
    answer.toLowerCase() === 'both' ? 'both' : databaseNamed(answer.toLowerCase() || 'none'),
  )
  const login =
    database !== undefined && (await questions.ask('Users who register and sign in: yes or no (no):', yesOrNo(false)))
  const example = await questions.ask('An example, the resource notes: yes or no (no):', yesOrNo(false))
  return { folder, parts: { ...given, database, login, example } }
}

/**
 * Refuses options that npm has taken for its own, because `--` was not written before them. npm sets a variable for
 * each.
 *
 * @throws UsageError - there is such an option.
 */
function checkOptionsOfNpm(env: Terminal['env']): void {
  const taken = Object.keys(command.options).find(
    (option) => env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined,
  )
  if (taken === undefined) return
  const fix = `write '--' before the options: npm create propylon@latest ${DEFAULT_FOLDER} -- --${taken}`
  throw new UsageError(`npm has taken --${taken} for an option of its own`, fix)
}

/**
 * Creates a project, as `npm create propylon` does: like `propylon create`, but prompts in a terminal for the folder,
 * the database and the login that the words do not name. Errors are printed on stderr.
 *
 * @param words - the arguments: an optional folder and the options of `propylon create`.
 * @param terminal - working directory, environment and streams. Default: the streams of the process.
 * @returns the exit status: 0 for success, 1 for an error, 2 for wrong usage, in which case nothing was written.
 * @example
 * ```ts
 * import { createPropylon } from 'propylon/create'
 *
 * process.exitCode = await createPropylon(['my-site', '--database', 'sqlite', '--dry-run'])
 * ```
 */
export async function createPropylon(words: readonly string[], terminal: Terminal = ownTerminal()): Promise<number> {
  try {
    const { version } = ownPackage()
    const information = informationOf(command, words, version)
    if (information !== undefined) {
      print(terminal, ...information)
      return 0
    }
    checkOptionsOfNpm(terminal.env)
    return await command.run(parse(command, words), { ...terminal, version })
  } catch (error) {
    return report(error, terminal)
  }
}

export type { MaybeTerminal, Terminal } from '../../base/command-line/terminal.ts'
