import { inspect } from 'node:util'
import { escaped } from '../printable.ts'
import { errorText } from '../thrown.ts'
import { complain, styled, type Terminal } from './terminal.ts'

/** The command cannot run as it was called, and did nothing. Printed as one line on stderr, with exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  /**
   * @param problem - the error, without a full stop.
   * @param fix - how to correct it, without a full stop.
   */
  constructor(problem: string, fix?: string) {
    super(oneLine(fix === undefined ? problem : `${problem}; ${fix}`))
  }
}

/** A command failed after it began. Printed on stderr, with exit status 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Quotes text from outside: at most 60 characters, with control and invisible characters escaped. */
export function quoted(text: string): string {
  const characters = [...text]
  const cut = characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : text
  return `'${oneLine(cut)}'`
}

/** Returns the fix of a usage error: the word that was meant, behind its front, or another fix if none is known. */
export function didYouMean(meant: string | undefined, otherwise: string, front = ''): string {
  return meant === undefined ? otherwise : `did you mean '${front}${meant}'?`
}

/** Text without line ends: control and invisible characters are written as escapes. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, escaped)
}

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
