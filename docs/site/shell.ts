/** Returns true if a line of a shell block begins with a prompt, or continues a command that ends in a backslash. */
export function isCommand(lines: readonly string[], index: number): boolean {
  if (lines[index]?.startsWith('$ ') === true) return true
  return index > 0 && lines[index - 1]?.endsWith('\\') === true && isCommand(lines, index - 1)
}
