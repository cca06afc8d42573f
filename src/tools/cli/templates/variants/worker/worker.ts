import { setTimeout } from 'node:timers/promises'
import type { Task } from 'propylon'
import { repeat, workOff } from './model/outbox.ts'
import { handlers, schedule } from './model/work.ts'

/** Time between two looks at the outbox, in milliseconds. */
const PAUSE = 1000

/** Does the work of the outbox until it is stopped: `npx propylon run worker.ts`. */
const work: Task = async ({ signal }) => {
  for (const [kind, every] of Object.entries(schedule)) await repeat(kind, every)
  while (!signal.aborted) {
    await workOff(handlers, signal)
    await setTimeout(PAUSE, undefined, { signal }).catch(() => {})
  }
}
export default work
