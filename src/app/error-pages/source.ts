/**
 * Places in source files, and the lines around them.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { shownPlaces } from '../../base/place.ts'
import { errorMessage, isInstance } from '../../base/thrown.ts'
import { excerptOf } from '../../http/templating/engine.ts'

/** A place in a file. Lines and columns count from one. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly column: number | undefined
}

const MAX_LINE_LENGTH = 400

/** The lines of a file; none if it cannot be read. */
export function linesOf(path: string): string[] {
  try {
    return builtin('node:fs')
      .readFileSync(path, 'utf8')
      .split(/\r\n|\n/)
  } catch {
    return []
  }
}

/** The numbered lines around a place, with a mark at the line; empty if the file cannot be read. */
export function excerptAt({ path, line, column }: Place): string {
  const lines = linesOf(path)
  if (line < 1 || line > lines.length) return ''
  const text = lines.map((each) => each.slice(0, MAX_LINE_LENGTH)).join('\n')
  return excerptOf(text, line, column !== undefined && column <= MAX_LINE_LENGTH ? column : undefined, 5)
}

/** The path of a `file:` URL, or the path itself; undefined for any other URL. */
export function filePath(file: string): string | undefined {
  if (!file.startsWith('file:')) return /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? file : undefined
  try {
    return builtin('node:url').fileURLToPath(file)
  } catch {
    return undefined
  }
}

/** The path of a place, relative to a folder as {@link shownPlaces} makes it, with line and column. */
export function placeText({ path, line, column }: Place, folder?: string): string {
  return `${shownPlaces(path, folder)}:${line}${column === undefined ? '' : `:${column}`}`
}

/** Parses the place that Node writes before a syntax error: path, line, source and carets. */
export function statedPlace(stack: unknown): Place | undefined {
  if (typeof stack !== 'string') return undefined
  const head = /^(file:\/\/[^\n?]+|\/[^\n?]+|[A-Za-z]:\\[^\n?]+)(?:\?[^\n:]*)?:(\d+)\n/.exec(stack)
  const path = head?.[1] === undefined ? undefined : filePath(head[1])
  if (path === undefined) return undefined
  const marks = stack.split('\n').find((line) => line.trimEnd().endsWith('^'))
  return { path, line: Number(head?.[2]), column: marks === undefined ? undefined : marks.indexOf('^') + 1 }
}

/** Formats a syntax error whose place Node states: `controllers/users.ts:3:26: reason`, the line and a mark below. */
export function syntaxFaultText(error: unknown): string | undefined {
  const place = isInstance(error, SyntaxError) ? statedPlace(error.stack) : undefined
  if (place === undefined) return undefined
  const { path, line, column } = place
  const source = linesOf(path)[line - 1] ?? ''
  const mark = column === undefined ? '' : `\n${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`
  const shown = source === '' || source.length > SHOWN_LENGTH ? '' : `\n${source}${mark}`
  return `${placeText(place)}: ${errorMessage(error)}${shown}\n`
}

/** Length up to which a line is shown. */
const SHOWN_LENGTH = 200
