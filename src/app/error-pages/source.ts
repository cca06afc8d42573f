/**
 * Places in source files, and the lines around them.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { shownPlaces } from '../../base/place.ts'
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
