/**
 * `propylon run`: runs a module of the project beside the server, such as a worker.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Task } from '../../../app/task.ts'
import { argument, type Command } from '../../../base/command-line/command.ts'
import { CommandError, quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { memberOf } from '../../../base/thrown.ts'
import { failureLine, loadFailure } from '../../reload/load-failure.ts'
import { projectWithSettings } from '../env-file.ts'
import { millisecondsOf } from '../option-values.ts'
import { importFile, loadApplication, type Project } from '../project.ts'

/** Default time to stop after a signal, in seconds. */
const DEFAULT_STOP_TIMEOUT = '10'

/** `propylon run FILE [WORD…]` */
export const run: Command = {
  name: 'run',
  summary: 'Run a module of the project, such as a worker',
  arguments: [
    { name: 'FILE', summary: 'The module, such as worker.ts. Its default export is a function' },
    { name: 'WORD', optional: true, rest: true, summary: 'Passed to the function' },
  ],
  options: {
    'env-file': { value: 'FILE', summary: 'Environment variables (default: .env)' },
    'stop-timeout': { value: 'SECONDS', summary: `Time to stop after SIGTERM (default: ${DEFAULT_STOP_TIMEOUT})` },
  },
  details: [
    'The function receives { app, signal, words }: the application, with the settings of .env, a signal\nthat SIGTERM and SIGINT abort, and the words. When it returns, the callbacks of app.onShutdown() run,\nand the exit status is 0. It is 1 if the function throws, or does not stop in time.',
  ],
  examples: ['propylon run worker.ts', 'propylon run scripts/import.ts books.csv'],
  importsProject: 'always',
  async run(parsed, context) {
    const path = resolve(context.cwd, argument(parsed, 0))
    if (!existsSync(path)) throw new UsageError(`there is no file ${quoted(path)}`, 'correct its name')
    const timeout = millisecondsOf(parsed.value('stop-timeout') ?? DEFAULT_STOP_TIMEOUT)
    const project = projectWithSettings(context.cwd, parsed.value('env-file'))
    const app = await loadApplication(project)
    const file = relative(project.root, path)
    const { default: task } = await importFile(project, file).catch((error: unknown) => {
      throw unloadable(error, file, project)
    })
    if (!isTask(task)) {
      const fix = 'export one: export default async function ({ app, signal, words }) { … }'
      throw new UsageError(`${file} exports no function by default`, fix)
    }
    const stopping = new AbortController()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const stop = () => {
      const give = () => reject(new CommandError(`${file} did not stop within ${timeout / 1000} s`))
      if (!stopping.signal.aborted) setTimeout(give, timeout)
      stopping.abort()
    }
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, stop)
    const { signal } = stopping
    try {
      await Promise.race([task({ app, signal, words: parsed.arguments.slice(1) }), late])
    } catch (error) {
      // The usual end of what waits with the signal.
      if (!signal.aborted || memberOf(error, 'name') !== 'AbortError') throw error
    } finally {
      await Promise.race([app.shutDown(), late])
    }
    return 0
  },
}

/** Returns the error for a module that does not load. A missing module and wrong syntax have a place, and need no stack. */
function unloadable(error: unknown, file: string, { root }: Project): CommandError {
  const failure = loadFailure(error, root, () => [join(root, file)])
  const isMissing = memberOf(error, 'code') === 'ERR_MODULE_NOT_FOUND'
  if (failure.place === undefined || !(isMissing || error instanceof SyntaxError))
    return new CommandError(`${file} does not load`, { cause: error })
  const missing = /package '([^']+)'/.exec(failure.reason)?.[1]
  const fix = missing === undefined ? 'correct the path' : `run 'npm install ${missing}'`
  return new CommandError(`${file} does not load: ${failureLine(failure, root)}${isMissing ? `; ${fix}` : ''}`)
}

function isTask(value: unknown): value is Task {
  return typeof value === 'function'
}
