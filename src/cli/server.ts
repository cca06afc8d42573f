import cluster from 'node:cluster'
import { DEFAULT_SHUTDOWN_DELAY } from '../wsgi/node/handle.ts'
import { type AddressOptions, serve } from '../wsgi/node/index.ts'
import { isRecord } from '../wsgi/record.ts'
import { CommandError } from './errors.ts'
import { repeatHangup } from './hangup.ts'
import { applicationFile, loadApplication, type Project, pathIn } from './project.ts'
import type { ServeLimits } from './serve-limits.ts'
import { complain, print, type Terminal } from './terminal.ts'

/** Options of `propylon serve`. */
export interface ServeSettings {
  /** Address to listen on. */
  readonly address: AddressOptions
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

/** Message of the pool to a worker that another one has replaced. */
export interface RetirementMessage {
  readonly retired: true
}

/**
 * Time for which a worker that is replaced keeps idle connections. Clients that send requests in this time are told to open
 * another connection. One that is closed while a request is on its way would fail it.
 */
const RETIREMENT_MILLISECONDS = 1000

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
  const { address, trustProxy, limits, unhandledRejections } = settings
  const options = { trustProxy, unhandledRejections, signals: false, ...limits, ...address }
  const server = await serve(app, options).catch((error: unknown) => {
    throw listenError(error)
  })
  repeatHangup()
  if (cluster.isWorker) process.send?.({ listening: server.url } satisfies ListeningMessage)
  else print(terminal, `Serving ${project.root} at ${server.url}`)
  const reason = await stopped
  close()
  await server.close({ delay: delayOf(reason, settings) })
  return 0
}

/** Returns the time for which the port stays open, in milliseconds. Nothing asks for the readiness of a server in a terminal. */
function delayOf(reason: StopReason, { limits, reload }: ServeSettings): number {
  if (reason === 'retired') return RETIREMENT_MILLISECONDS
  const isInTerminal = reason === 'interrupted' || reload !== false
  return limits.shutdownDelay ?? (isInTerminal ? 0 : DEFAULT_SHUTDOWN_DELAY)
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

/** SIGTERM, SIGINT, or the end of a worker that has been replaced. */
type StopReason = 'terminated' | 'interrupted' | 'retired'

/** Resolves on SIGTERM and SIGINT, and when the pool of this worker has ended or has replaced it. */
function stopSignal(): Promise<StopReason> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('terminated'))
    process.once('SIGINT', () => resolve('interrupted')) // Once, so that a second Ctrl-C ends the process.
    if (!cluster.isWorker) return
    process.once('disconnect', () => resolve('terminated'))
    process.on('message', (message) => {
      if (isRecord(message) && message.retired === true) resolve('retired')
    })
  })
}

/** Converts an error of listen() to one line. Other errors keep their stacks. */
function listenError(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? new CommandError(error.message) : error
}
