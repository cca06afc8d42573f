/** Tries the properties of one subject, in a thread that the supervisor can end. */
import { parentPort, workerData } from 'node:worker_threads'
import { inputsOf } from './corpus.ts'
import { Progress } from './progress.ts'
import type { Outcome } from './property.ts'
import { subjects } from './subjects.ts'

/** The task of a worker. */
export interface Task {
  readonly subject: string
  /** Names of the properties to try. */
  readonly properties: readonly string[]
  readonly seed: number
  /** Time for each property. */
  readonly milliseconds: number
  readonly memory: SharedArrayBuffer
}

/** A message to the supervisor. */
export interface Report {
  readonly property: string
  readonly outcome: Outcome
}

const task: Task = workerData
const progress = new Progress(task.memory)
const subject = subjects.find(({ name }) => name === task.subject)
if (subject === undefined || parentPort === null) throw new Error(`There is no subject ${task.subject}.`)

await subject.open?.()
for (const [index, property] of subject.properties.entries()) {
  if (!task.properties.includes(property.name)) continue
  const outcome = await property.attempt({
    seed: task.seed,
    runs: Number.MAX_SAFE_INTEGER / 2,
    milliseconds: task.milliseconds,
    corpus: inputsOf(subject.name, property.name),
    watch: (input) => progress.begin(index, input),
  })
  const report: Report = { property: property.name, outcome }
  parentPort.postMessage(report)
}
await subject.close?.()
