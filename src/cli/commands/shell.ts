import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type REPLEval, type REPLServer, Recoverable, start } from 'node:repl'
import { PassThrough } from 'node:stream'
import { loadApplication } from '../application.ts'
import type { Command } from '../command.ts'
import { findProject } from '../project.ts'
import { Failure } from '../refusal.ts'
import { complain, hasColour, print } from '../terminal.ts'

/** `propylon shell` */
export const shell: Command = {
  name: 'shell',
  summary: 'Open a prompt inside the application',
  arguments: [],
  options: {},
  details: [
    'At hand are app (the application), map (its mapper), url (generates URLs) and testApp (sends\nrequests in process). Lines may await. Lines from a pipe are run one after the other; an uncaught error in\none of them makes the exit status 1.',
  ],
  examples: ['propylon shell', `echo "(await testApp.get('/')).status" | propylon shell`],
  importsProject: 'always',
  async run(_invocation, surroundings) {
    const project = findProject(surroundings.cwd)
    const app = await loadApplication(project)
    const { TestApp } = await import('../../testing/index.ts')
    process.chdir(project.root) // So that import('./model/…') means the project's files.
    const { stdin, stdout, env } = surroundings
    const isTerminal = stdin.isTTY === true && stdout.isTTY === true
    if (isTerminal) print(surroundings, 'app, map, url and testApp are at hand. .exit or Ctrl-D ends.')
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
      const history = env.PROPYLON_HISTORY ?? join(homedir(), '.propylon_history')
      repl.setupHistory(history, (error) => {
        if (error !== null) complain(surroundings, `History is not kept: ${error.message}`)
      })
      await ended
      return 0
    }
    const outcome = watchLines(repl)
    await feed(repl, stdin, fed, ended)
    await ended
    if (outcome.isUnfinished) throw new Failure('the input ends within a statement')
    return outcome.hasFailed ? 1 : 0
  },
}

/** Notes whether a line has failed, and whether the last one goes on in a next line. */
function watchLines(repl: REPLServer): { readonly hasFailed: boolean; readonly isUnfinished: boolean } {
  const outcome = { hasFailed: false, isUnfinished: false }
  const evaluate = repl.eval
  const watched: REPLEval = (code, context, file, done) =>
    evaluate.call(repl, code, context, file, (error, result) => {
      outcome.isUnfinished = error instanceof Recoverable
      done(error, result)
    })
  Object.assign(repl, { eval: watched })
  // Node assigns every uncaught error to it, also those that are thrown when a line has long been evaluated.
  Object.defineProperty(repl, 'lastError', {
    set() {
      outcome.hasFailed = true
    },
  })
  return outcome
}

/**
 * Gives a prompt the lines of a pipe one at a time: the next only once the result of the one before is printed. Node's own
 * prompt reads on while a line awaits, and so prints out of order and may end too early.
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
