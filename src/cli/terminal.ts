import { stripVTControlCharacters, styleText } from 'node:util'

/** What a command sees of the outside: where it runs, where it reads and where it writes. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & MaybeTerminal
  readonly stdout: NodeJS.WritableStream & MaybeTerminal
  readonly stderr: NodeJS.WritableStream & MaybeTerminal
}

/** A stream knows whether it is a terminal. */
export interface MaybeTerminal {
  readonly isTTY?: boolean | undefined
}

/** Writes lines to stdout. */
export function print(terminal: Terminal, ...lines: string[]): void {
  terminal.stdout.write(`${lines.join('\n')}\n`)
}

/** Writes lines to stderr. */
export function complain(terminal: Terminal, ...lines: string[]): void {
  terminal.stderr.write(`${lines.join('\n')}\n`)
}

/** True when a stream is a terminal that shows colours and nobody asked for none (https://no-color.org). */
export function hasColour(stream: MaybeTerminal, env: Terminal['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** The looks that the command line uses. */
export type Style = 'bold' | 'cyan' | 'green' | 'red' | 'yellow'

/** Colours text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

/** The paint for a stream: plain wherever colour would be noise. */
export function paintFor(stream: MaybeTerminal, env: Terminal['env']): Paint {
  if (!hasColour(stream, env)) return (_style, text) => text
  return (style, text) => styleText(style, text, { validateStream: false })
}

/** Rows as aligned columns two blanks apart, without trailing blanks. Colours do not count as width. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd(),
  )
}

function width(text: string): number {
  return stripVTControlCharacters(text).length
}
