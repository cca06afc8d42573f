import { inspect } from 'node:util'
import { CommandError, UsageError } from '../../base/command-line/command-errors.ts'
import { complain, styled, type Terminal } from '../../base/command-line/terminal.ts'
import { errorText } from '../../base/thrown.ts'

/**
 * Prints the error that ended a command on stderr.
 *
 * @returns the exit status: 2 if the command did nothing, otherwise 1.
 */
export function report(error: unknown, terminal: Terminal): number {
  const name = styled('red', 'propylon:')
  const isExpected = error instanceof UsageError || error instanceof CommandError
  complain(terminal, [name, ` ${isExpected ? error.message : inspectThrown(error)}`])
  if (isExpected && error.cause !== undefined) complain(terminal, inspectThrown(error.cause))
  return error instanceof UsageError ? 2 : 1
}

/** `inspect` shows more than `errorText`, such as the members of an error, but throws if a getter of the error does. */
function inspectThrown(error: unknown): string {
  try {
    return inspect(error)
  } catch {
    return errorText(error)
  }
}
