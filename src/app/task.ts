import type { FrameworkApp } from './framework-app.ts'

/** The argument of a function that `propylon run` calls. */
export interface TaskContext {
  /** The application of the project. */
  readonly app: FrameworkApp
  /** Aborted by SIGTERM and SIGINT. Finish the work that has begun, and return. */
  readonly signal: AbortSignal
  /** Words behind the file in the command. */
  readonly words: readonly string[]
}

/**
 * A function that works beside the server, such as a worker: the default export of a module for `propylon run`.
 *
 * @example
 * ```ts
 * // worker.ts, for: npx propylon run worker.ts
 * import { setTimeout } from 'node:timers/promises'
 * import type { Task } from 'propylon'
 *
 * const work: Task = async ({ app, signal }) => {
 *   while (!signal.aborted) {
 *     app.logger.info('working')
 *     await setTimeout(1000, undefined, { signal }).catch(() => {})
 *   }
 * }
 * export default work
 * ```
 */
export type Task = (context: TaskContext) => unknown
