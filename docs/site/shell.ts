/** Returns true if a line of a shell block begins with a prompt, or continues a command that ends in a backslash. */
export function isCommand(lines: readonly string[], index: number): boolean {
  if (lines[index]?.startsWith('$ ') === true) return true
  return index > 0 && lines[index - 1]?.endsWith('\\') === true && isCommand(lines, index - 1)
}

/** Characters of pictures, whose lines are not wrapped. */
const DRAWN = /[\u2190-\u21FF\u2500-\u25FF]|--[>+]/

/** Lines up to this length, in characters, fit a column of the site. */
const FITTING = 60

/**
 * Returns the number of characters by which the wrapped rest of a line of output is indented: as its last column, or
 * two. Undefined for a short line and for pictures.
 */
export function hangingIndent(source: string, index: number): number | undefined {
  const line = source.split('\n')[index] ?? ''
  if (line.length <= FITTING || DRAWN.test(source)) return undefined
  const column = line.lastIndexOf('  ') + 2
  return column > 1 && column < FITTING / 2 ? column : 2
}
