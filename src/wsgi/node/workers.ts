/**
 * Serves an application in several processes that share one port (node:cluster).
 *
 * @module
 */
import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { printable } from '../../base/printable.ts'
import { isRecord } from '../../base/record.ts'
import type { WSGICallable } from '../types.ts'
import { DEFAULT_DRAIN_TIMEOUT, DEFAULT_SHUTDOWN_DELAY } from './handle.ts'
import { removeDeadSocket } from './listen.ts'
import { type ServeOptions, serve } from './serve.ts'
import { reportListening, stopDelay } from './worker.ts'

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
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`serveWorkers() received ${count} workers. Give a number above 0, or 'auto'.`)
  if (cluster.isPrimary && count > 1) {
    return new Promise((serving) => {
      const problem = (line: string) => console.error(printable(line))
      const status = superviseWorkers(count, options, { serving, restarted() {}, problem })
      void status.then(process.exit)
    })
  }
  const stopped = stopDelay(options.shutdownDelay ?? DEFAULT_SHUTDOWN_DELAY, 0)
  const server = await serve(await load(), { ...options, signals: false })
  const ended = stopped.then((delay) => server.close({ delay })).then(() => process.exit())
  if (!cluster.isWorker) return server.url
  reportListening(server.url)
  return ended
}

/** Receives what happens to the workers. */
export interface WorkersObserver {
  /** All workers listen for the first time. */
  serving(url: string): void
  /** All workers have been replaced, after SIGHUP. */
  restarted(): void
  /** A worker has died. `line` says what happens now. */
  problem(line: string): void
}

/** Maximum delay before the next worker is started after one has died before it listened. */
const LONGEST_DELAY_MILLISECONDS = 1000
/** Time after SIGTERM for what workers do beside their own time limits, such as closing databases. */
const GRACE_MILLISECONDS = 20_000

/**
 * Runs workers until this process receives SIGTERM or SIGINT and they have completed their requests.
 *
 * A worker that dies is replaced at once. After one has died before it listened, workers are started one at a time, after a delay
 * that doubles with each such death. SIGHUP replaces the workers one by one: a new one listens before the old one completes
 * its requests. A single worker receives the signal instead. A second SIGINT ends the workers at once.
 *
 * @returns the exit status: 1 if a worker did not end by itself, 130 after a second SIGINT.
 */
