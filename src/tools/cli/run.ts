/**
 * Runs a command from the words of a command line.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Command, Context, ParsedArguments } from '../../base/command-line/command.ts'
import { didYouMean, quoted, report, UsageError } from '../../base/command-line/command-errors.ts'
import { ownTerminal, print, type Terminal } from '../../base/command-line/terminal.ts'
import { nearest } from '../../base/suggest.ts'
import { parse } from './arguments.ts'
import { check } from './commands/check.ts'
import { client } from './commands/client.ts'
import { controller } from './commands/controller.ts'
import { create } from './commands/create.ts'
import { migrate } from './commands/migrate.ts'
import { openapi } from './commands/openapi.ts'
import { restcontroller } from './commands/restcontroller.ts'
import { routes } from './commands/routes.ts'
import { run as runModule } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { shell } from './commands/shell.ts'
import { xmlrpc } from './commands/xmlrpc.ts'
import { informationOf, programHelp } from './help.ts'
import { findProject, folderAbove } from './project.ts'
import { ownPackage } from './project-files.ts'

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
  xmlrpc,
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
  const kind = typed.startsWith('-') ? 'option' : 'command'
  const guess = nearest(typed, [...names, '--help', '--version'])
  const fix = didYouMean(guess, `available commands: ${names.join(', ')}`, 'propylon ')
  return new UsageError(`propylon has no ${kind} ${quoted(typed)}`, fix)
}

/** Returns the project's Node for a command that imports TypeScript files, if the running Node cannot. */
function otherNode(command: Command, parsed: ParsedArguments, { cwd }: Context): string | undefined {
  if (command.importsProject === undefined || process.features.typescript) return undefined
  if (command.importsProject === 'without arguments' && parsed.arguments.length > 0) return undefined
  const node = projectsNode(findProject(cwd).root)
  if (node !== undefined || command.importsProject === 'where possible') return node
  throw new UsageError(
    `Node ${process.versions.node} does not run the project's TypeScript files`,
    "use Node 22.18 or newer, or add one to the project with 'npm install --save-dev node@24'",
  )
}

/** Returns the path of the Node in the nearest `node_modules` of a folder, or undefined if it is the running one. */
function projectsNode(root: string): string | undefined {
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const nodeIn = (folder: string) => join(folder, 'node_modules', 'node', 'bin', program)
  const folder = folderAbove(root, (each) => existsSync(nodeIn(each)))
  return folder === undefined || nodeIn(folder) === process.execPath ? undefined : nodeIn(folder)
}

/**
 * Runs the same command line in another Node. Forwards SIGTERM and SIGHUP. A terminal sends SIGINT to both processes.
 *
 * @returns the exit status.
 */
async function runInNode(node: string): Promise<number> {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => undefined)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
