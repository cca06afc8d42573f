import { setTimeout as sleep } from 'node:timers/promises'
import { memberOf } from '../thrown.ts'

/** Time for which a statement waits while another process has locked the file, in milliseconds. */
export const LOCK_TIMEOUT = 5000

/** Time for which a statement waits if others have waited for the whole {@link LOCK_TIMEOUT} just before. */
const SHORT_TIMEOUT = 100

/** Refusals that are less than this time apart belong to the same lock, in milliseconds. */
const GAP = 1000

const SQLITE_BUSY = 5
/** A transaction that has read can never write after another process has written. Waiting would not help. */
const SQLITE_BUSY_SNAPSHOT = 517

/**
 * Waits while another process has locked a file. SQLite itself waits too, but within the call: the process would serve
 * nothing else in the meantime.
 */
export class LockWait {
  /** Time at which the file was found locked first. Statements that queue up behind each other share it. */
  #since = 0
  #last = Number.NEGATIVE_INFINITY

  /**
   * Runs a statement, again and again as long as the file is locked. A statement that is refused has changed nothing.
   *
   * @param locks - true for a statement that takes the lock. Others, which read, succeed while another process has it.
   */
  async run<T>(statement: () => T | Promise<T>, locks: boolean): Promise<T> {
    const start = performance.now()
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await statement()
        if (attempt > 0 || locks) this.#last = Number.NEGATIVE_INFINITY
        return result
      } catch (error) {
        if (!isLocked(error) || !this.#mayWait(start)) throw error
      }
      await sleep(Math.min(2 ** attempt, 25))
    }
  }

  #mayWait(start: number): boolean {
    const now = performance.now()
    if (now - this.#last > GAP) this.#since = now
    this.#last = now
    return now - this.#since < LOCK_TIMEOUT || now - start < SHORT_TIMEOUT
  }
}

function isLocked(error: unknown): boolean {
  const code = memberOf(error, 'errcode')
  return typeof code === 'number' && (code & 0xff) === SQLITE_BUSY && code !== SQLITE_BUSY_SNAPSHOT
}
