/**
 * Serving an application in several processes.
 *
 * @module
 */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { printable } from '../../base/printable.ts'
import type { WSGICallable } from '../types.ts'
import { DEFAULT_DRAIN_TIMEOUT, DEFAULT_SHUTDOWN_DELAY } from './handle.ts'
import { removeDeadSocket } from './listen.ts'
import { type ServeOptions, serve } from './serve.ts'
import { RETIREMENT_MILLISECONDS, reportListening, stopSignal } from './worker.ts'
import { WorkerPool } from './worker-pool.ts'

/** Options of {@link serveWorkers}. The process ends on signals, so `serve()`'s options for that do not apply. */
export interface ServeWorkersOptions extends Omit<ServeOptions, 'signal' | 'signals'> {
  /** Number of processes, or `'auto'` for one per core. With 1 this process serves. */
  workers: number | 'auto'
}

/**
 * Serves an application in several processes that share one port or socket (node:cluster). The program starts again in each
 * of them, so call this at its end. A worker that dies is replaced. SIGHUP restarts the workers one by one, without a failed
 * request. SIGTERM and SIGINT complete the requests in progress and end the process with status 0.
 *
 * @param load - returns the application. It is not called in the process that starts the workers.
 * @returns the URL, when all workers listen. In a worker the promise does not resolve, so what follows runs once.
 * @throws RangeError - `workers` is not a whole number above 0.
 * @throws Error - the application does not load, or the server cannot listen. If that happens in a worker, all processes
 *   end with status 1.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { serveWorkers } from 'propylon/node'
 *
 * // In a project: const load = async () => (await import('./app.ts')).default
 * const load = () => new FrameworkApp({ map: new Mapper(), controllers: {} })
 *
 * const url = await serveWorkers(load, { workers: 'auto', port: 8080 })
 * console.log(`Serving at ${url}`)
 * ```
 */
export async function serveWorkers(
  load: () => WSGICallable | Promise<WSGICallable>,
  { workers, ...options }: ServeWorkersOptions,
): Promise<string> {
  const count = workers === 'auto' ? availableParallelism() : workers
  if (!Number.isInteger(count) || count < 1) {
    throw new RangeError(
      `serveWorkers() received ${String(workers)} workers. Give a number above 0, or 'auto'.`,
    )
  }
  if (!cluster.isWorker && count > 1) return superviseWorkers(count, options)
  const stopped = stopSignal()
  const app = await load()
  const server = await serve(app, { ...options, signals: false })
  const ended = stopped.then(async (reason) => {
    const delays = { terminated: options.shutdownDelay ?? DEFAULT_SHUTDOWN_DELAY, interrupted: 0 }
    await server.close({ delay: reason === 'retired' ? RETIREMENT_MILLISECONDS : delays[reason] })
    process.exit()
  })
  if (!cluster.isWorker) return server.url
  reportListening(server.url)
  return ended
}

async function superviseWorkers(count: number, options: ServeOptions): Promise<string> {
  const { path, drainTimeout = DEFAULT_DRAIN_TIMEOUT, shutdownDelay = DEFAULT_SHUTDOWN_DELAY } = options
  if (path !== undefined) await removeDeadSocket(path)
  return new Promise((resolve) => {
    const pool = new WorkerPool(count, drainTimeout + shutdownDelay, {
      serving: (url) => resolve(url),
      restarted: () => {},
      problem: (line) => console.error(printable(line)),
    })
    void pool.run().then((status) => process.exit(status))
  })
}
