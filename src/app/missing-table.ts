/** Errors of databases in which a table is missing. */
import { errorMessage, memberOf, withCauses } from '../base/thrown.ts'

/** Codes of PostgreSQL and MySQL. SQLite has a message only. */
const CODES: ReadonlySet<unknown> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

/**
 * Returns what to do about an error, or about a cause of it, that reports a missing table. Undefined for other
 * errors.
 */
export function missingTableHint(error: unknown): string | undefined {
  const isMissing = (each: unknown) =>
    CODES.has(memberOf(each, 'code')) || errorMessage(each).startsWith('no such table: ')
  if (!withCauses(error).some(isMissing)) return undefined
  return "The database lacks a table. If its migrations have not run, run 'npx propylon migrate'."
}
