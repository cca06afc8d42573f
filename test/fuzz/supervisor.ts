/** Runs subjects in threads, notices those that hang or crash, and keeps the inputs that failed. */
import { Worker } from 'node:worker_threads'
import { keep } from './corpus.ts'
import { Progress, progressMemory } from './progress.ts'
import { type Failure, HANG, type Outcome, type Subject } from './property.ts'
import type { Report, Task } from './worker.ts'

/** The result of one property. */
export interface Result extends Outcome {
  readonly subject: string
  readonly property: string
}

/** Runs subjects and gathers their results. */
export class Supervisor {
  readonly results: Result[] = []
  readonly #seed: number
  readonly #milliseconds: number

  /** @param options - the seed of all properties, and the time for each subject. */
  constructor(options: { readonly seed: number; readonly milliseconds: number }) {
    this.#seed = options.seed
    this.#milliseconds = options.milliseconds
  }

  /** Tries all properties of a subject. After a hang or a crash it goes on with the next property. */
  async try(subject: Subject): Promise<void> {
    const milliseconds = this.#milliseconds / subject.properties.length
    let names = subject.properties.map(({ name }) => name)
    while (names.length > 0) {
      const { done, stopped } = await this.#run(subject, names, milliseconds)
      names = names.filter((name) => !done.has(name))
      if (stopped === undefined) return
      const property = subject.properties[stopped.property]?.name ?? names[0] ?? ''
      this.#add({ subject: subject.name, property, runs: stopped.runs, failure: stopped.failure })
      names = names.filter((name) => name !== property)
    }
  }

  #add(result: Result): void {
    const { subject, property, failure } = result
    this.results.push(result)
    if (failure === undefined) return
    const found = failure.message.split('\n', 1)[0] ?? ''
    console.log(`${subject}: ${property}: ${found}`)
    // A subject that cannot be opened has tried no input.
    if (result.runs > 0) keep(subject, { property, found, input: failure.input })
  }

  #run(subject: Subject, properties: readonly string[], milliseconds: number): Promise<Ending> {
    const memory = progressMemory()
    const progress = new Progress(memory)
    const task: Task = { subject: subject.name, properties, seed: this.#seed, milliseconds, memory }
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: task })
    const done = new Set<string>()
    worker.on('message', ({ property, outcome }: Report) => {
      done.add(property)
      this.#add({ subject: subject.name, property, ...outcome })
    })
    return new Promise((resolve) => {
      let count = -1
      let since = Date.now()
      const stop = (message: string): void => {
        if (stopped !== undefined) return
        const input = progress.count === 0 ? null : JSON.parse(progress.input)
        const failure: Failure = { input, message, seed: this.#seed }
        stopped = { property: progress.property, runs: progress.count, failure }
        void worker.terminate()
      }
      let stopped: Ending['stopped']
      // fast-check ends inputs that wait too long. This is for those that block the thread.
      const timer = setInterval(() => {
        if (progress.count !== count) {
          count = progress.count
          since = Date.now()
        } else if (count > 0 && Date.now() - since > 2 * HANG) stop('The thread has been blocked.')
      }, 1000)
      worker.on('error', (error) => {
        stop(`The thread has crashed: ${error instanceof Error ? error.stack : String(error)}`)
      })
      worker.on('exit', () => {
        clearInterval(timer)
        resolve({ done, stopped })
      })
    })
  }
}

/** The end of a thread. */
interface Ending {
  /** Names of the properties that were tried to the end. */
  readonly done: ReadonlySet<string>
  /** The property that ended the thread. */
  readonly stopped: { readonly property: number; readonly runs: number; readonly failure: Failure } | undefined
}
