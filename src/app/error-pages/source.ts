/**
 * Places in source files, and the lines around them.
 *
 * @module
 */
import { excerptOf } from '../../http/templating/engine.ts'

/** A place in a file. Lines and columns count from one. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly column: number | undefined
}

const MAX_LINE_LENGTH = 400

/** A module of Node; undefined in a runtime that lacks it. */
function builtin<Name extends 'node:fs' | 'node:url' | 'node:path'>(name: Name) {
  return typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name)
}

/** The lines of a file; none if it cannot be read. */
export function linesOf(path: string): string[] {
  try {
    return (
      builtin('node:fs')
        ?.readFileSync(path, 'utf8')
        .split(/\r\n|\n/) ?? []
    )
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
    return builtin('node:url')?.fileURLToPath(file)
  } catch {
    return undefined
  }
}

/** The text with the paths below the working directory relative to it. */
export function withShortPaths(text: string): string {
  const folder = typeof process === 'undefined' ? '/' : process.cwd()
  if (folder === '/') return text
  return ['file://', ''].reduce(
    (shorter, scheme) => shorter.replaceAll(`${scheme}${folder}/`, '').replaceAll(`${scheme}${folder}\\`, ''),
    text,
  )
}

/** The path relative to a folder (the working directory by default), or the path itself if it is outside of it. */
export function shortPath(path: string, folder?: string): string {
  const inside = builtin('node:path')?.relative(folder ?? process.cwd(), path)
  return inside === undefined || inside === '' || /^\.\.(?:[\\/]|$)/.test(inside) ? path : inside
}

/** The path of a place, relative to a folder as {@link shortPath} makes it, with line and column. */
export function placeText({ path, line, column }: Place, folder?: string): string {
  return `${shortPath(path, folder)}:${line}${column === undefined ? '' : `:${column}`}`
}
