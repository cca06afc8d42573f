/** The output that a page promises, and its comparison with what was printed. */

/** A module whose `// → …` comments became calls of `console.log`, and the texts of these comments. */
export interface Instrumented {
  readonly code: string
  readonly expected: readonly string[]
}

/**
 * Rewrites each `expression // → text` as a call of `console.log`, and each `expression // → throws text` so that the
 * message of the error is logged. Calls of `console.log` stay as they are. The text may stand on the next line, and go on in
 * comments that begin with three blanks.
 */
export function instrument(code: string): Instrumented {
  const expected: string[] = []
  const lines = code.split('\n').map((line) => {
    const [, indent = '', statement = '', text] = /^(\s*)(.*?)\s*\/\/ → (.*)$/.exec(line) ?? []
    if (text === undefined) {
      const more = /^\s*\/\/ {3,}(.*)$/.exec(line)?.[1]
      if (more !== undefined && expected.length > 0) expected[expected.length - 1] += `\n${more}`
      return line
    }
    expected.push(text)
    if (/^(console\.log\(|[)}\]]|$)/.test(statement)) return line
    if (!text.startsWith('throws ')) return `${indent}console.log(${statement})`
    return `${indent}try { ${statement}; console.log('returns') } catch (error) { console.log('throws ' + error.message) }`
  })
  return { code: lines.join('\n'), expected }
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
