import { inspect } from 'node:util'
import { errorText } from '../wsgi/thrown.ts'
import { asksFor, parse } from './arguments.ts'
import type { Command, Surroundings } from './command.ts'
import { controller } from './commands/controller.ts'
import { create, ownPackage } from './commands/create.ts'
import { restcontroller } from './commands/restcontroller.ts'
import { routes } from './commands/routes.ts'
import { serve } from './commands/serve.ts'
import { shell } from './commands/shell.ts'
import { xmlrpc } from './commands/xmlrpc.ts'
import { commandHelp, programHelp } from './help.ts'
import { findProject } from './project.ts'
import { Failure, quoted, Refusal } from './refusal.ts'
import { projectsNode, runInNode, runsTypeScript } from './runtime.ts'
import { nearest } from './suggest.ts'
import { complain, print, styled, type Terminal } from './terminal.ts'

const COMMANDS: readonly Command[] = [create, controller, restcontroller, routes, serve, shell, xmlrpc]

/**
 * Runs the command line.
 *
 * @param words - what was typed after `propylon`.
 * @returns the exit status: 0 done, 1 failed, 2 refused with nothing done.
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const surroundings = { ...terminal, version: ownPackage().version }
    return await dispatch(words, surroundings)
  } catch (error) {
    return report(error, terminal)
  }
}

async function dispatch(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const [first = '--help', ...rest] = words[0] === 'help' ? [words[1] ?? '--help', '--help'] : words
  if (first === '--version' || first === '-v') {
    print(surroundings, surroundings.version)
    return 0
  }
  if (first === '--help' || first === '-h') {
    print(surroundings, ...programHelp(COMMANDS, surroundings.version))
    return 0
  }
  const command = COMMANDS.find(({ name }) => name === first)
  if (command === undefined) throw unknownCommand(first)
  if (asksFor('help', rest)) {
    print(surroundings, ...commandHelp(command))
    return 0
  }
  if (asksFor('version', rest)) {
    print(surroundings, surroundings.version)
    return 0
  }
  const invocation = parse(command, rest)
  const node = otherNode(command, surroundings)
  return node === undefined ? await command.run(invocation, surroundings) : await runInNode(node)
}

function unknownCommand(typed: string): Refusal {
  const names = COMMANDS.map(({ name }) => name)
  if (typed.startsWith('-')) {
    const guess = nearest(typed.replace(/^-+/, ''), ['help', 'version'])
    return new Refusal(
      `propylon has no option ${quoted(typed)}`,
      guess === undefined ? "see 'propylon --help'" : `did you mean '--${guess}'?`,
    )
  }
  const guess = nearest(typed, names)
  return new Refusal(
    `propylon has no command ${quoted(typed)}`,
    guess === undefined ? `it has ${names.join(', ')}` : `did you mean 'propylon ${guess}'?`,
  )
}

/** The Node to run a command in that imports the project's files, where this one cannot: the one that the project has installed. */
function otherNode(command: Command, { cwd }: Surroundings): string | undefined {
  if (command.importsProject === undefined || runsTypeScript()) return undefined
  const node = projectsNode(findProject(cwd).root)
  if (node !== undefined || command.importsProject === 'where possible') return node
  throw new Refusal(
    `Node ${process.versions.node} does not run the project's TypeScript files`,
    "use Node 22.18 or newer, or add one to the project with 'npm install --save-dev node@24'",
  )
}

function report(error: unknown, terminal: Terminal): number {
  const name = styled('red', 'propylon:')
  if (error instanceof Refusal) {
    complain(terminal, [name, ` ${error.message}`])
    return 2
  }
  if (error instanceof Failure) {
    complain(terminal, [name, ` ${error.message}`])
    if (error.cause !== undefined) complain(terminal, inspectThrown(error.cause))
    return 1
  }
  complain(terminal, [name, ` ${inspectThrown(error)}`])
  return 1
}

/** `inspect` shows more than `errorText`, such as the members of an error, but throws if a getter of the error does. */
function inspectThrown(error: unknown): string {
  try {
    return inspect(error)
  } catch {
    return errorText(error)
  }
}
