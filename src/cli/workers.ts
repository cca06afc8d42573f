import cluster, { type Worker } from 'node:cluster'
import { isRecord } from './project.ts'
import { complain, print, type Terminal } from './terminal.ts'

/** A worker that lived this long did not die of a broken start. */
const HEALTHY_MILLISECONDS = 10_000
const LONGEST_DELAY_MILLISECONDS = 30_000
/** How long workers may take to finish what is in flight. */
const GRACE_MILLISECONDS = 30_000

interface WorkerState {
  readonly born: number
  isListening: boolean
}

/**
 * Processes that serve the same application on the same port (node:cluster). One that dies is replaced, after a delay that doubles
 * while they keep dying young. SIGHUP is passed to all; SIGTERM and SIGINT let all finish.
 */
export class WorkerPool {
  readonly #count: number
  readonly #terminal: Terminal
  readonly #workers = new Map<Worker, WorkerState>()
  readonly #delayed = new Set<NodeJS.Timeout>()
  readonly #over = Promise.withResolvers<number>()
  /** Whether all workers have listened. */
  #isServing = false
  #youngDeaths = 0
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
    for (let started = 0; started < this.#count; started++) this.#fork()
    return this.#over.promise
  }

  #fork(): void {
    if (this.#isStopping) return
    this.#workers.set(cluster.fork(), { born: Date.now(), isListening: false })
  }

  #listens(worker: Worker, url: string): void {
    const state = this.#workers.get(worker)
    if (state === undefined) return
    state.isListening = true
    if (this.#isServing || [...this.#workers.values()].some((other) => !other.isListening)) return
    this.#isServing = true
    const workers = this.#count === 1 ? '1 worker' : `${this.#count} workers`
    print(this.#terminal, `Serving at ${url} with ${workers}`)
  }

  #buried(worker: Worker, reason: number | string): void {
    const state = this.#workers.get(worker)
    this.#workers.delete(worker)
    if (this.#isStopping) this.#endIfEmpty()
    else if (!this.#isServing)
      this.#stop(1) // What cannot start once will not start a second time.
    else if (state !== undefined) this.#replace(worker, state, reason)
  }

  #replace(worker: Worker, state: WorkerState, reason: number | string): void {
    const diedYoung = Date.now() - state.born < HEALTHY_MILLISECONDS
    this.#youngDeaths = diedYoung ? this.#youngDeaths + 1 : 0
    const delay = diedYoung ? Math.min(LONGEST_DELAY_MILLISECONDS, 50 * 2 ** this.#youngDeaths) : 0
    complain(
      this.#terminal,
      `propylon: worker ${worker.process.pid} died (${reason}); another takes its place in ${delay} ms`,
    )
    const timer = setTimeout(() => {
      this.#delayed.delete(timer)
      this.#fork()
    }, delay)
    this.#delayed.add(timer)
  }

  #stop(status: number): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#status = status
    for (const timer of this.#delayed) clearTimeout(timer)
    this.#signal('SIGTERM')
    setTimeout(() => this.#kill(1), GRACE_MILLISECONDS).unref()
    this.#endIfEmpty()
  }

  #kill(status: number): void {
    this.#status = status
    this.#signal('SIGKILL')
  }

  /** A worker that does not listen yet would die of SIGHUP, and finds new controllers anyway. */
  #signal(signal: 'SIGHUP' | 'SIGTERM' | 'SIGKILL'): void {
    for (const [worker, state] of this.#workers) {
      if (signal !== 'SIGHUP' || state.isListening) worker.process.kill(signal)
    }
  }

  #endIfEmpty(): void {
    if (this.#workers.size === 0) this.#over.resolve(this.#status)
  }
}
