/**
 * Runs a command from the words of a command line.
 *
 * @module
 */

import type { Command, Context, ParsedArguments } from '../../base/command-line/command.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { ownTerminal, print, type Terminal } from '../../base/command-line/terminal.ts'
import { nearest } from '../../base/suggest.ts'
import { parse } from './arguments.ts'
import { check } from './commands/check.ts'
import { client } from './commands/client.ts'
import { controller } from './commands/controller.ts'
import { create } from './commands/create.ts'
import { deploy } from './commands/deploy.ts'
import { docs } from './commands/docs.ts'
import { migrate } from './commands/migrate.ts'
import { openapi } from './commands/openapi.ts'
import { restcontroller } from './commands/restcontroller.ts'
import { routes } from './commands/routes.ts'
import { rpc, xmlrpc } from './commands/rpc.ts'
import { run as runModule } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { shell } from './commands/shell.ts'
import { upgrade } from './commands/upgrade.ts'
import { informationOf, programHelp } from './help.ts'
import { findProject } from './project.ts'
import { ownPackage } from './project-files.ts'
import { report } from './report.ts'
import { projectsNode, runInNode, runsTypeScript } from './runtime.ts'

const COMMANDS: readonly Command[] = [
  create,
  controller,
  restcontroller,
  migrate,
  routes,
  check,
  client,
  openapi,
  serve,
  runModule,
  shell,
  rpc,
  xmlrpc,
  deploy,
  upgrade,
  docs,
]

/**
 * Runs the command line.
 *
 * @param words - the arguments after `propylon`.
 * @param terminal - default: the streams of the process.
 * @returns the exit status: 0 for success, 1 for an error, 2 for wrong usage, in which case nothing was done.
 */
export async function run(words: readonly string[], terminal: Terminal = ownTerminal()): Promise<number> {
  try {
    const context = { ...terminal, version: ownPackage().version }
    return await dispatch(words, context)
  } catch (error) {
    return report(error, terminal)
  }
}

async function dispatch(words: readonly string[], context: Context): Promise<number> {
  const [first = '--help', ...rest] = words[0] === 'help' ? [words[1] ?? '--help', '--help'] : words
  if (first === '--version' || first === '-v') {
    print(context, context.version)
    return 0
  }
  if (first === '--help' || first === '-h') {
    print(context, ...programHelp(COMMANDS, context.version))
    return 0
  }
  const command = COMMANDS.find(({ name }) => name === first)
  if (command === undefined) throw unknownCommand(first)
  const information = informationOf(command, rest, context.version)
  if (information !== undefined) {
    print(context, ...information)
    return 0
  }
  const parsed = parse(command, rest)
  const node = otherNode(command, parsed, context)
  return node === undefined ? await command.run(parsed, context) : await runInNode(node)
}

function unknownCommand(typed: string): UsageError {
  const names = COMMANDS.map(({ name }) => name)
  if (typed.startsWith('-')) {
    const guess = nearest(typed.replace(/^-+/, ''), ['help', 'version'])
    return new UsageError(
      `propylon has no option ${quoted(typed)}`,
      guess === undefined ? "see 'propylon --help'" : `did you mean '--${guess}'?`,
    )
  }
  const guess = nearest(typed, names)
  return new UsageError(
    `propylon has no command ${quoted(typed)}`,
    guess === undefined ? `available commands: ${names.join(', ')}` : `did you mean 'propylon ${guess}'?`,
  )
}

/** Returns the project's Node for a command that imports TypeScript files, if the running Node cannot. */
function otherNode(command: Command, parsed: ParsedArguments, { cwd }: Context): string | undefined {
  if (command.importsProject === undefined || runsTypeScript()) return undefined
  if (command.importsProject === 'without arguments' && parsed.arguments.length > 0) return undefined
  const node = projectsNode(findProject(cwd).root)
  if (node !== undefined || command.importsProject === 'where possible') return node
  throw new UsageError(
    `Node ${process.versions.node} does not run the project's TypeScript files`,
    "use Node 22.18 or newer, or add one to the project with 'npm install --save-dev node@24'",
  )
}
