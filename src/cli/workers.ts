import cluster, { type Worker } from 'node:cluster'
import { isRecord } from './project.ts'
import { complain, print, type Terminal } from './terminal.ts'

/** Longest delay before another worker is started where the last one died before it listened. */
const LONGEST_DELAY_MILLISECONDS = 1000
/** How long workers may take to finish what is in flight. */
const GRACE_MILLISECONDS = 30_000

interface WorkerState {
  isListening: boolean
  /** Whether a SIGHUP is to be passed on once the worker listens: before, it could end the process. */
  isHungUp: boolean
}

/**
 * Processes that serve the same application on the same port (node:cluster). One that dies is replaced at once. Only after
 * a worker has died before it listened are they started one at a time, after a delay that doubles with each such death.
 * SIGHUP is passed to all; SIGTERM and SIGINT let all finish.
 */
export class WorkerPool {
  readonly #count: number
  readonly #terminal: Terminal
  readonly #workers = new Map<Worker, WorkerState>()
  readonly #over = Promise.withResolvers<number>()
  /** Whether any worker has listened, and whether all have. */
  #hasStarted = false
  #isServing = false
  #failedStarts = 0
  #nextStart: NodeJS.Timeout | undefined
  #isStopping = false
  #status = 0

  constructor(count: number, terminal: Terminal) {
    this.#count = count
    this.#terminal = terminal
  }

  /** Starts the workers and keeps them until the process is told to end. Gives the exit status. */
  run(): Promise<number> {
    cluster.on('exit', (worker, code, signal) => this.#buried(worker, signal ?? code))
    cluster.on('message', (worker, message) => {
      if (isRecord(message) && typeof message.listening === 'string') this.#listens(worker, message.listening)
    })
    process.on('SIGHUP', () => this.#signal('SIGHUP'))
    process.once('SIGTERM', () => this.#stop(0))
    process.once('SIGINT', () => {
      this.#stop(0)
      process.once('SIGINT', () => this.#kill(130))
    })
    this.#fill()
    return this.#over.promise
  }

  /** Starts the workers that are missing. */
  #fill(): void {
    if (this.#isStopping || this.#nextStart !== undefined) return
    if (this.#failedStarts === 0) {
      while (this.#workers.size < this.#count) this.#fork()
    } else if (this.#areListening() && this.#workers.size < this.#count) {
      this.#nextStart = setTimeout(() => {
        this.#nextStart = undefined
        this.#fork()
      }, this.#delay())
    }
  }

  #fork(): void {
    this.#workers.set(cluster.fork(), { isListening: false, isHungUp: false })
  }

  /** Whether no worker is starting. */
  #areListening(): boolean {
    return [...this.#workers.values()].every(({ isListening }) => isListening)
  }

  #delay(): number {
    return Math.min(LONGEST_DELAY_MILLISECONDS, 50 * 2 ** this.#failedStarts)
  }

  #listens(worker: Worker, url: string): void {
    const state = this.#workers.get(worker)
    if (state === undefined) return
    state.isListening = true
    if (state.isHungUp) worker.process.kill('SIGHUP')
    this.#hasStarted = true
    this.#failedStarts = 0
    this.#fill()
    if (this.#isServing || !this.#areListening()) return
    this.#isServing = true
    const workers = this.#count === 1 ? '1 worker' : `${this.#count} workers`
    print(this.#terminal, `Serving at ${url} with ${workers}`)
  }

  #buried(worker: Worker, reason: number | string): void {
    const state = this.#workers.get(worker)
    this.#workers.delete(worker)
    if (this.#isStopping) this.#endIfEmpty()
    else if (!this.#hasStarted)
      this.#stop(1) // The application does not start.
    else if (state !== undefined) this.#replace(worker, state, reason)
  }

  #replace(worker: Worker, state: WorkerState, reason: number | string): void {
    if (!state.isListening) this.#failedStarts += 1
    const consequence = state.isListening
      ? '; another takes its place'
      : ` before it listened; the next is started after ${this.#delay()} ms`
    complain(this.#terminal, `propylon: worker ${worker.process.pid} died (${reason})${consequence}`)
    this.#fill()
  }

  #stop(status: number): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#status = status
    clearTimeout(this.#nextStart)
    this.#signal('SIGTERM')
    setTimeout(() => this.#kill(1), GRACE_MILLISECONDS).unref()
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
    if (this.#workers.size === 0) this.#over.resolve(this.#status)
  }
}
