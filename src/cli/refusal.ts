import { escaped } from '../wsgi/printable.ts'

/** The command line is wrong and nothing was done. Printed as one line on stderr, with exit status 2. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /**
   * @param problem - the error, without a full stop.
   * @param wayOut - how to correct it, without a full stop.
   */
  constructor(problem: string, wayOut?: string) {
    super(oneLine(wayOut === undefined ? problem : `${problem}; ${wayOut}`))
  }
}

/** A command failed after it began. Printed on stderr, with exit status 1. */
export class Failure extends Error {
  override readonly name = 'Failure'
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
