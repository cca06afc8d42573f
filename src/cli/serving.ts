import cluster from 'node:cluster'
import { join } from 'node:path'
import { serve } from '../wsgi/node/index.ts'
import { applicationFile, loadApplication } from './application.ts'
import { repeatHangup } from './hangup.ts'
import type { Project } from './project.ts'
import { Failure } from './refusal.ts'
import { complain, print, type Terminal } from './terminal.ts'

/** How to serve. */
export interface ServeSettings {
  readonly port: number
  readonly host: string
  /** Load all controllers before the first request. */
  readonly eager: boolean
  /** Whether an unhandled rejection is logged or ends the process. */
  readonly unhandledRejections: 'log' | 'throw'
  /** Let changed files take effect on the next request, and open pages reload by themselves. */
  readonly reload: false | { readonly live: boolean }
}

/** What a worker tells its pool once it takes requests. */
export interface ListeningMessage {
  readonly listening: string
}

/**
 * Serves a project in this process until it is asked to stop, then finishes what is in flight.
 *
 * @returns the exit status.
 */
export async function serveHere(
  project: Project,
  settings: ServeSettings,
  terminal: Terminal,
): Promise<number> {
  const { app, close } = await applicationFor(project, settings, terminal)
  const stopped = askedToStop()
  const { port, host, unhandledRejections } = settings
  const server = await serve(app, { port, host, unhandledRejections }).catch((error: unknown) => {
    throw listenFailure(error)
  })
  repeatHangup()
  if (cluster.isWorker) process.send?.({ listening: server.url } satisfies ListeningMessage)
  else print(terminal, `Serving ${project.root} at ${server.url}`)
  await stopped
  close()
  await server.close()
  return 0
}

/** The application to serve, and what ends it. */
async function applicationFor(project: Project, { eager, reload }: ServeSettings, terminal: Terminal) {
  if (reload === false) {
    const app = await loadApplication(project)
    if (eager) await app.controllers.loadAll()
    return { app, close() {} }
  }
  const { reloading } = await import('../reload/reloading.ts')
  const log = (line: string) => complain(terminal, line)
  const app = await reloading(join(project.root, applicationFile(project)), {
    root: project.root,
    live: reload.live,
    log,
  })
  return { app, close: () => app.close() }
}

/** Settles when the process is told to end, or the pool that it works for is gone. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve()) // Once: a second Ctrl-C ends at once.
    if (cluster.isWorker) process.once('disconnect', () => resolve())
  })
}

/** A port that cannot be had is told in one line; anything else with its stack. */
function listenFailure(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? new Failure(error.message) : error
}
