/**
 * Serves an application in several processes that share one port (node:cluster).
 *
 * @module
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { isRecord } from '../../base/record.ts'
import type { WSGICallable } from '../types.ts'
import { DEFAULT_DRAIN_TIMEOUT, DEFAULT_SHUTDOWN_DELAY, stopDelay } from './handle.ts'
import { removeDeadSocket } from './listen.ts'
import { type ServeOptions, serve } from './serve.ts'

/** Options of {@link serveWorkers}. The process ends on signals, so `serve()`'s options for that do not apply. */
export interface ServeWorkersOptions extends Omit<ServeOptions, 'signal' | 'signals'> {
  /** Number of processes, or `'auto'` for one per core. With 1 this process serves. */
  workers: number | 'auto'
}

/**
 * Serves an application in several processes that share one port or socket (node:cluster). The program starts again
 * in each of them, so call this at its end. A worker that dies is replaced. SIGHUP restarts the workers one by one,
 * without a failed request. SIGTERM and SIGINT complete the requests in progress and end the process with status 0.
 *
 * @param load - returns the application. It is not called in the process that starts the workers.
 * @returns the URL, when all workers listen. In a worker the promise does not resolve, so what follows runs once.
 * @throws RangeError - `workers` is not a whole number above 0.
 * @throws Error - the application does not load, or the server cannot listen. If that happens in a worker, all
 *   processes end with status 1.
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
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`serveWorkers() received ${count} workers. Give a number above 0, or 'auto'.`)
  if (cluster.isPrimary && count > 1) {
    return new Promise((serving) => void superviseWorkers(count, options, serving).then(process.exit))
  }
  const stopped = stopDelay(options.shutdownDelay ?? DEFAULT_SHUTDOWN_DELAY, 0)
  const server = await serve(await load(), { ...options, signals: false })
  const ended = stopped.then((delay) => server.close({ delay })).then(() => process.exit())
  if (!cluster.isWorker) return server.url
  process.send?.({ listening: server.url })
  return ended
}

/**
 * Runs workers until this process receives SIGTERM or SIGINT and they have completed their requests.
 *
 * A worker that dies is replaced. SIGHUP replaces the workers one by one: a new one listens before the old one
 * completes its requests. If one of the first dies before it listens, all end. A second SIGINT ends the workers at
 * once.
 *
 * @param serving - called when all workers listen for the first time.
 * @returns the exit status: 1 if a worker did not end by itself, 130 after a second SIGINT.
 */
export async function superviseWorkers(
  count: number,
  { path, drainTimeout = DEFAULT_DRAIN_TIMEOUT, shutdownDelay = DEFAULT_SHUTDOWN_DELAY }: ServeOptions,
  serving: (url: string) => void,
): Promise<number> {
  if (path !== undefined) await removeDeadSocket(path)
  // Workers accept connections themselves. Otherwise this process accepts them and sends them to the workers, and
  // those that a worker has not confirmed when it dies are never answered.
  if (process.env.NODE_CLUSTER_SCHED_POLICY === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE
  /** The URL of each worker once it listens. Undefined if it dies before. */
  const workers = new Map<Worker, Promise<string | undefined>>()
  const replaced = new Set<Worker>()
  const closed = new Set<Worker>()
  let isServing = false
  /** Exit status. Undefined until the workers are to stop. */
  let status: number | undefined
  const ended = Promise.withResolvers<number>()

  function start(): Promise<string | undefined> {
    const worker = cluster.fork()
    const { promise: url, resolve } = Promise.withResolvers<string | undefined>()
    workers.set(worker, url)
    worker.on('message', (message: unknown) => {
      if (!isRecord(message)) return
      if (typeof message.listening === 'string') resolve(message.listening)
      if (message.closed === true) closed.add(worker)
      step()
    })
    worker.once('exit', async (code, signal) => {
      resolve(undefined)
      const before = (await url) === undefined ? ' before it listened' : ''
      for (const group of [workers, closed]) group.delete(worker)
      if (!replaced.delete(worker) && isServing && status === undefined)
        console.error(`worker ${worker.process.pid} died (${signal ?? code})${before}`)
      // A worker that cannot start is not started again at once.
      setTimeout(step, before !== '' && isServing ? 500 : 0)
    })
    return url
  }

  /** Starts workers that are missing, releases those that have all closed their ports, or ends. */
  function step(): void {
    while (isServing && status === undefined && workers.size - replaced.size < count) void start()
    if (closed.size === workers.size) for (const worker of closed) worker.send({ allClosed: true }, () => {})
    if (status !== undefined && workers.size === 0) ended.resolve(status)
  }

  async function restart(): Promise<void> {
    for (const [worker, url] of [...workers]) {
      if ((await url) === undefined || worker.isDead() || status !== undefined) continue
      if ((await start()) === undefined) return console.error('The restart ends. Old workers go on.')
      replaced.add(worker)
      worker.send({ replaced: true }, () => {})
      await once(worker, 'exit')
    }
    console.log(`Restarted ${count} worker${count === 1 ? '' : 's'}`)
  }

  function end(code: number, signal: 'SIGTERM' | 'SIGKILL'): void {
    status = code
    for (const worker of workers.keys()) worker.process.kill(signal)
    step()
  }

  function stop(): void {
    end(0, 'SIGTERM')
    // 20 s for what workers do beside their own time limits, such as closing databases.
    setTimeout(end, drainTimeout + shutdownDelay + 20_000, 1, 'SIGKILL').unref()
    process.once('SIGINT', () => end(130, 'SIGKILL'))
  }

  process.once('SIGTERM', stop).once('SIGINT', stop)
  const started = Promise.all(Array.from({ length: count }, start))
  let restarts: Promise<unknown> = started
  process.on('SIGHUP', () => {
    restarts = restarts.then(restart)
  })
  const [url] = (await started).includes(undefined) ? [] : await started
  isServing = url !== undefined
  if (url !== undefined) serving(url)
  else if (status === undefined) end(1, 'SIGKILL')
  step()
  return ended.promise
}
