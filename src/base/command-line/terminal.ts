import { styleText } from 'node:util'
import { hasColour } from '../colour.ts'
import { printable } from '../printable.ts'

/** The working directory, environment and streams of a command. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream & MaybeTerminal
  readonly stdout: NodeJS.WritableStream & MaybeTerminal
  readonly stderr: NodeJS.WritableStream & MaybeTerminal
}

/** Returns the working directory, environment and streams of this process. */
export function ownTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process
  return { cwd: process.cwd(), env, stdin, stdout, stderr }
}

/** A stream that may be a terminal. */
export interface MaybeTerminal {
  readonly isTTY?: boolean | undefined
  /** Width in characters. */
  readonly columns?: number | undefined
}

/** The styles that the command line uses. */
export type Style = 'bold' | 'cyan' | 'green' | 'red' | 'yellow'

/** Text in a style. Streams without colours show the plain text. */
export interface Styled {
  readonly style: Style
  readonly text: string
}

/** A part of a line. */
export type Cell = string | Styled

/** A line: a cell or several. */
export type Line = Cell | readonly Cell[]

/** Creates text in a style. */
export function styled(style: Style, text: string): Styled {
  return { style, text }
}

/** Writes lines to stdout. */
export function print(terminal: Terminal, ...lines: readonly Line[]): void {
  write(terminal.stdout, terminal.env, lines)
}

/** Writes lines to stderr. */
export function complain(terminal: Terminal, ...lines: readonly Line[]): void {
  write(terminal.stderr, terminal.env, lines)
}

/** Writes lines. All output uses it. */
function write(stream: Terminal['stdout'], env: Terminal['env'], lines: readonly Line[]): void {
  const colour = hasColour(stream, env)
  stream.write(lines.map((line) => `${rendered(line, colour)}\n`).join(''))
}

/**
 * Returns a line as a stream shows it, with control characters escaped, because text may come from servers and files.
 */
function rendered(line: Line, colour: boolean): string {
  if (typeof line === 'string') return printable(line)
  if (!('style' in line)) return line.map((cell) => rendered(cell, colour)).join('')
  const text = printable(line.text)
  return colour ? styleText(line.style, text, { validateStream: false }) : text
}

/** Formats rows as aligned columns, two blanks apart, without trailing blanks. */
export function columns(rows: readonly (readonly Cell[])[]): Line[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width(cell))
  }
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => width(cell) > 0)
    return row
      .slice(0, last + 1)
      .flatMap((cell, column) =>
        column === last ? [cell] : [cell, ' '.repeat((widths[column] ?? 0) - width(cell) + 2)],
      )
  })
}

/** Returns the number of characters that a cell shows. */
function width(cell: Cell): number {
  return printable(typeof cell === 'string' ? cell : cell.text).length
}
