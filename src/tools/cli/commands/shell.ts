/**
 * `propylon shell`: opens a prompt inside the application.
 *
 * @module
 */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type REPLEval, type REPLServer, Recoverable, start } from 'node:repl'
import { PassThrough } from 'node:stream'
import { hasColour } from '../../../base/colour.ts'
import type { Command } from '../../../base/command-line/command.ts'
import { CommandError } from '../../../base/command-line/command-errors.ts'
import { complain, print } from '../../../base/command-line/terminal.ts'
import { projectWithSettings } from '../env-file.ts'
import { loadApplication } from '../project.ts'

/** `propylon shell` */
export const shell: Command = {
  name: 'shell',
  summary: 'Open a prompt inside the application',
  arguments: [],
  options: {},
  details: [
    'Available are app (the application), map (its mapper), url (generates URLs) and testApp (sends\nrequests in process). Lines may await. Lines from a pipe run one after the other; an uncaught error in\none of them sets the exit status to 1.',
  ],
  examples: ['propylon shell', `echo "(await testApp.get('/')).status" | propylon shell`],
  importsProject: 'always',
  async run(_invocation, context) {
    const project = projectWithSettings(context.cwd)
    const app = await loadApplication(project)
    const { TestApp } = await import('../../testing/index.ts')
    process.chdir(project.root) // So that import('./model/…') resolves to the project's files.
    const { stdin, stdout, env } = context
    const isTerminal = stdin.isTTY === true && stdout.isTTY === true
    if (isTerminal) print(context, 'Available: app, map, url and testApp. To leave: .exit or Ctrl-D.')
    const fed = new PassThrough()
    const repl = start({
      prompt: isTerminal ? 'propylon> ' : '',
      input: isTerminal ? stdin : fed,
      output: stdout,
      terminal: isTerminal,
      useColors: isTerminal && hasColour(stdout, env),
    })
    const provide = () => {
      const provided = { app, map: app.mapper, url: app.mapper.generator(), testApp: new TestApp(app) }
      Object.assign(repl.context, provided)
    }
    provide()
    repl.on('reset', provide)
    const ended = new Promise<void>((resolve) => repl.once('exit', resolve))
    if (isTerminal) {
      repl.setupHistory(join(homedir(), '.propylon_history'), (error) => {
        if (error !== null) complain(context, `The history is not saved: ${error.message}`)
      })
      await ended
      return 0
    }
    const outcome = watchLines(repl)
    await feed(repl, stdin, fed, ended)
    await ended
    if (outcome.isUnfinished) throw new CommandError('the input ends inside a statement')
    return outcome.hasFailed ? 1 : 0
  },
}

/** Records whether a line has failed, and whether the last line is incomplete. */
function watchLines(repl: REPLServer): { readonly hasFailed: boolean; readonly isUnfinished: boolean } {
  const outcome = { hasFailed: false, isUnfinished: false }
  const evaluate = repl.eval
  const watched: REPLEval = (code, context, file, done) =>
    evaluate.call(repl, code, context, file, (error, result) => {
      outcome.isUnfinished = error instanceof Recoverable
      done(error, result)
    })
  Object.assign(repl, { eval: watched })
  // Node assigns every uncaught error to lastError, including those thrown after the line was evaluated.
  Object.defineProperty(repl, 'lastError', {
    set() {
      outcome.hasFailed = true
    },
  })
  return outcome
}

/**
 * Sends the lines of a pipe to the prompt one at a time, each after the result of the previous one was printed. Node's
 * own prompt reads on while a line awaits, so it prints out of order and may end too early.
 */
async function feed(
  repl: REPLServer,
  lines: NodeJS.ReadableStream,
  input: NodeJS.WritableStream,
  ended: Promise<void>,
): Promise<void> {
  let ready = Promise.withResolvers<void>()
  Object.assign(repl, { displayPrompt: () => ready.resolve() })
  for await (const line of createInterface({ input: lines })) {
    ready = Promise.withResolvers()
    input.write(`${line}\n`)
    const isOver = await Promise.race([ready.promise, ended.then(() => true)])
    if (isOver === true) return
  }
  input.end()
}
