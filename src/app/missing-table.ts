/** Errors of databases in which a table is missing. */
import { errorMessage, memberOf } from '../base/thrown.ts'

const MAX_CAUSES = 8

/** Codes of PostgreSQL and MySQL. SQLite has a message only. */
const CODES: ReadonlySet<unknown> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

/** Returns what to do about an error, or about a cause of it, that reports a missing table. Undefined for other errors. */
export function missingTableHint(error: unknown): string | undefined {
  let next = error
  for (let depth = 0; next !== undefined && depth <= MAX_CAUSES; depth++) {
    if (CODES.has(memberOf(next, 'code')) || errorMessage(next).startsWith('no such table: '))
      return "The database lacks a table. If its migrations have not run, run 'npx propylon migrate'."
    next = memberOf(next, 'cause')
  }
  return undefined
}
