/**
 * The standard error output as `wsgi.errors`.
 *
 * @module
 */
import { printable } from '../../base/printable.ts'
import type { ErrorStream } from '../types.ts'

let isGuarded = false

/**
 * Writes to the standard error output, with control characters escaped.
 *
 * When its reader has gone (`node app.js 2>&1 | head -1`), every write emits an `error` event (EPIPE), which ends the
 * process unless it has a listener. It cannot be reported anywhere else, so it is dropped.
 */
export const standardErrors: ErrorStream = {
  write(text) {
    if (!isGuarded) {
      isGuarded = true
      process.stderr.on('error', () => {})
    }
    process.stderr.write(printable(text))
  },
  flush() {},
}
