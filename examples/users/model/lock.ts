import { setTimeout } from 'node:timers/promises'

/** SQLite's result code for a file that another connection has locked (sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5

/** Longest time to wait for a lock, in milliseconds. */
const LOCK_TIMEOUT = 5000

/** First and longest pause between two attempts, in milliseconds. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 200

/** Returns true if an error reports that another process has locked the SQLite file. The statement changed nothing. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  // The lower 8 bits of an extended result code are the primary code.
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_BUSY
}

/**
 * Repeats an operation while another process has locked the SQLite file.
 *
 * SQLite can wait by itself (`busy_timeout`), but Node's driver is synchronous: every other request would wait too.
 * Here an attempt fails at once, and other requests are served until the next one.
 *
 * @throws the error of the last attempt - if the file is still locked after 5 seconds.
 */
export async function whileLocked<T>(operation: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await operation()
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error
    }
    // A random factor keeps waiting requests from trying all at the same moment.
    await setTimeout(pause * (0.5 + Math.random()))
  }
}