export async function superviseWorkers(
  count: number,
  { path, drainTimeout = DEFAULT_DRAIN_TIMEOUT, shutdownDelay = DEFAULT_SHUTDOWN_DELAY }: ServeOptions,
  observer: WorkersObserver,
): Promise<number> {
  if (path !== undefined) await removeDeadSocket(path)
  // Workers accept connections themselves. Otherwise this process accepts them and sends them to the workers, and those that
  // a worker has not confirmed when it dies are never answered.
  if (process.env.NODE_CLUSTER_SCHED_POLICY === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE
  const pool = new WorkerPool(count, observer)
  const stop = () => pool.stop(0, drainTimeout + shutdownDelay + GRACE_MILLISECONDS)
  process.once('SIGTERM', stop).once('SIGINT', () => {
    stop()
    process.once('SIGINT', () => pool.kill(130))
  })
  process.on('SIGHUP', () => (count > 1 ? pool.restart() : pool.hangUp()))
  return pool.ended
}

class WorkerPool {
  readonly #count: number
  readonly #observer: WorkersObserver
  readonly #states = new Map<Worker, 'starting' | 'listening' | 'replaced' | 'closed'>()
  /** Workers that a restart is to replace. */
  readonly #outdated = new Set<Worker>()
  /** Whether a worker has listened. */
  #hasStarted = false
  /** Whether all workers have listened. */
  #isServing = false
  #failedStarts = 0
  #timer: NodeJS.Timeout | undefined
  /** Exit status. Undefined until the workers are to stop. */
  #status: number | undefined
  readonly #exit = Promise.withResolvers<number>()
  readonly ended = this.#exit.promise

  constructor(count: number, observer: WorkersObserver) {
    this.#count = count
    this.#observer = observer
    cluster.on('message', (worker, message) => this.#onMessage(worker, message))
    cluster.on('exit', (worker, code, signal) => this.#onExit(worker, signal ?? code))
    this.#step()
  }

  /** Replaces all workers. Those that are still starting may have loaded old files already. */
  restart(): void {
    for (const [worker, state] of this.#states) if (state !== 'replaced') this.#outdated.add(worker)
    this.#step()
  }

  /** Sends SIGHUP, to a worker that is starting after its first message: earlier, the signal could end it. */
  hangUp(): void {
    for (const [worker, state] of this.#states) {
      if (state === 'starting') worker.once('message', () => worker.process.kill('SIGHUP'))
      else worker.process.kill('SIGHUP')
    }
  }

  /** @param longest - time after which workers that have not ended are killed, in milliseconds. */
  stop(status: number, longest: number): void {
    this.#status ??= status
    clearTimeout(this.#timer)
    for (const worker of this.#states.keys()) worker.process.kill('SIGTERM')
    setTimeout(() => this.kill(1), longest).unref()
    this.#step()
  }

  /** Ends the workers, whatever they are doing. */
  kill(status: number): void {
    this.#status = status
    for (const worker of this.#states.keys()) worker.process.kill('SIGKILL')
  }

  /** Starts workers that are missing, takes the next step of a restart, or ends. */
  #step(): void {
    const states = [...this.#states.values()]
    const isStarting = states.includes('starting')
    const missing = this.#count - states.filter((state) => state !== 'replaced').length
    const [outdated] = this.#outdated
    if (this.#status !== undefined) {
      if (states.length === 0) this.#exit.resolve(this.#status)
      if (states.every((state) => state === 'closed'))
        for (const worker of this.#states.keys()) worker.send({ allClosed: true }, () => {})
    } else if (missing > 0 && this.#failedStarts === 0) {
      for (let started = 0; started < missing; started++) this.#start()
    } else if (missing > 0) {
      if (!isStarting) this.#timer ??= setTimeout(() => this.#start(), this.#delay)
    } else if (outdated !== undefined && !isStarting && !states.includes('replaced')) {
      if (missing === 0) this.#start()
      else {
        this.#outdated.delete(outdated)
        this.#states.set(outdated, 'replaced')
        outdated.send({ replaced: true }, () => {})
      }
    }
  }

  #start(): void {
    this.#timer = undefined
    this.#states.set(cluster.fork(), 'starting')
  }

  get #delay(): number {
    return Math.min(LONGEST_DELAY_MILLISECONDS, 50 * 2 ** this.#failedStarts)
  }

  #onMessage(worker: Worker, message: unknown): void {
    if (!isRecord(message)) return
    if (message.closed === true) this.#states.set(worker, 'closed')
    if (typeof message.listening === 'string') {
      this.#states.set(worker, 'listening')
      this.#failedStarts = 0
      this.#hasStarted = true
      const listening = [...this.#states.values()].filter((state) => state === 'listening')
      if (!this.#isServing && listening.length === this.#count) {
        this.#isServing = true
        this.#observer.serving(message.listening)
      }
    }
    this.#step()
  }

  #onExit(worker: Worker, reason: number | string): void {
    const state = this.#states.get(worker)
    const isRestarting = this.#outdated.size > 0
    this.#states.delete(worker)
    this.#outdated.delete(worker)
    if (this.#status === undefined) {
      if (!this.#hasStarted) this.stop(1, 0)
      else if (state !== 'replaced') {
        const plan = state === 'starting' ? this.#planStart(isRestarting) : '; it is replaced'
        this.#observer.problem(`worker ${worker.process.pid} died (${reason})${plan}`)
      } else if (!isRestarting) this.#observer.restarted()
    }
    this.#step()
  }

  /** Decides what follows after a worker has died before it listened. Returns it in words. */
  #planStart(isRestarting: boolean): string {
    if (isRestarting) {
      this.#outdated.clear()
      return ' before it listened; the restart ends, and the others go on with the files that they have loaded'
    }
    this.#failedStarts += 1
    return ` before it listened; the next one starts after ${this.#delay} ms`
  }
}
