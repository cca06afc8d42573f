/**
 * Serves an application in this process, or in several, for `propylon serve`.
 *
 * @module
 */

import cluster from 'node:cluster'
import { CommandError } from '../../base/command-line/command-errors.ts'
import { complain, print, styled, type Terminal } from '../../base/command-line/terminal.ts'
import { errorMessage, isInstance, memberOf } from '../../base/thrown.ts'
import { DeclarationError } from '../../controllers/declaration-faults.ts'
import { DEFAULT_SHUTDOWN_DELAY, stopDelay } from '../../wsgi/node/handle.ts'
import { type ServeOptions, serve } from '../../wsgi/node/index.ts'
import { repeatHangup } from './hangup.ts'
import { applicationFile, loadApplication, type Project, pathIn } from './project.ts'

/** Options of `propylon serve`. */
export interface ServeSettings {
  /** Address, limits, proxies and the treatment of unhandled rejections. */
  readonly options: ServeOptions
  /** Whether to load all controllers before the first request. */
  readonly eager: boolean
  /** Whether changed files take effect on the next request, and whether open pages reload themselves. */
  readonly reload: false | Reload
}

/** Options of `propylon serve --reload`. */
export interface Reload {
  readonly live: boolean
  /** The client to keep up to date, relative to the working directory. */
  readonly client: string | undefined
}

/**
 * Serves a project in this process until it receives a signal to stop, then completes the requests in progress.
 *
 * @returns the exit status.
 */
export async function serveHere(project: Project, settings: ServeSettings, terminal: Terminal): Promise<number> {
  const { app, close, start } = await loadServed(project, settings, terminal)
  // Nothing polls the readiness of a server in a terminal.
  const { shutdownDelay: given } = settings.options
  const stopped = stopDelay(given ?? (settings.reload === false ? DEFAULT_SHUTDOWN_DELAY : 0), given ?? 0)
  const server = await serve(app, { ...settings.options, signals: false }).catch((error: unknown) => {
    throw listenError(error, settings.options)
  })
  repeatHangup()
  if (cluster.isWorker) process.send?.({ listening: server.url })
  else print(terminal, [`Serving ${project.root} at `, styled('cyan', server.url)])
  void start()
  const delay = await stopped
  close()
  await server.close({ delay })
  return 0
}

async function loadServed(project: Project, { eager, reload }: ServeSettings, terminal: Terminal) {
  if (reload === false) {
    const app = await loadApplication(project)
    if (app.debug && !cluster.isWorker) {
      const { backgroundCheck } = await import('./background-check.ts')
      backgroundCheck(project.root, (line) => app.logger.warn(line)).run()
    }
    if (eager) await app.controllers.loadAll()
    return { app, close() {}, async start() {} }
  }
  const { Reloading } = await import('../reload/reloading.ts')
  const { backgroundCheck } = await import('./background-check.ts')
  const { poll } = await import('../reload/poll.ts')
  const writeClient =
    reload.client === undefined ? undefined : (await import('./client-file.ts')).clientWriter(reload.client, terminal)
  const log = (line: string) => complain(terminal, line)
  const app = new Reloading(pathIn(project, applicationFile(project)), { root: project.root, live: reload.live, log })
  await app.loaded
  const check = backgroundCheck(project.root, log)
  const files = app.files()
  let stopWatching: (() => void) | undefined
  const close = () => {
    stopWatching?.()
    check.close()
    app.close()
  }
  const start = async () => {
    files.haveChanged() // Changes from now on count.
    if (process.env.NODE_ENV !== 'production') check.run()
    await writeClient?.(app)
    stopWatching = poll(async () => {
      if (!files.haveChanged()) return
      check.run()
      await writeClient?.(app)
    })
  }
  return { app, close, start }
}

/** Converts an error of listen(), and of the name of a tool, to one line. Other errors keep their stacks. */
function listenError(error: unknown, { port }: ServeOptions): unknown {
  if (isInstance(error, DeclarationError)) return new CommandError(error.message)
  const code = memberOf(error, 'code')
  if (code === undefined) return error
  const message = errorMessage(error)
  if (code !== 'EADDRINUSE' || !port) return new CommandError(message)
  const other = port === 65_535 ? port - 1 : port + 1
  return new CommandError(`${message} For instance: PORT=${other} before the command, or --port ${other} behind it.`)
}
