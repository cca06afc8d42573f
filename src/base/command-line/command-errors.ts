import { escaped } from '../printable.ts'

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

/** Text without line ends: control and invisible characters are written as escapes. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, escaped)
}
