import cluster, { type Worker } from 'node:cluster'
import { type AllClosedMessage, isClosedMessage, listeningUrl, type RetirementMessage } from './worker.ts'

/** Maximum delay before the next worker is started after one has died before it listened. */
const LONGEST_DELAY_MILLISECONDS = 1000
/** Time after SIGTERM for what workers do beside their own time limits, such as closing databases. */
const GRACE_MILLISECONDS = 20_000

/** Receives what happens to a pool. */
export interface PoolObserver {
  /** All workers listen for the first time. */
  serving(url: string): void
  /** All workers have been replaced, after SIGHUP. */
  restarted(): void
  /** A worker has died. `line` says what happens now. */
  problem(line: string): void
}

interface WorkerState {
  isListening: boolean
  /** Whether to forward a SIGHUP once the worker listens. Earlier, the signal could end the process. */
  isHungUp: boolean
  /** Whether another worker has replaced it. It completes its requests and does not count. */
  isRetired: boolean
  /** Whether it has closed its port. */
  isClosed: boolean
}

/**
 * Processes that serve the same application on the same port (node:cluster).
 *
 * A worker that dies is replaced at once. After a worker has died before it listened, workers are started one at a time,
 * after a delay that doubles with each such death. SIGHUP restarts the workers one by one: a new one listens before the old
 * one completes its requests. A single worker receives the signal instead. SIGTERM and SIGINT let all of them complete
 * their requests.
 */
export class WorkerPool {
  readonly #count: number
  readonly #shutdownTime: number
  readonly #observer: PoolObserver
  readonly #workers = new Map<Worker, WorkerState>()
  readonly #ended = Promise.withResolvers<number>()
  /** Whether any worker has listened. */
  #hasStarted = false
  /** Whether all workers have listened. */
  #isServing = false
  #failedStarts = 0
  #nextStart: NodeJS.Timeout | undefined
  /** Workers of before the last SIGHUP, which are still to be replaced. */
  #outdated = new Set<Worker>()
  /** The worker that is starting to replace an outdated one. */
  #successor: Worker | undefined
  /** The replaced worker that completes its requests. */
  #retiring: Worker | undefined
  #isStopping = false
  #status = 0

  /** @param shutdownTime - time limit of each worker to complete its requests, in milliseconds. */
  constructor(count: number, shutdownTime: number, observer: PoolObserver) {
    this.#count = count
    this.#shutdownTime = shutdownTime
    this.#observer = observer
  }

