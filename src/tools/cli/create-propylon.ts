/**
 * `npm create propylon`: prompts for the parts of a new project and creates it.
 *
 * @module
 */

import { createInterface, type Interface } from 'node:readline'
import type { Command, Context, ParsedArguments } from '../../base/command-line/command.ts'
import { CommandError, report, UsageError } from '../../base/command-line/command-errors.ts'
import { complain, ownTerminal, print, type Terminal } from '../../base/command-line/terminal.ts'
import { parse } from './arguments.ts'
import { choicesOf, create, createProject, databaseNamed, newFolder } from './commands/create.ts'
import { informationOf } from './help.ts'
import { ownPackage, type Parts } from './project-files.ts'

const DEFAULT_FOLDER = 'my-site'

/** `npm create propylon [DIR]`: `propylon create`, with prompts for what the words leave open. */
const command: Command = {
  ...create,
  typed: { program: 'npm create propylon', options: '[-- options]' },
  arguments: create.arguments.map((spec) => ({ ...spec, optional: true })),
  details: [
    'In a terminal it asks for the folder unless DIR is given, and for the database, the login and the example unless\n--database, --login, --worker or --example is given.',
  ],
  examples: [
    'npm create propylon@latest',
    'npm create propylon@latest my-site -- --example',
    'npm create propylon@latest my-site -- --database sqlite --login',
  ],
  async run(parsed, context) {
    const dryRun = parsed.flag('dry-run')
    const typed = parsed.arguments[0]
    const isTerminal = context.stdin.isTTY === true && context.stdout.isTTY === true
    if (typed === undefined && !isTerminal) {
      throw new UsageError('the project has no folder', `write 'npm create propylon ${DEFAULT_FOLDER}'`)
    }
    const given = choicesOf(parsed)
    if (typed !== undefined) newFolder(typed, context) // Refuses a wrong folder before any question.
    const { folder, parts } = isTerminal
      ? await answers(typed, given, parsed, context)
      : { folder: typed ?? DEFAULT_FOLDER, parts: given }
    return createProject(folder, { ...parts, dryRun }, context)
  },
}

/** Asks for the folder, unless one was typed, and for the parts, unless options name them. */
async function answers(
  typed: string | undefined,
  given: Parts,
  parsed: ParsedArguments,
  context: Context,
): Promise<{ readonly folder: string; readonly parts: Parts }> {
  using questions = new Questions(context)
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
    database !== undefined &&
    (await questions.ask('Users who register and sign in: yes or no (no):', yesOrNo))
  const example = await questions.ask('An example, the resource notes: yes or no (no):', yesOrNo)
  return { folder, parts: { ...given, database, login, example } }
}

/** Asks questions in a terminal. */
class Questions implements Disposable {
  readonly #terminal: Terminal
  readonly #interface: Interface
  /** Buffers lines that arrive before their question, as pasted ones do. */
  readonly #lines: AsyncIterator<string>
  /** Whether the input has ended. Lines may be buffered still. */
  #isClosed = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#interface = createInterface({ input: terminal.stdin, output: terminal.stdout })
    this.#interface.once('close', () => {
      this.#isClosed = true
    })
    this.#lines = this.#interface[Symbol.asyncIterator]()
  }

  /**
   * Asks until the answer is accepted.
   *
   * @param read - returns the value of an answer, or throws a UsageError, which is printed.
   * @throws CommandError - the user pressed Ctrl+C, or the input ended.
   */
  async ask<Value>(question: string, read: (answer: string) => Value): Promise<Value> {
    for (;;) {
      this.#show(question)
      const line = await this.#lines.next()
      if (line.done) {
        print(this.#terminal, '') // Ends the line of the question.
        throw new CommandError('cancelled: nothing was created')
      }
      try {
        return read(line.value.trim())
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        complain(this.#terminal, error.message)
      }
    }
  }

  #show(question: string): void {
    if (this.#isClosed) {
      print(this.#terminal, question)
    } else {
      this.#interface.setPrompt(`${question} `)
      this.#interface.prompt()
    }
  }

  [Symbol.dispose](): void {
    this.#interface.close()
  }
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
  throw new UsageError(
    `npm has taken --${taken} for an option of its own`,
    `write '--' before the options: npm create propylon@latest ${DEFAULT_FOLDER} -- --${taken}`,
  )
}

function yesOrNo(answer: string): boolean {
  const word = answer.toLowerCase()
  if (['y', 'yes'].includes(word)) return true
  if (['', 'n', 'no'].includes(word)) return false
  throw new UsageError('this is neither yes nor no', "write 'yes' or 'no'")
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
export async function createPropylon(
  words: readonly string[],
  terminal: Terminal = ownTerminal(),
): Promise<number> {
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
