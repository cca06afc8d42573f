/** Why the command line does nothing: one clear line with the way out, shown on stderr with exit status 2. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /**
   * @param problem - what is wrong, without a full stop.
   * @param wayOut - what to do instead, without a full stop.
   */
  constructor(problem: string, wayOut?: string) {
    super(oneLine(wayOut === undefined ? problem : `${problem}; ${wayOut}`))
  }
}

/** Why a command that began could not be carried through: shown on stderr with exit status 1. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** A text from outside in quotes: cut to a readable length, control and invisible characters written as escapes. */
export function quoted(text: string): string {
  const characters = [...text]
  const cut = characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : text
  return `'${oneLine(cut)}'`
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
