/** The output that a page promises, and its comparison with what was printed. */

/** A module whose `// → …` comments became calls of `console.log`, and the texts of these comments. */
export interface Instrumented {
  readonly code: string
  readonly expected: readonly string[]
}

/** A call of `console.log` with a comment, which says what it prints also without an arrow. */
const PRINTED = /^(\s*console\.log\(.*\)) \/\/ (.*)$/

/**
 * Rewrites each `expression // → text` as a call of `console.log`, and each `expression // → throws text` so that the
 * message of the error is logged. Calls of `console.log` stay as they are. The text may stand on the next line, and go on in
 * comments that begin with three blanks.
 */
export function instrument(code: string): Instrumented {
  const expected: string[] = []
  const lines: string[] = []
  for (const line of code.split('\n')) {
    const [, before = '', text] = /^(.*?)\s*\/\/ → (.*)$/.exec(line) ?? PRINTED.exec(line) ?? []
    if (text === undefined) {
      const more = /^\s*\/\/ {3,}(.*)$/.exec(line)?.[1]
      if (more !== undefined && expected.length > 0) expected[expected.length - 1] += `\n${more}`
      lines.push(line)
      continue
    }
    expected.push(text)
    // The numbers of lines stay as they are, for stack traces.
    const isBelow = before.trim() === '' && lines.length > 0
    const statement = logged(isBelow ? (lines.pop() ?? '') : before, text)
    lines.push(statement)
    if (isBelow) lines.push('')
  }
  return { code: lines.join('\n'), expected }
}

/** Returns a statement that logs the value of an expression, or the message of the error that it throws. */
function logged(statement: string, text: string): string {
  if (/^\s*(console\.log\(|[)}\]])/.test(statement)) return statement
  if (!text.startsWith('throws ')) return `console.log(${statement})`
  return `try { ${statement}; console.log('returns') } catch (error) { console.log('throws ' + error.message) }`
}

/** Returns true if a text is as expected. White space is equal to any other, `…` stands for any text. */
export function isAsExpected(actual: string, expected: string): boolean {
  const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ')
  const pattern = plain(expected)
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${pattern}$`, 's').test(plain(actual))
}