  /**
   * Runs the workers until the process receives a signal to stop.
   *
   * @returns the exit status.
   */
  run(): Promise<number> {
    // Workers accept connections themselves. Otherwise this process accepts them and sends them to the workers, and those that
    // a worker has not confirmed when it dies are never answered.
    if (process.env.NODE_CLUSTER_SCHED_POLICY === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.on('exit', (worker, code, signal) => this.#onExit(worker, signal ?? code))
    cluster.on('message', (worker, message) => {
      const url = listeningUrl(message)
      if (url !== undefined) this.#onListening(worker, url)
      else if (isClosedMessage(message)) this.#onClosed(worker)
    })
    process.on('SIGHUP', () => (this.#count > 1 ? this.#restart() : this.#signal('SIGHUP')))
    process.once('SIGTERM', () => this.#stop(0))
    process.once('SIGINT', () => {
      this.#stop(0)
      process.once('SIGINT', () => this.#kill(130))
    })
    this.#fill()
    return this.#ended.promise
  }

  /** Starts missing workers. */
  #fill(): void {
    if (this.#isStopping || this.#nextStart !== undefined) return
    if (this.#failedStarts === 0) {
      while (this.#size < this.#count) this.#fork()
    } else if (this.#allListen() && this.#size < this.#count) {
      this.#nextStart = setTimeout(() => {
        this.#nextStart = undefined
        this.#fork()
      }, this.#delay())
    }
  }

  /** Number of workers without those that have been replaced. */
  get #size(): number {
    return [...this.#workers.values()].filter(({ isRetired }) => !isRetired).length
  }

  /** Replaces all workers, one by one. Those that are still starting may have loaded old files already. */
  #restart(): void {
    if (this.#isStopping) return
    this.#outdated = new Set(
      [...this.#workers].filter(([, { isRetired }]) => !isRetired).map(([worker]) => worker),
    )
    if (this.#isServing && this.#successor === undefined && this.#retiring === undefined)
      this.#startSuccessor()
  }

  /** Starts the worker that replaces the next outdated one, if there is any. */
  #startSuccessor(): void {
    if (this.#outdated.size > 0) this.#successor = this.#fork()
    else this.#observer.restarted()
  }

  /** Lets an outdated worker end, unless one has died in the meantime. Its end starts the next successor. */
  #retireOne(): void {
    this.#successor = undefined
    const [worker] = this.#outdated
    const state = worker === undefined ? undefined : this.#workers.get(worker)
    if (worker === undefined || state === undefined || this.#size <= this.#count) {
      this.#startSuccessor()
      return
    }
    this.#outdated.delete(worker)
    this.#retiring = worker
    state.isRetired = true
    post(worker, { retired: true })
  }

  #fork(): Worker {
    const worker = cluster.fork()
    this.#workers.set(worker, { isListening: false, isHungUp: false, isRetired: false, isClosed: false })
    return worker
  }

  /** Returns true if no worker is starting. */
  #allListen(): boolean {
    return [...this.#workers.values()].every(({ isListening }) => isListening)
  }

  #delay(): number {
    return Math.min(LONGEST_DELAY_MILLISECONDS, 50 * 2 ** this.#failedStarts)
  }

  #onListening(worker: Worker, url: string): void {
    const state = this.#workers.get(worker)
    if (state === undefined) return
    state.isListening = true
    if (state.isHungUp) worker.process.kill('SIGHUP')
    this.#hasStarted = true
    this.#failedStarts = 0
    this.#fill()
    if (worker === this.#successor) this.#retireOne()
    if (this.#isServing || !this.#allListen()) return
    this.#isServing = true
    if (this.#outdated.size > 0) this.#startSuccessor()
    this.#observer.serving(url)
  }

  #onClosed(worker: Worker): void {
    const state = this.#workers.get(worker)
    if (state !== undefined) state.isClosed = true
    this.#tellAllClosed()
  }

  /** Notifies the workers when none of them accepts connections any more. */
  #tellAllClosed(): void {
    if (![...this.#workers.values()].every(({ isClosed }) => isClosed)) return
    for (const worker of this.#workers.keys()) post(worker, { allClosed: true })
  }

  #onExit(worker: Worker, reason: number | string): void {
    const state = this.#workers.get(worker)
    this.#workers.delete(worker)
    this.#outdated.delete(worker)
    if (this.#isStopping) {
      this.#tellAllClosed()
      this.#endIfEmpty()
    } else if (worker === this.#retiring) {
      this.#retiring = undefined
      this.#startSuccessor()
    } else if (worker === this.#successor) this.#giveUpRestart(worker, reason)
    else if (!this.#hasStarted)
      this.#stop(1) // The application does not start.
    else if (state !== undefined) this.#replace(worker, state, reason)
  }

  /** Keeps the outdated workers, because their files have errors that the old ones do not have. */
  #giveUpRestart(worker: Worker, reason: number | string): void {
    this.#successor = undefined
    this.#outdated.clear()
    this.#observer.problem(
      `worker ${worker.process.pid} died (${reason}) before it listened; the restart ends, and the others go on with the files that they have loaded`,
    )
    this.#fill()
  }

  #replace(worker: Worker, state: WorkerState, reason: number | string): void {
    if (!state.isListening) this.#failedStarts += 1
    const consequence = state.isListening
      ? '; it is replaced'
      : ` before it listened; the next one starts after ${this.#delay()} ms`
    this.#observer.problem(`worker ${worker.process.pid} died (${reason})${consequence}`)
    this.#fill()
  }

  #stop(status: number): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#status = status
    clearTimeout(this.#nextStart)
    this.#signal('SIGTERM')
    setTimeout(() => this.#kill(1), this.#shutdownTime + GRACE_MILLISECONDS).unref()
    this.#endIfEmpty()
  }

  #kill(status: number): void {
    this.#status = status
    this.#signal('SIGKILL')
  }

  #signal(signal: 'SIGHUP' | 'SIGTERM' | 'SIGKILL'): void {
    for (const [worker, state] of this.#workers) {
      if (signal === 'SIGHUP' && !state.isListening) state.isHungUp = true
      else worker.process.kill(signal)
    }
  }

  #endIfEmpty(): void {
    if (this.#workers.size === 0) this.#ended.resolve(this.#status)
  }
}

/** Sends a message to a worker. One that has ended in the meantime does not need it. */
function post(worker: Worker, message: RetirementMessage | AllClosedMessage): void {
  if (worker.isConnected()) worker.send(message, () => {})
}
