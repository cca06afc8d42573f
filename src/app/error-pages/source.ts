/**
 * Places in source files, and the lines around them.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { trimEnd } from '../../base/trim.ts'
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

/** The text with the paths below a folder, the working directory by default, relative to it. */
export function withShortPaths(
  text: string,
  folder = typeof process === 'undefined' ? '/' : process.cwd(),
): string {
  const base = trimEnd(folder, '\\/')
  if (base === '') return text
  // The same letters within another path are not the folder: `/srv/app/` has `/app/`.
  const escaped = base.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_.~-])(?:file://)?${escaped}[\\\\/]`, 'gu'), '')
}

/** The path of a place, relative to a folder as {@link withShortPaths} makes it, with line and column. */
export function placeText({ path, line, column }: Place, folder?: string): string {
  return `${withShortPaths(path, folder)}:${line}${column === undefined ? '' : `:${column}`}`
}
