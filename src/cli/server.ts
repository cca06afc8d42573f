import cluster from 'node:cluster'
import { serve } from '../wsgi/node/index.ts'
import { CommandError } from './errors.ts'
import { repeatHangup } from './hangup.ts'
import { applicationFile, loadApplication, type Project, pathIn } from './project.ts'
import type { ServeLimits } from './serve-limits.ts'
import { complain, print, type Terminal } from './terminal.ts'

/** Options of `propylon serve`. */
export interface ServeSettings {
  readonly port: number
  readonly host: string
  /** Proxies whose forwarding headers are used. */
  readonly trustProxy: readonly string[]
  readonly limits: ServeLimits
  /** Whether to load all controllers before the first request. */
  readonly eager: boolean
  /** Whether an unhandled rejection is logged or ends the process. */
  readonly unhandledRejections: 'log' | 'throw'
  /** Whether changed files take effect on the next request, and whether open pages reload themselves. */
  readonly reload: false | { readonly live: boolean }
}

/** Message of a worker to its pool when it listens. */
export interface ListeningMessage {
  readonly listening: string
}

/**
 * Serves a project in this process until it receives a signal to stop, then completes the requests in progress.
 *
 * @returns the exit status.
 */
export async function serveHere(
  project: Project,
  settings: ServeSettings,
  terminal: Terminal,
): Promise<number> {
  const { app, close } = await loadServed(project, settings, terminal)
  const stopped = stopSignal()
  const { port, host, trustProxy, limits, unhandledRejections } = settings
  const server = await serve(app, {
    port,
    host,
    trustProxy,
    unhandledRejections,
    ...limits,
  }).catch((error: unknown) => {
    throw listenError(error)
  })
  repeatHangup()
  if (cluster.isWorker) process.send?.({ listening: server.url } satisfies ListeningMessage)
  else print(terminal, `Serving ${project.root} at ${server.url}`)
  await stopped
  close()
  await server.close()
  return 0
}

/** Loads the application to serve. */
async function loadServed(project: Project, { eager, reload }: ServeSettings, terminal: Terminal) {
  if (reload === false) {
    const app = await loadApplication(project)
    if (eager) await app.controllers.loadAll()
    return { app, close() {} }
  }
  const { reloading } = await import('../reload/reloading.ts')
  const log = (line: string) => complain(terminal, line)
  const app = await reloading(pathIn(project, applicationFile(project)), {
    root: project.root,
    live: reload.live,
    log,
  })
  return { app, close: () => app.close() }
}

/** Resolves on SIGTERM and SIGINT, and when the pool of this worker has ended. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve()) // Once, so that a second Ctrl-C ends the process.
    if (cluster.isWorker) process.once('disconnect', () => resolve())
  })
}

/** Converts an error of listen() to one line. Other errors keep their stacks. */
function listenError(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? new CommandError(error.message) : error
}
